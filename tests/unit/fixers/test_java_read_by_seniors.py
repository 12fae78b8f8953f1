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
    pool.shutdown();

    System.out.println("one");
    System.out.println("two");
    System.out.println("three");
    return sum.get();
  }"""
    [text] = safe(body)
    assert "    AtomicInteger sum = new AtomicInteger(0);\n    try {\n" in text and "AtomicInteger sum;" not in text
    [text] = safe(body.replace("(0)", "(next())").replace("  int count", "  native int next();\n  int count"))
    assert "    AtomicInteger sum;\n    try {\n" in text


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
