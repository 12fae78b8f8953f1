"""What a senior reviewer would have asked to change in safe patches: a second `try` inside of one, a header far from what it opens."""

from __future__ import annotations

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


def test_a_comment_stays_where_another_stands_above_already() -> None:
    for body in (COMMENTED.replace("    try {", "    // Or none.\n    try {"), COMMENTED.replace("      // All", "      // Whose?\n\n      // All")):
        [text] = safe(body)
        assert "      // All of it.\n      try (InputStream in = new FileInputStream(name)) {\n        // The first byte.\n" in text


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
