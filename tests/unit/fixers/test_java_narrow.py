"""Patches that leave alone what they can: long blocks stay where they are, headers look like the others of the file."""

from __future__ import annotations

import pytest

from tests.unit.fixers.members import HEAD, reasons, safe
from tests.unit.fixers.patching import answers

_SQL = "  static java.sql.Connection open(javax.sql.DataSource from) throws java.sql.SQLException {\n    return from.getConnection();\n  }\n"


def _rolling_back(lines: int) -> str:
    body = "".join(f"      words.append({n});\n" for n in range(lines))
    return (
        _SQL + "  String run(javax.sql.DataSource from, StringBuilder words) throws java.sql.SQLException {\n"
        "    java.sql.Connection held = open(from);\n    try {\n"
        + body
        + "      return words.toString();\n    } finally {\n"
        "      if (!held.getAutoCommit()) {\n        held.rollback();\n      }\n      held.close();\n    }\n  }"
    )


def test_a_long_block_is_not_moved_where_the_finally_alone_loses_the_resource() -> None:
    [long] = safe(_rolling_back(40))
    assert "\n      words.append(7);\n" in long
    assert (
        "    } finally {\n      try {\n        if (!held.getAutoCommit()) {\n          held.rollback();\n        }\n"
        "      } finally {\n        held.close();\n      }\n    }\n"
    ) in long
    [short] = safe(_rolling_back(3))
    assert "try (java.sql.Connection held = open(from)) {" in short


_ALIGNED = (
    "  void copy(String one, String two) throws IOException {\n    try (InputStream in = new FileInputStream(one);\n"
    "         OutputStream out = new FileOutputStream(two)) {\n      out.write(in.read());\n    }\n  }\n"
)


def test_a_header_is_broken_as_others_of_the_file_are() -> None:
    [text] = safe(
        _ALIGNED + "  void run(String path, String other) throws IOException {\n"
        "    try (ObjectInputStream in = new ObjectInputStream(new FileInputStream(path));\n"
        "         OutputStream out = new FileOutputStream(other)) {\n      out.write(in.read());\n    }\n  }"
    )
    assert ";\n         ObjectInputStream in = new ObjectInputStream(" in text


@pytest.mark.parametrize(
    "member, said",
    [
        (
            '  void ends() {\n    try {\n      java.sql.DriverManager.getConnection("jdbc:none:");\n'
            "    } catch (java.sql.SQLException e) {\n      // this is expected: there is no such driver\n    }\n  }",
            "expected to throw",
        ),
        (
            '  void ends() throws java.sql.SQLException {\n    java.sql.DriverManager.getConnection("jdbc:derby:;shutdown=true");\n  }',
            "expected to throw",
        ),
        (
            '  void ends() throws java.sql.SQLException {\n    java.sql.DriverManager.getConnection("jdbc:derby:memory:left;drop=true");\n  }',
            "expected to throw",
        ),
        (
            '  void ends(String at) throws java.sql.SQLException {\n    final String end = at + ";shutdown=true";\n    java.sql.DriverManager.getConnection(end);\n  }',
            "expected to throw",
        ),
        (
            "  void run() throws IOException {\n    org.apache.http.impl.client.CloseableHttpClient client = org.apache.http.impl.client.HttpClients.createDefault();\n"
            "    try {\n      client.execute(null);\n    } finally {\n      client.getConnectionManager().shutdown();\n    }\n  }",
            "`client.getConnectionManager().shutdown()` may close it already",
        ),
    ],
    ids=["comment", "address", "dropped", "named", "manager"],
)
def test_what_fails_as_meant_or_is_ended_by_its_parts_stays(member: str, said: str) -> None:
    found = reasons(member)
    assert [each for each in found if said in each], found


def test_a_comment_on_something_unexpected_stops_nothing() -> None:
    assert safe(
        '  void run() {\n    try {\n      java.sql.DriverManager.getConnection("jdbc:none:");\n'
        "    } catch (java.sql.SQLException e) {\n      // unexpected\n    }\n  }"
    )


def test_persistence_closes_without_a_handler_and_its_transaction_is_no_way_out() -> None:
    [text] = safe(
        "  void run(javax.persistence.EntityManagerFactory from) {\n    from.createEntityManager();\n  }"
    )
    assert "    from.createEntityManager().close();\n" in text
    found = answers(
        "Case.java",
        (
            HEAD
            + "  void run(javax.persistence.EntityManagerFactory from) {\n    javax.persistence.EntityManager held = from.createEntityManager();\n"
            "    javax.persistence.EntityTransaction work = held.getTransaction();\n    try {\n      work.begin();\n    } finally {\n      held.close();\n    }\n  }\n}\n"
        ).encode(),
    )
    assert not found


def test_of_two_equal_acquisitions_that_move_each_is_proved_by_its_own() -> None:
    [text] = safe(
        "  int run(String path, boolean zipped) throws IOException {\n"
        "    InputStream in = zipped ? new java.util.zip.GZIPInputStream(new FileInputStream(path)) : new FileInputStream(path);\n"
        "    return in.read();\n  }"
    )
    assert "    try (InputStream in =" in text and "finally" not in text


_ENDED = (
    "  static class Inner {\n    private final InputStream in;\n    Inner() throws IOException {\n      in = new FileInputStream(\"a\");\n    }\n"
    "    void release() throws IOException {\n      in.close();\n    }\n  }\n"
    "  static class Held {\n    private final Inner inner;\n    Held() throws IOException {\n      inner = new Inner();\n    }\n"
    "    void stop() throws IOException {\n      inner.release();\n    }\n    void note() {\n    }\n  }\n"
)


@pytest.mark.parametrize(
    "member",
    ["  void run() throws IOException {\n    Held held = new Held();\n    held.note();\n  }", "  void run() throws IOException {\n    new Held().note();\n  }"],
    ids=["named", "in passing"],
)
def test_the_reason_says_that_a_class_has_no_close_not_what_a_header_may_hold(member: str) -> None:
    found = reasons(_ENDED + member)
    assert "`Held` has no `close`" in found, found


def test_the_reason_is_not_what_a_header_may_hold_where_another_form_was_tried() -> None:
    found = reasons(
        "  void run(org.some.Factory from) throws IOException {\n    org.some.Link held = from.openLink();\n    held.note();\n"
        "    if (held.isThere()) {\n      held.close();\n    }\n  }"
    )
    assert not [each for each in found if "try header" in each], found


def test_what_an_object_may_have_already_is_its_own_to_close() -> None:
    found = reasons(
        "  interface Store {\n    InputStream getContent() throws IOException;\n  }\n"
        "  static class Kept implements Store {\n    private final InputStream in;\n    Kept(InputStream in) {\n      this.in = in;\n    }\n"
        "    public InputStream getContent() {\n      return in;\n    }\n  }\n"
        "  static class Fresh implements Store {\n    public InputStream getContent() throws IOException {\n      return new FileInputStream(\"a\");\n    }\n  }\n"
        "  int run(Store store) throws IOException {\n    return store.getContent().read();\n  }"
    )
    assert [each for each in found if "`getContent()` may give the same again" in each], found


def test_no_blank_line_is_left_above_the_end_of_a_block() -> None:
    [text] = safe(
        "  void run(String host) {\n    try {\n      Socket link = new Socket(host, 80);\n      link.getOutputStream().write(1);\n\n      link.close();\n"
        "    } catch (IOException e) {\n      System.err.println(e);\n    }\n  }"
    )
    assert "      link.getOutputStream().write(1);\n    } catch" in text


def test_a_try_begins_behind_the_way_out_for_null() -> None:
    body = """  File template(String name) throws IOException {
    InputStream in = getClass().getResourceAsStream(name);
    if (null == in) {
      throw new IllegalStateException(name);
    }
    File found = File.createTempFile("temp", name);
    try {
      in.read();
      return found;
    } finally {
      in.close();
    }
  }"""
    [patched] = safe(body)
    assert "      throw new IllegalStateException(name);\n    }\n    try {\n      File found" in patched


def test_no_close_comes_behind_a_test_that_found_null() -> None:
    body = """  File template(String name, boolean strict) throws IOException {
    InputStream in = getClass().getResourceAsStream(name);
    File found = File.createTempFile("temp", name);
    if (in == null && strict) {
      throw new IllegalStateException(name);
    }
    if (in == null) {
      return found;
    }
    found.deleteOnExit();
    System.out.println(in.available());
    try {
      in.read();
      return found;
    } finally {
      in.close();
    }
  }"""
    for patched in safe(body):
        assert patched.index("if (in == null && strict)") < patched.index("try {") or "try (" in patched or "in != null" in patched


def test_the_resource_that_comes_into_a_header_is_final_as_the_other() -> None:
    body = """  int first(File file) throws IOException {
    try (final java.util.jar.JarInputStream jar = new java.util.jar.JarInputStream(new FileInputStream(file))) {
      return jar.read();
    }
  }"""
    assert safe(body)
    assert all("try (final FileInputStream in = new FileInputStream(file);" in each for each in safe(body))


def test_what_a_factory_of_the_jdk_makes_is_not_tested_for_null() -> None:
    body = """  static class Pools { static ExecutorService fixed() { return Executors.newFixedThreadPool(1); } }
  void run(Runnable task, CountDownLatch latch, Map<String, Object> all) throws InterruptedException {
    ExecutorService executor = Pools.fixed();
    all.size();
    Thread.sleep(3);
    executor.execute(task);
    latch.await();
  }"""
    assert safe(body)
    assert all("finally" in each and "!= null" not in each for each in safe(body))


def test_a_header_asks_for_null_itself() -> None:
    body = """  int first(String name) throws IOException {
    InputStream in = getClass().getResourceAsStream(name);
    if (in == null) {
      throw new IllegalStateException(name);
    }
    return in.read();
  }"""
    assert any("try (InputStream in" in each for each in safe(body))
