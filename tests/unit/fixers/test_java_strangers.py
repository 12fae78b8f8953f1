"""Whom nobody knows may keep what a resource was asked for, or what it is given: then no patch is safe."""

from __future__ import annotations

import pytest

from tests.unit.fixers.members import reasons, safe

ARCHIVE = "    java.util.zip.ZipFile zip = new java.util.zip.ZipFile(f);\n"
ENTRY = 'zip.getInputStream(zip.getEntry("x"))'


@pytest.mark.parametrize(
    "returned",
    [
        f"return new org.some.Part({ENTRY});",
        f"org.some.Part part = new org.some.Part({ENTRY}, 1);\n    return part;",
        f"List<Object> parts = new ArrayList<>();\n    parts.add(new org.some.Part({ENTRY}));\n    return new org.some.Message(parts);",
    ],
    ids=["returned", "by a variable", "in a list"],
)
def test_an_object_that_reads_from_a_part_of_it_is_returned(returned: str) -> None:
    body = f"  Object read(File f) throws IOException {{\n{ARCHIVE}    {returned}\n  }}"
    assert safe(body) == []
    assert any("used after its release" in each for each in reasons(body))


def test_somebody_unknown_is_given_a_part_of_it() -> None:
    assert safe(f"  void read(File f, org.some.Registry all) throws IOException {{\n{ARCHIVE}    all.note({ENTRY});\n  }}") == []


def test_what_may_be_kept_by_its_name_is_not_closed() -> None:
    body = (
        "  void run(javax.management.remote.JMXConnectorServer server, String host) throws IOException {\n"
        "    Socket socket = new Socket(host, 1);\n    server.setFallback(socket);\n  }"
    )
    assert safe(body) == []


def test_a_method_that_only_a_class_below_a_library_type_declares_has_its_own_bodies() -> None:
    body = """
  static abstract class Daemon implements AutoCloseable {
    private final List<AutoCloseable> open = new ArrayList<>();
    abstract void serve(ServerSocket socket);
    void keep(AutoCloseable each) { open.add(each); }
    public void close() throws Exception { for (AutoCloseable each : open) each.close(); }
  }
  static class Listener implements AutoCloseable {
    private final ServerSocket socket;
    Listener(ServerSocket socket) { this.socket = socket; }
    public void close() throws IOException { socket.close(); }
  }
  static class Single extends Daemon {
    void serve(ServerSocket socket) { keep(new Listener(socket)); }
  }
  static class Pair extends Daemon {
    void serve(ServerSocket socket) { keep(new Listener(socket)); }
  }
  static void begin(Daemon daemon, int port) throws IOException {
    ServerSocket socket = new ServerSocket(port);
    daemon.serve(socket);
  }"""
    assert safe(body) == []


def test_what_the_code_closes_in_the_end_nobody_keeps() -> None:
    body = """
  void unpack(File f, org.some.Sink sink) throws IOException {
    InputStream in = null;
    try {
      in = new java.util.zip.GZIPInputStream(new FileInputStream(f));
      sink.fill(in);
    } finally {
      if (in != null) {
        in.close();
      }
    }
  }"""
    assert len(safe(body)) == 1
    assert safe(body.replace("InputStream in = null;", "InputStream in = null;\n    Object part = null;").replace("sink.fill(in);", "part = sink.fill(in);").rpartition("  }")[0] + "    sink.read(part);\n  }") == []


def test_a_path_ends_with_its_file_system() -> None:
    body = """  private java.nio.file.Path root;
  void open(URI at) throws IOException {
    java.nio.file.FileSystem files = java.nio.file.FileSystems.newFileSystem(at, Map.of());
    root = files.getPath("/").resolve("a");
  }"""
    assert safe(body) == []
    assert len(safe(body.replace("root = ", "byte[] all = java.nio.file.Files.readAllBytes(").replace('("a");', '("a"));'))) == 1


def test_a_parameter_that_is_closed_beside_another_is_left_as_it_is() -> None:
    body = """  static void copy(InputStream in, OutputStream out) throws IOException {
    byte[] buffer = new byte[40];
    int n;
    while ((n = in.read(buffer)) >= 0) {
      out.write(buffer, 0, n);
    }
    in.close();
    out.close();
  }"""
    assert safe(body) == []
    assert safe(body.replace("    out.close();\n", "    out.flush();\n"))


def test_a_comment_in_a_finally_says_that_no_close_is_needed() -> None:
    body = """  int rows(java.sql.Connection db) {
    java.sql.Statement statement = null;
    try {
      statement = db.createStatement();
      return statement.executeUpdate("delete from a");
    } catch (java.sql.SQLException e) {
      return -1;
    } finally {
      // do not need to close the statement here
    }
  }"""
    assert safe(body) == []
    assert safe(body.replace("do not need to close the statement", "nothing"))


def test_a_parameter_that_its_wrapper_closes_is_left_as_it_is() -> None:
    body = """  void all(InputStream in) throws IOException {
    java.util.zip.ZipInputStream zip = new java.util.zip.ZipInputStream(in);
    while (zip.getNextEntry() != null) {
      System.out.println(zip.read());
    }
    zip.close();
  }"""
    assert all("try (in)" not in each and "finally" not in each for each in safe(body))


def test_what_is_closed_only_on_a_condition_of_its_own_may_be_the_same_the_next_time() -> None:
    body = """  private final org.elsewhere.Source part;
  private long position;
  Case(org.elsewhere.Source part) { this.part = part; }
  long move(byte[] target) throws IOException {
    InputStream in = part.getInputStream();
    int n = in.read(target);
    position += n;
    if (position == part.length() || n < 0) {
      in.close();
    }
    return n;
  }"""
    assert safe(body) == []


def test_a_stream_that_is_opened_for_its_hash_alone_is_left_as_it_is() -> None:
    body = """  InputStream open() throws IOException { return new FileInputStream("a"); }
  public int hashCode() {
    int result = 1;
    InputStream in = null;
    try {
      in = open();
    } catch (IOException e) {
      e.printStackTrace();
    }
    result = 31 * result + ((in == null) ? 0 : in.hashCode());
    return result;
  }"""
    assert safe(body) == []


def test_what_is_declared_to_be_returned_through_two_headers_holds_nothing() -> None:
    body = """
  boolean compare(File first, File second) throws IOException {
    try (InputStream left = new FileInputStream(first)) {
      InputStream right = new FileInputStream(second);
      return org.apache.commons.io.IOUtils.contentEquals(left, right);
    }
  }"""
    assert len(safe(body)) == 1


def test_what_its_call_closes_by_its_name_is_not_closed_again() -> None:
    body = """  static InputStream source(String name) throws IOException { return new FileInputStream(name); }
  static OutputStream target(String name) throws IOException { return new FileOutputStream(name); }
  static void copyAndClose(InputStream in, OutputStream out) throws IOException {
    try (InputStream from = in; OutputStream to = out) {
      from.transferTo(to);
    }
  }
  void copy(String a, String b) throws IOException {
    copyAndClose(source(a), target(b));
  }"""
    assert safe(body) == []
    assert any("closes it already" in each for each in reasons(body))
