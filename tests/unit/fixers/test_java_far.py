"""Forms that a reviewer asks to change: headers far to the right, long blocks behind what was collected, handlers around a test for null."""

from __future__ import annotations

from tests.unit.fixers.members import safe

FAR = """  void fill(String url, File file, Properties all) throws IOException {
    if (url.isEmpty() || url.matches(".*/of/a/folder/that/has/a/long/name/and/of/its/file[0-9]*[.]jar")) try {
      final FileInputStream in = new FileInputStream(file);
      all.load(in);
      System.out.println(all);
    } catch (IllegalArgumentException e) {
      System.err.println(e);
    }
  }"""


def test_no_header_stands_far_behind_what_a_line_may_hold() -> None:
    for text in safe(FAR):
        assert all(len(line) <= 128 for line in text.splitlines())


COLLECTED = """  void fill(File file, List<String> rows) throws IOException {
    try {
      System.out.println(file);
      java.util.stream.Stream<String> lines = java.nio.file.Files.lines(file.toPath()).map(s -> s.trim());
      List<String> all = lines.collect(java.util.stream.Collectors.toList());
      int skipped = 0;
      for (String line : all) {
""" + "".join(f"""        if (line.startsWith("{n}")) {{
          skipped++;
          continue;
        }}
""" for n in range(6)) + """        rows.add(line);
      }
      System.out.println(skipped);
    } catch (UncheckedIOException e) {
      System.err.println(e);
    }
  }"""


def test_what_was_collected_needs_nothing_of_its_stream() -> None:
    for text in safe(COLLECTED):
        assert "for (String line : all)" not in text.partition("try (")[2].partition("\n      }\n")[0]


WRAPPED = """  int count(File file) throws IOException {
    try (java.util.jar.JarInputStream jar = new java.util.jar.JarInputStream(new FileInputStream(
        file))) {
      return jar.read();
    }
  }"""


def test_what_comes_before_its_wrapper_stands_on_one_line() -> None:
    [text] = safe(WRAPPED)
    assert "= new FileInputStream(file);" in text


ACCEPTED = """  private java.nio.channels.SocketChannel current;

  void accept(java.nio.channels.SelectionKey key) throws IOException {
    java.nio.channels.ServerSocketChannel server = (java.nio.channels.ServerSocketChannel) key.channel();
    java.nio.channels.SocketChannel channel = server.accept();
    if (channel != null) {
      channel.configureBlocking(false);
      channel.register(key.selector(), java.nio.channels.SelectionKey.OP_READ);
      current = channel;
    }
  }"""


def test_a_handler_stands_in_the_test_that_there_is_something() -> None:
    [text] = safe(ACCEPTED)
    assert "    if (channel != null) {\n      try {\n        channel.configureBlocking(false);\n" in text
    assert text.count("!= null") == 1
