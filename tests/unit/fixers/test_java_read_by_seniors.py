"""What a senior reviewer would have asked to change in safe patches: a second `try` inside of one, a header far from what it opens."""

from __future__ import annotations

import pytest

from tests.unit.fixers import members
from tests.unit.fixers.members import reasons, safe

COMMENTED = """  void fill(String name) {
    try {
      // All of it.
      InputStream in = new FileInputStream(name);

      // The first byte.
      in.read();
    } catch (IOException e) {
      System.err.println(e);
    }
  }"""


def test_a_comment_on_what_comes_into_a_header_stands_above_it() -> None:
    [text] = safe(COMMENTED)
    assert "    // All of it.\n    try (InputStream in = new FileInputStream(name)) {\n      // The first byte.\n      in.read();\n    } catch" in text


def test_a_comment_comes_below_another_that_stands_above_already() -> None:
    [text] = safe(COMMENTED.replace("    try {", "    // Or none.\n    try {"))
    assert "    // Or none.\n    // All of it.\n    try (InputStream in = new FileInputStream(name)) {\n      // The first byte.\n" in text


def test_a_block_that_holds_nothing_but_another_is_less_than_safe() -> None:
    assert safe(COMMENTED.replace("      // All", "      // Whose?\n\n      // All")) == []


def test_the_last_of_several_blocks_gets_no_header() -> None:
    body = """  void drop(java.sql.Connection to) throws java.sql.SQLException {
    java.sql.Statement all = to.createStatement();
    try {
      all.execute("drop table one");
    } catch (java.sql.SQLException e) {
      System.err.println(e);
    }
    try {
      all.execute("drop table two");
    } catch (java.sql.SQLException e) {
      System.err.println(e);
    }
  }"""
    [text] = safe(body)
    assert "try (all)" not in text and "    try (java.sql.Statement all = to.createStatement()) {\n      try {\n        all.execute" in text
    first = body.index("    try {\n")
    [text] = safe(body[:first] + body[body.index("    try {\n", first + 1) :])
    assert "all.execute" in text


def test_counters_and_collections_of_some_size_come_before_a_block_whole() -> None:
    body = """  int count() throws InterruptedException {
    java.util.concurrent.ExecutorService pool = java.util.concurrent.Executors.newFixedThreadPool(4);
    java.util.concurrent.CountDownLatch done = new java.util.concurrent.CountDownLatch(4);
    AtomicInteger sum = new AtomicInteger(0);
    for (int i = 0; i < 4; i++) {
      pool.submit(() -> {
        sum.incrementAndGet();
        done.countDown();
      });
    }
    done.await();
    if (sum.get() > 4) {
      return 0;
    }
    pool.shutdown();

    System.out.println("one");
    System.out.println("two");
    System.out.println("three");
    return sum.get();
  }"""
    [text] = safe(body)
    assert "    AtomicInteger sum = new AtomicInteger(0);\n    try {\n" in text and "AtomicInteger sum;" not in text
    [text] = safe(body.replace("(0)", "(next())").replace("  int count", "  native int next();\n  int count"))
    assert "AtomicInteger sum;" not in text and "      return sum.get();\n    } finally {" in text


def test_a_comment_right_above_goes_with_its_declaration() -> None:
    [text] = safe(COMMENTED.replace("(name);\n\n      // The first byte.\n", "(name);\n"))
    assert "    // All of it.\n    try (InputStream in = new FileInputStream(name)) {\n      in.read();\n" in text


def test_a_handler_of_everything_meets_what_closing_throws() -> None:
    [text] = safe("""  @org.junit.Test
  public void copied() {
    InputStream in = getClass().getResourceAsStream("one");
    byte[] first = new byte[16];
    File to = null;
    try {
      to = new File("two");
      in.read(first);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    System.out.println(to);
  }""")
    assert "try (in) {" in text and "throws" not in text


LINK = """  static class Link implements Closeable {
    private java.net.Socket socket;
    private final List<String> told;
    Link(List<String> told) { this.told = told; }
    void connect(String host) throws IOException { socket = new java.net.Socket(host, 80); told.add("opened"); }
    int ask() throws IOException { return socket.getInputStream().read(); }
    @Override public void close() throws IOException { told.add("closed"); if (socket != null) socket.close(); }
  }
"""


def test_what_an_object_opens_is_not_closed_where_the_code_uses_it_again_behind_its_close() -> None:
    body = LINK + """  void told(List<String> told) throws IOException {
    Link link = new Link(told);
    link.connect("one");
    link.ask();
    link.close();
    link.connect("two");
    link.ask();
  }"""
    assert safe(body) == [] and set(reasons(body)) == {"`link` is used behind its close"}


ROWS = """  private final java.sql.Connection connection = null;
  private final List<java.lang.ref.WeakReference<java.sql.Statement>> open = new ArrayList<>();
  java.sql.Statement make() throws java.sql.SQLException {
    java.sql.Statement made = connection.createStatement();
    open.add(new java.lang.ref.WeakReference<>(made));
    return made;
  }
  String name(String query) throws java.sql.SQLException {
    java.sql.Statement asked = make();
    java.sql.ResultSet rows = asked.executeQuery(query);
    rows.next();
    String name = rows.getString(1);
    rows.close();
    asked.close();
    return name;
  }"""


def test_what_is_closed_in_one_go_comes_into_one_header() -> None:
    [text] = safe(ROWS)
    assert "    try (java.sql.Statement asked = make(); java.sql.ResultSet rows = asked.executeQuery(query)) {\n" in text and ".close()" not in text
    for kept in (ROWS.replace("    rows.next();", "    last = asked;\n    rows.next();"), ROWS.replace("    rows.close();", "    rows.close();\n    name += asked;")):
        assert all("try (java.sql.Statement" not in each for each in safe("  private java.sql.Statement last;\n" + kept))


COPY = """  static InputStream kept;
  void copy(java.util.zip.ZipFile from, java.util.zip.ZipEntry entry, File to) throws IOException {
    OutputStream out = new BufferedOutputStream(new FileOutputStream(to));
    InputStream in = new BufferedInputStream(from.getInputStream(entry));
    int first = in.read();
    out.write(first);
    in.close();
    out.close();
  }"""


def test_what_somebody_else_opened_comes_into_a_header_where_the_code_closes_it_on_all_its_ways() -> None:
    [text] = safe(COPY)
    assert "        InputStream in = new BufferedInputStream(from.getInputStream(entry))) {\n" in text and "close()" not in text
    for left in ("if (first < 0) { kept = in; return; }", "if (first < 0) throw new IllegalStateException(in.toString());", "kept = in;"):
        assert not any("FileOutputStream(to));\n        InputStream" in each for each in safe(COPY.replace("    out.write", f"    {left}\n    out.write")))


def test_a_block_steps_in_as_the_one_around_where_lines_nearby_differ() -> None:
    other = "".join(f"    int m{n}(int n) {{\n        if (n > 0) {{\n            return n;\n        }}\n        return 0;\n    }}\n\n" for n in range(3))
    own = "".join(f"   int n{n}(int n)\n   {{\n      if (n > 0) {{\n         return n;\n      }}\n      return 0;\n   }}\n\n" for n in range(2))
    [text] = safe(f"{other}{own}   int first(String name) throws IOException\n   {{\n      InputStream in = new FileInputStream(name);\n\n      return in.read();\n   }}\n\n{other}")
    assert "      try (InputStream in = new FileInputStream(name)) {\n         return in.read();\n      }\n   }\n" in text


def test_what_only_declares_stays_in_the_block_whose_header_takes_the_resource() -> None:
    [text] = safe("""  List<String> all(String name) {
    FileReader reader = null;
    try {
      List<String> found = new ArrayList<String>();
      reader = new FileReader(name);

      found.add("" + reader.read());
      reader.close();
      return found;
    } catch (Exception e) {
      System.err.println(e);
      return null;
    }
  }""")
    assert "    try (FileReader reader = new FileReader(name)) {\n      List<String> found = new ArrayList<String>();\n" in text
    assert '      found.add("" + reader.read());\n      return found;\n' in text


def test_what_is_found_by_a_written_name_is_opened_in_the_header() -> None:
    [text] = safe("""  void load(ClassLoader loader, Properties all) throws IOException {
    InputStream in = loader.getResourceAsStream("all.properties");
    try {
      all.load(in);
    } catch (IllegalArgumentException e) {
      System.err.println(e);
    }
  }""")
    assert '    try (InputStream in = loader.getResourceAsStream("all.properties")) {\n      all.load(in);\n    } catch' in text


def test_a_close_by_a_getter_beside_a_header_is_less_than_safe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(members, "HEAD", "import java.io.*;\nimport javax.xml.transform.stream.StreamResult;\nclass Case {\n")
    body = """  void write(String name, javax.xml.transform.Transformer to, javax.xml.transform.Source from) {
    try {
      StreamResult result = new StreamResult(new FileOutputStream(name));
      to.transform(from, result);
%s    } catch (Exception e) {
      System.err.println(e);
    }
  }"""
    [text] = safe(body % "")
    assert "try (FileOutputStream out = " in text and safe(body % "      result.getOutputStream().close();\n") == []


def test_a_statement_that_is_closed_right_before_its_connection_is_not_left_in_the_block() -> None:
    body = """  void fill(javax.sql.DataSource from, List<String> to) throws java.sql.SQLException {
    java.sql.Connection connection = from.getConnection();
    java.sql.PreparedStatement all = connection.prepareStatement("select 1");
    java.sql.ResultSet rows = all.executeQuery();
    int count = 0;
    while (rows.next()) {
      count++;
      to.add(rows.getString(1));
    }
    all.close();
    connection.close();
    from.setLoginTimeout(count);
    to.add("");
  }"""
    for text in safe(body):
        assert "try (java.sql.Connection" not in text or "all.close();" not in text


def test_a_constant_of_a_class_is_a_start_value_that_stays_with_its_variable() -> None:
    [text] = safe("""  static final int NONE = -1;
  int first(String name) throws IOException {
    FileReader reader = new FileReader(name);
    int found = Case.NONE;
    if (reader.ready()) {
      found = reader.read();
    }
    reader.close();

    System.err.println(1);
    System.err.println(2);
    System.err.println(3);
    System.err.println(4);
    System.err.println(5);
    System.err.println(6);
    System.err.println(7);
    System.err.println(8);
    System.err.println(9);
    System.err.println(10);
    System.err.println(11);
    System.err.println(12);
    System.err.println(13);
    return found;
  }""")
    assert "    int found = Case.NONE;\n    try (FileReader reader = new FileReader(name)) {\n      if (reader.ready()) {\n" in text


def test_the_arguments_of_a_resource_stay_one_a_line() -> None:
    [text] = safe("""  int count(java.util.function.IntSupplier one) throws IOException {
    InputStreamReader readerOfAllThatIsThere = openTheFileWithAllOfTheseOptions(one.getAsInt(),
        null,
        null,
        null,
        null);
    int count = readerOfAllThatIsThere.read();
    readerOfAllThatIsThere.close();
    return count;
  }
  static InputStreamReader openTheFileWithAllOfTheseOptions(int one, Object two, Object three, Object four, Object five) throws IOException {
    return new InputStreamReader(new FileInputStream("" + one));
  }""")
    assert "getAsInt(),\n        null,\n" in text and "Reader readerOfAllThatIsThere =\n" not in text


def test_a_block_does_not_begin_before_the_one_that_opens_it() -> None:
    body = """  int first(String name) throws IOException {
    FileReader reader;
    String code;
    try {
      reader = new FileReader(name);
      code = reader.getEncoding();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    int first = reader.read();
    return code.length() + first;
  }"""
    assert not any("null" in each for each in safe(body))


def test_a_stream_beside_another_has_no_number() -> None:
    [text] = safe("""  int first(String name) throws IOException {
    try (InputStream stream = new FileInputStream(name)) {
      Iterator<String> all = java.nio.file.Files.lines(java.nio.file.Paths.get(name)).iterator();
      return all.next().length() + stream.read();
    }
  }""")
    assert "openedStream = java.nio.file.Files.lines(" in text and "openedStream.iterator()" in text


def test_a_comment_that_speaks_of_a_leak_on_purpose_is_heard() -> None:
    body = """  int first(String name) throws IOException {
    // This leaks intentionally: a test of what happens then.
    FileReader reader = new FileReader(name);
    return reader.read();
  }"""
    assert safe(body) == [] and any("comment" in each for each in reasons(body))


def test_no_blank_line_is_left_where_a_close_and_what_empties_a_variable_end_a_block() -> None:
    [text] = safe("""  void read(String name) {
    DataInputStream in = null;
    try {
      in = new DataInputStream(new FileInputStream(name));
      System.err.println(in.read());

      in.close();
      in = null;
    } catch (IOException e) {
      System.err.println(e);
    }
  }""")
    assert "      System.err.println(in.read());\n    } catch (" in text


def test_blanks_inside_of_the_parentheses_stay_where_a_header_grows() -> None:
    [text] = safe("""  void write( String name, String code ) throws IOException {
    if ( name == null ) {
      return;
    }
    if ( code == null ) {
      return;
    }
    while ( code.isEmpty() ) {
      return;
    }
    try ( Writer writer = new OutputStreamWriter( new FileOutputStream( name ), code ) ) {
      writer.write( code );
    }
  }""")
    assert "new OutputStreamWriter( out, code ) )" in text


def test_a_close_far_behind_the_last_use_is_less_than_safe() -> None:
    body = """  void fill(String name, List<String> to) throws IOException {
    Scanner all = read(name);
    int one = all.nextInt();
    int two = all.nextInt();
    int three = all.nextInt();
    int four = all.nextInt();
    int five = all.nextInt();
%s    to.add("" + one + two + three + four + five);
  }
  static Scanner read(String name) throws IOException {
    return new Scanner(new FileReader(name));
  }"""
    few, many = (safe(body % ("    to.add(name);\n" * count)) for count in (1, 110))
    assert few and not any("all.close();" in each for each in many)
