"""What the code itself does only behind a close is not done before it, whatever a patch does with that close."""

from __future__ import annotations

import pytest

from tests.unit.fixers.members import reasons, safe


@pytest.mark.parametrize("behind", [
    "check(one.isClosed());", "assertThrows(java.sql.SQLException.class, () -> all.createStatement());", "if (two.isEmpty()) {\n      check(pool.isEmpty());\n    }",
])
def test_what_asks_whether_a_connection_is_closed_stays_behind_its_close(behind: str) -> None:
    for text in safe(
        "  static void check(boolean is) { if (!is) throw new IllegalStateException(); }\n  interface Step { void run() throws Exception; }\n"
        "  static void assertThrows(Class<?> kind, Step step) throws Exception { try { step.run(); } catch (Exception e) { return; } throw new Exception(); }\n"
        "  void run(javax.sql.DataSource from, List<String> pool) throws Exception {\n    final java.sql.Connection all = from.getConnection();\n"
        f"    final java.sql.Statement one = all.createStatement();\n    String two = all.getCatalog();\n    all.close();\n    {behind}\n  }}"
    ):
        assert f"two = all.getCatalog();\n    }}\n    {behind}\n  }}\n" in text


def test_a_file_is_deleted_behind_the_close_of_what_reads_it() -> None:
    [text] = safe(
        "  void take(String path) {\n    try {\n      BufferedReader in = new BufferedReader(new FileReader(path));\n      String line = in.readLine();\n      in.close();\n"
        "      if (line != null) {\n        safeDeleteFile(path);\n        System.out.println(line);\n      }\n    } catch (IOException e) {\n      e.printStackTrace();\n    }\n  }\n"
        "  static void safeDeleteFile(String path) { new File(path).delete(); }"
    )
    assert "      String line;\n      try (BufferedReader in = new BufferedReader(new FileReader(path))) {\n        line = in.readLine();\n      }\n      if (line" in text


def test_what_is_only_told_behind_a_close_comes_along() -> None:
    [text] = safe(
        "  void tell(String path) {\n    try {\n      BufferedReader in = new BufferedReader(new FileReader(path));\n      String line = in.readLine();\n      in.close();\n"
        "      System.out.println(line);\n    } catch (IOException e) {\n      e.printStackTrace();\n    }\n  }"
    )
    assert "    try (BufferedReader in = new BufferedReader(new FileReader(path))) {\n      String line = in.readLine();\n      System.out.println(line);\n    } catch" in text


def test_numbers_that_a_list_holds_need_nothing_of_where_they_come_from() -> None:
    [text] = safe(
        "  interface Sink { void tell(int each); }\n  void count(String path, Sink sink) throws IOException {\n    List<Integer> found = new ArrayList<>();\n"
        "    InputStream in = new FileInputStream(path);\n    while (in.available() > 0) {\n      found.add(in.read());\n    }\n    in.close();\n\n"
        "    for (int each : found) {\n      sink.tell(each);\n    }\n    sink.tell(found.size());\n    sink.tell(0);\n  }"
    )
    assert "        found.add(in.read());\n      }\n    }\n\n    for (int each" in text


def test_a_way_out_for_null_stays_before_the_block() -> None:
    [text] = safe(
        "  interface Source { InputStream open() throws IOException; }\n  int first(Source from) throws IOException {\n    InputStream in = null;\n    try {\n"
        "      in = new FileInputStream(\"a\");\n    } catch (SecurityException e) {\n      System.out.println(e);\n    }\n\n    if (in == null)\n      return -1;\n\n"
        "    int found = in.read();\n    in.close();\n    System.out.println(found);\n    return found;\n  }"
    )
    assert "    if (in == null)\n      return -1;\n\n    int found;\n    try {\n      found = in.read();\n    } finally {\n      in.close();\n    }\n" in text


_PROXY = (
    "  static class Proxy {{ java.sql.ResultSet inner; static Proxy of(java.sql.ResultSet rows) {{ throw new IllegalStateException(\"written by the build\"); }} }}\n"
    "  Proxy shown;\n  Proxy rows(java.sql.Statement all) throws java.sql.SQLException {{\n    java.sql.ResultSet rows = all.getGeneratedKeys();\n    if ({test}) {{\n"
    "      shown = Proxy.of(rows);\n    }}\n    return shown;\n  }}"
)


@pytest.mark.parametrize("test, said", [
    ("shown == null", "what `of` does with it is written by a tool"), ("shown == null || shown.inner != rows", "it is compared with what is held elsewhere"),
])
def test_what_a_proxy_that_a_tool_writes_may_keep_stays_open(test: str, said: str) -> None:
    member = _PROXY.format(test=test)
    assert not safe(member)
    assert all(each == said for each in reasons(member))


def test_the_loader_of_an_object_that_another_method_makes_stays_open() -> None:
    member = (
        "  Object make(URL from, String name) throws Exception {\n    final URLClassLoader loader = new URLClassLoader(new URL[] {from});\n"
        "    String full = \"a.\" + name;\n    return load(loader, full);\n  }\n  private static Object load(ClassLoader from, String name) throws Exception {\n"
        "    Class<?> kind = from.loadClass(name);\n    return kind.getDeclaredConstructor().newInstance();\n  }"
    )
    assert not safe(member) and reasons(member) == ["the classes that it loads may need it"]


@pytest.mark.parametrize("loader", ["new URLClassLoader(all)", "from"])
def test_the_loader_of_services_that_another_method_finds_stays_open(loader: str) -> None:
    made = "    URLClassLoader from = new URLClassLoader(all);\n" if loader == "from" else ""
    assert not safe(
        f"  List<Runnable> all(URL[] all) {{\n{made}    return found({loader});\n  }}\n"
        "  private static List<Runnable> found(ClassLoader from) {\n    List<Runnable> found = new ArrayList<>();\n"
        "    for (Runnable each : ServiceLoader.load(Runnable.class, from)) {\n      found.add(each);\n    }\n    return found;\n  }"
    )
