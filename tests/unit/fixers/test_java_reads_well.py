"""What is left around a patch reads as if nothing had been there: blank lines, tests, long lines, empty branches."""

from __future__ import annotations

import pytest

from fixers import Fix
from fixers.edits import apply
from tests.unit.fixers.members import reasons, safe
from tests.unit.fixers.patching import answers

LONG_TAIL = '    Map<String, String> all = new HashMap<>();\n    all.put("a", text);\n    all.put("b", text);\n    all.put("c", text);\n'


def test_the_blank_line_behind_a_block_stays() -> None:
    body = f"""  void read(String name) throws IOException {{
    InputStream in = getClass().getResourceAsStream(name);
    String text = new String(in.readAllBytes());
    in.close();

{LONG_TAIL}    System.out.println(all);
    all.clear();
    System.out.println(all);
  }}"""
    [patched] = safe(body)
    assert "      text = new String(in.readAllBytes());\n    }\n\n    Map<String, String> all" in patched


def test_a_channel_over_a_stream_stands_in_the_header() -> None:
    body = """  void fetch(URL from, File to) throws IOException {
    java.nio.channels.ReadableByteChannel source = java.nio.channels.Channels.newChannel(from.openStream());
    FileOutputStream out = new FileOutputStream(to);
    out.getChannel().transferFrom(source, 0, Long.MAX_VALUE);
    out.close();
    source.close();
  }"""
    assert all("try (java.nio.channels.ReadableByteChannel source =" in each and ".close()" not in each for each in safe(body))
    assert safe(body)


def test_what_is_asked_in_any_case_is_not_tested_for_null() -> None:
    body = """  java.nio.channels.ServerSocketChannel open(boolean fast, SocketAddress address) throws IOException {
    final java.nio.channels.ServerSocketChannel found;
    found = fast ? java.nio.channels.ServerSocketChannel.open(null) : java.nio.channels.ServerSocketChannel.open();
    found.bind(address);
    return found;
  }"""
    patched = safe(body)[0]
    assert "catch (Throwable" in patched and "!= null" not in patched


def test_what_may_be_lost_as_null_is_tested() -> None:
    body = """  Socket open(boolean fast) throws IOException {
    Socket socket = make(fast);
    greet(socket);
    socket.setTcpNoDelay(fast);
    return socket;
  }
  void greet(Socket socket) throws IOException {
    if (socket == null) throw new IOException();
    socket.setKeepAlive(true);
  }
  Socket make(boolean fast) throws IOException {
    return fast ? new Socket("a", 1) : null;
  }"""
    assert all("if (socket != null) {" in each for each in safe(body))


def test_a_test_goes_with_the_only_thing_that_it_decided() -> None:
    body = """  private List<String> names = new ArrayList<>();
  private List<String> found = new LinkedList<>();
  void add(String name, String other) {
    names.add(name);
    if (other != null) {
      found.add(other);
    }
    System.out.println(names.size());
  }"""
    assert [each for each in safe(body) if "found" not in each and "other != null" not in each]


def test_a_branch_that_would_do_nothing_is_no_patch() -> None:
    body = """  private List<String> found = new LinkedList<>();
  void add(String other) {
    System.out.println(other);
    if (other.isEmpty()) {
      System.out.println(other);
    } else {
      found.add(other);
    }
  }"""
    assert safe(body) == []
    assert "a branch would be left that does nothing" in reasons(body)


def test_a_resource_that_is_too_long_has_its_value_on_a_line_of_its_own() -> None:
    body = """  void write(Object value, String suffix, File folder) throws IOException {
    ObjectOutputStream out = new ObjectOutputStream(
        new FileOutputStream(new File(folder, suffix + value.getClass())));
    try {
      out.writeObject(value);
    } finally {
      out.close();
    }
  }"""
    [patched] = safe(body)
    assert all(len(line) <= 100 for line in patched.splitlines())
    assert "new FileOutputStream(new File(folder, suffix + value.getClass()));" in patched


def test_the_first_import_of_another_root_is_parted() -> None:
    data = (
        b"package p;\n\nimport org.apache.commons.io.IOUtils;\nimport org.some.Two;\n\nclass Case {\n  byte[] read() throws java.io.IOException {\n"
        b'    return IOUtils.toByteArray(getClass().getResourceAsStream("x"));\n  }\n}\n'
    )
    [found] = [each for each in answers("Case.java", data) if isinstance(each, Fix)]
    assert b"package p;\n\nimport java.io.InputStream;\n\nimport org.apache.commons.io.IOUtils;\n" in apply(data, found.edits)


@pytest.mark.parametrize(
    ("result", "value"),
    [
        ("String", 'org.apache.commons.io.IOUtils.toString(new FileInputStream(f), "UTF-8")'),
        ("List<String>", "org.apache.commons.io.IOUtils.readLines(new FileInputStream(f))"),
        ("int", "org.apache.commons.io.IOUtils.copy(new FileInputStream(f), System.out)"),
        ("Object", "new com.google.gson.Gson().fromJson(new FileReader(f), Case.class)"),
    ],
)
def test_what_was_read_is_returned_from_the_block(result: str, value: str) -> None:
    body = f"  {result} read(File f) throws IOException {{\n    return {value};\n  }}"
    if "Gson" in value:
        body = body.replace("return new com", "com.google.gson.Gson gson = new com").replace("().from", "();\n    return gson.from")
    [patched] = safe(body)
    assert "try (File" in patched and "      return " in patched


def test_a_parser_may_close_what_it_reads_but_does_not_keep_it() -> None:
    body = "  Object read(javax.xml.parsers.DocumentBuilder builder, File f) throws Exception {\n    return builder.parse(new FileInputStream(f));\n  }"
    assert len(safe(body)) == 1


def test_a_test_declares_no_more_than_closing_throws() -> None:
    client = "org.apache.http.impl.client.CloseableHttpClient"
    body = f"""  @org.junit.Test
  void ask() throws IOException {{
    {client} client = org.apache.http.impl.client.HttpClients.createDefault();
    System.out.println(client);
  }}
  @org.junit.Test
  void count() {{
    redis.clients.jedis.Jedis jedis = new redis.clients.jedis.Jedis("a", 1);
    jedis.incr("x");
  }}"""
    assert len(safe(body)) == 2
    assert all("void ask() throws IOException {" in each and "void count() {" in each for each in safe(body))


def test_a_variable_of_another_block_is_not_this_one() -> None:
    block = """      FileOutputStream out = null;
      try {
        out = new FileOutputStream(name);
        out.write(1);
      } catch (IOException e) {
        System.out.println(e);
      }
"""
    body = f"  void write(String name, boolean twice) {{\n    if (twice) {{\n{block}    }} else {{\n{block}    }}\n  }}"
    patched = safe(body)
    assert patched
    assert all(each.count("try (FileOutputStream out = new FileOutputStream(name)) {") == 2 and "finally" not in each for each in patched)


def test_what_is_left_open_on_purpose_stays_so() -> None:
    body = """  void check(String name) throws IOException {
    // this intentionally leaks the stream, to see what becomes of it
    InputStream in = new FileInputStream(name);
    in.read();
  }"""
    assert safe(body) == []


def test_a_wrapper_behind_an_assigned_resource_comes_along() -> None:
    body = """  void keep(File folder, Object value) {
    FileOutputStream out;
    try {
      File file = new File(folder, "a");
      out = new FileOutputStream(file);
      ObjectOutputStream objects = new ObjectOutputStream(out);
      objects.writeObject(value);
      objects.close();
    } catch (IOException e) {
      System.out.println(e);
    }
  }"""
    [patched] = safe(body)
    assert "ObjectOutputStream objects = new ObjectOutputStream(out)) {\n        objects.writeObject(value);\n      }" in patched


def test_a_helper_that_is_given_null_for_the_others_goes_with_the_close() -> None:
    body = """  static void done(InputStream in, OutputStream out) {
    try {
      if (in != null) in.close();
      if (out != null) out.close();
    } catch (IOException e) {
      e.printStackTrace();
    }
  }
  int read(String name) throws IOException {
    InputStream in = new FileInputStream(name);
    int first = in.read();
    done(in, null);
    return first;
  }"""
    assert safe(body)
    assert all("done(in, null)" not in each for each in safe(body))


def test_a_block_begins_behind_the_choice_that_makes_what_it_ends() -> None:
    body = """  void run(List<Callable<String>> tasks) {
    ExecutorService pool;
    if (tasks.size() < 10) {
      pool = Executors.newFixedThreadPool(tasks.size());
    } else {
      pool = Executors.newFixedThreadPool(10);
    }
    List<Future<String>> results = new ArrayList<>();
    try {
      results = pool.invokeAll(tasks);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    for (Future<String> each : results) {
      if (!each.isDone()) throw new IllegalStateException();
    }
    pool.shutdownNow();
  }"""
    assert safe(body)
    assert all("ExecutorService pool;\n" in each and "pool != null" not in each for each in safe(body))


@pytest.mark.parametrize("made", ["StringBuilder text = new StringBuilder();", "List<String> text = Tools.newArrayList();"])
def test_a_buffer_comes_before_the_block_where_much_follows(made: str) -> None:
    add = "append" if "Builder" in made else "add"
    body = f"""  static class Tools {{ static <T> List<T> newArrayList() {{ return new ArrayList<>(); }} }}
  void read(String name) throws IOException {{
    BufferedReader in = new BufferedReader(new FileReader(name));
    {made}
    String line;
    while ((line = in.readLine()) != null) {{
      text.{add}(line);
    }}
    if (text.toString().isEmpty()) {{
      System.out.println(name);
    }}
  }}"""
    [patched] = safe(body)
    assert f"    {made}\n    try (BufferedReader in" in patched
    assert "    }\n    if (text.toString().isEmpty()) {" in patched


def test_what_is_open_is_not_declared_apart() -> None:
    body = """  void move(java.sql.Connection db) throws java.sql.SQLException {
    java.sql.PreparedStatement all = db.prepareStatement("select a from b");
    java.sql.PreparedStatement put = db.prepareStatement("update b set a = ?");
    java.sql.ResultSet rows = all.executeQuery();
    while (rows.next()) {
      put.setString(1, rows.getString(1));
      put.executeUpdate();
    }
    all = db.prepareStatement("select c from d");
    put = db.prepareStatement("update d set c = ?");
    rows = all.executeQuery();
    while (rows.next()) {
      put.setString(1, rows.getString(1));
      put.executeUpdate();
    }
  }"""
    assert all("ResultSet rows;" not in each for each in safe(body))


def test_what_is_open_to_the_end_anyhow_comes_into_one_header() -> None:
    source = """import java.io.*;

class Case {
    static void copy(String[] names) throws IOException {
        FileInputStream pages = new FileInputStream(names[0]);
        FileInputStream lines = new FileInputStream(names[1]);
        PrintWriter out = new PrintWriter(new FileWriter(names[2]));
        PrintWriter notes = new PrintWriter(new FileWriter(names[3]));
        int last = lines.read();
        while (last-- > 0) {
            out.println(pages.read());
        }
        pages.close();
        lines.close();
        out.close();
        notes.println(last);
        notes.println("written:");
        notes.println(names[2]);
        notes.close();
    }
}
"""
    [after] = {apply(source.encode(), each.edits).decode() for each in answers("Case.java", source.encode()) if isinstance(each, Fix)}
    assert after.count("try (") == 1 and "                PrintWriter notes = new PrintWriter(new FileWriter(names[3]))) {\n" in after


POOL = """\
  private final java.sql.Connection[] pool = new java.sql.Connection[4];
  private void begin(java.sql.Connection c) throws java.sql.SQLException {
    if (c.isReadOnly()) throw new java.sql.SQLException("no");
  }
  java.sql.Connection get(String url) throws java.sql.SQLException {
    java.sql.Connection c = null;
    while (c == null) {
      c = pool[0];
      if (c == null) {
        c = java.sql.DriverManager.getConnection(url);
        begin(c);
      }
    }
    return c;
  }"""


def test_what_a_library_always_gives_is_not_asked_for_null_in_a_handler() -> None:
    [text] = safe(POOL)
    assert "throw e;" in text and "c != null" not in text
    for other in ("        c = null;\n        begin(c);", "        begin(c = null);"):
        assert all("c != null" in each for each in safe(POOL.replace("        begin(c);", other)))


def test_no_block_is_put_around_a_finally_that_closes_the_same() -> None:
    body = (
        "  static void quietly(Closeable it) { if (it != null) try { it.close(); } catch (IOException e) { } }\n"
        "  void read(File from, byte[] into) throws IOException {\n    FileInputStream bytes = new FileInputStream(from);\n    if (bytes.skip(8) < 8) {\n"
        "      bytes.close();\n      return;\n    }\n    BufferedInputStream in = null;\n    try {\n      in = new BufferedInputStream(bytes);\n"
        "      in.read(into);\n    } finally {\n      quietly(in);\n    }\n  }"
    )
    assert safe(body) == []
    [text] = safe(body.replace("quietly(in);", "System.out.println(in);"))
    assert "try (FileInputStream bytes" in text


def test_no_handler_is_left_that_only_throws_again() -> None:
    body = (
        "  String load(String from) throws Exception {\n    String line;\n    BufferedReader in = new BufferedReader(new FileReader(from));\n    String all = \"\";\n"
        "    try {\n      line = in.readLine();\n      if (line == null)\n        throw new Exception(\"none\");\n      all += line;\n      in.close();\n    } catch (Exception e) {\n"
        "      in.close();\n      throw e;\n    }\n    return all;\n  }"
    )
    for text in safe(body):
        assert "{\n      throw e;\n" not in text
    kept = body.replace("      throw e;\n", "      System.err.println(e);\n      throw e;\n")
    assert all("throw e;" in each for each in safe(kept))
