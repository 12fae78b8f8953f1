"""What a senior reviewer would have asked to change in safe patches: a second `try` inside of one, a header far from what it opens."""

from __future__ import annotations

from tests.unit.fixers.members import safe

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
