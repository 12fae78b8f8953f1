"""What reviewers stumbled over in safe patches: where a block begins, what a header holds, who is told that closing failed."""

from __future__ import annotations

import pytest

from fixers import Applicability, Fix
from fixers.edits import apply
from tests.unit.fixers.members import offered, reasons, safe
from tests.unit.fixers.patching import answers


def texts(data: str) -> list[str]:
    """The texts of a file after each of its fixes."""
    return [apply(data.encode(), each.edits).decode() for each in answers("Case.java", data.encode()) if isinstance(each, Fix)]


def test_an_argument_of_several_lines_stands_in_parentheses_without_blanks() -> None:
    [text] = safe(
        "  void run(String path) throws IOException {\n    System.out.println(\n        new FileInputStream(path)\n            .read()\n    );\n  }"
    )
    assert "    try (FileInputStream in = new FileInputStream(path)) {\n      System.out.println(in.read());\n    }\n" in text


def test_lines_of_an_acquisition_that_stay_apart_are_not_moved_in_twice() -> None:
    long = "x" * 90
    [text] = safe(
        f"  void run(String path) throws IOException {{\n    System.out.println(new FileInputStream(\n        path + \"{long}\" + \"{long}\").read());\n  }}"
    )
    assert f"    try (FileInputStream in = new FileInputStream(\n        path + \"{long}\" + \"{long}\")) {{\n" in text


def test_blanks_behind_a_declaration_do_not_come_behind_the_header() -> None:
    [text] = safe("  int run(String path) throws IOException {\n    InputStream in = new FileInputStream(path); \n    return in.read();\n  }")
    assert "(path)) {\n" in text


def test_a_block_comment_moves_in_with_what_it_speaks_of() -> None:
    [text] = safe(
        "  private final java.nio.channels.ServerSocketChannel socket;\n  Case(int port) throws IOException {\n    socket = java.nio.channels.ServerSocketChannel.open();\n    /* The address\n"
        "       may be in use. */\n    socket.bind(new InetSocketAddress(port));\n  }"
    )
    assert "    try {\n      /* The address\n" in text


def test_no_blank_line_begins_a_block() -> None:
    [text, *_] = safe(
        "  void run(String path) throws IOException {\n    BufferedReader in = new BufferedReader(new FileReader(path));\n    String line;\n\n"
        "    while ((line = in.readLine()) != null) {\n      System.out.println(line);\n    }\n    in.close();\n"
        "    in = new BufferedReader(new FileReader(path));\n    while ((line = in.readLine()) != null) {\n      System.err.println(line);\n    }\n"
        "    in.close();\n  }"
    )
    assert "    String line;\n    try (BufferedReader in = new BufferedReader(new FileReader(path))) {\n      while ((line" in text


def test_a_try_behind_a_question_for_null_begins_at_the_declaration() -> None:
    [text] = texts(
        "// release: 8\nimport java.io.*;\nimport java.util.*;\nclass Case {\n  static void load(Properties all) {\n"
        "    InputStream in = Case.class.getResourceAsStream(\"/all\");\n\n    if (in == null) {\n      throw new IllegalStateException();\n    }\n"
        "    try {\n      all.load(in);\n    } catch (IOException e) {\n      throw new IllegalStateException(e);\n    }\n  }\n}\n"
    )
    assert (
        "    try (InputStream in = Case.class.getResourceAsStream(\"/all\")) {\n      if (in == null) {\n        throw new IllegalStateException();\n"
        "      }\n      all.load(in);\n    } catch" in text
    )


def test_a_handler_that_would_meet_what_is_thrown_for_null_gets_nothing_more() -> None:
    found = texts(
        "// release: 8\nimport java.io.*;\nimport java.util.*;\nclass Case {\n  static void load(Properties all) {\n"
        "    InputStream in = Case.class.getResourceAsStream(\"/all\");\n    if (in == null) {\n      throw new IllegalStateException();\n    }\n"
        "    try {\n      all.load(in);\n    } catch (Exception e) {\n      System.err.println(e);\n    }\n  }\n}\n"
    )
    assert found
    assert all("throw new IllegalStateException();\n    }\n    try {" in text for text in found)


def test_resources_with_numbers_between_them_share_a_header() -> None:
    [text, _] = safe(
        "  int run(String from, String to) throws IOException {\n    InputStream one = new FileInputStream(from);\n    int most = 118;\n"
        "    InputStream two = new FileInputStream(to);\n    return Math.min(most, one.read() + two.read());\n  }"
    )
    assert "try (InputStream one = new FileInputStream(from); InputStream two = new FileInputStream(to)) {\n      int most = 118;\n" in text


def test_a_name_that_the_second_resource_needs_stays_before_it() -> None:
    [text, _] = safe(
        "  int run(String from) throws IOException {\n    InputStream one = new FileInputStream(from);\n    String to = from.trim();\n"
        "    InputStream two = new FileInputStream(to);\n    return one.read() + two.read();\n  }"
    )
    assert "      String to = from.trim();\n      try (InputStream two = new FileInputStream(to)) {\n" in text


def test_a_test_declares_what_closing_throws() -> None:
    [text] = texts(
        "import org.junit.Test;\nclass Case {\n  @Test\n  public void reads() throws InterruptedException {\n"
        "    java.io.InputStream in = Case.class.getResourceAsStream(\"/all\");\n    check(in);\n  }\n"
        "  private void check(java.io.InputStream in) {\n    in.hashCode();\n  }\n}\n"
    )
    assert "reads() throws InterruptedException, IOException {\n    try (java.io.InputStream in = " in text
    assert "import java.io.IOException;\n" in text


def test_what_others_call_declares_nothing_new() -> None:
    [text] = texts(
        "import org.junit.Test;\nclass Case {\n  @Test\n  public void reads() {\n    java.io.InputStream in = Case.class.getResourceAsStream(\"/all\");\n"
        "    check(in);\n  }\n  void again() {\n    reads();\n  }\n  private void check(java.io.InputStream in) {\n    in.hashCode();\n  }\n}\n"
    )
    assert "public void reads() {\n" in text


def test_a_file_system_that_is_found_by_its_address_stays_open() -> None:
    assert reasons(
        "  void make(Place place) throws IOException {\n    java.nio.file.FileSystems.newFileSystem(place.address(), Map.of(\"create\", \"false\"));\n  }"
    ) == ["others find it by its address, and need it open"]


def test_who_was_told_that_closing_failed_is_still_told() -> None:
    found = offered(
        "  void copy(String from, String to) {\n    FileInputStream in = null;\n    FileOutputStream out = null;\n    try {\n"
        "      in = new FileInputStream(from);\n      out = new FileOutputStream(to);\n      out.write(in.read());\n"
        "    } catch (FileNotFoundException e) {\n      System.err.println(in);\n    } catch (IOException e) {\n      System.err.println(out);\n    } finally {\n      try {\n"
        "        if (out != null) {\n          out.close();\n        }\n        if (in != null) {\n          in.close();\n        }\n"
        "      } catch (IOException e) {\n        System.err.println(e);\n      }\n    }\n  }"
    )
    assert found
    assert all("nothing more can be done" not in text for text in found)


def test_a_line_indented_by_tabs_gets_a_tab() -> None:
    [text] = safe(
        "  void run(String path) throws IOException {\n    InputStream in = new FileInputStream(path);\n\t\tint size = in.read();\n"
        "    System.out.println(size);\n    in.close();\n  }"
    )
    assert "(path)) {\n\t\t\tint size = in.read();\n      System.out.println(size);\n" in text


def test_a_buffer_that_is_read_behind_the_close_comes_before_the_block() -> None:
    [text] = safe(
        "  void run(String path) throws IOException {\n    InputStream in = new FileInputStream\n        (path);\n"
        "    Properties all = new Properties();\n    all.load(in);\n    in.close();\n    System.out.println(all);\n  }"
    )
    assert "    Properties all = new Properties();\n    try (InputStream in = new FileInputStream(path)) {\n      all.load(in);\n    }\n" in text


def test_a_close_of_what_wraps_the_resource_ends_its_block() -> None:
    [text] = safe(
        "  void run(URLConnection at, boolean is) throws IOException {\n    InputStream in = at.getInputStream();\n    Reader lines;\n"
        "    if (is)\n      lines = new InputStreamReader(in);\n    else\n      lines = new InputStreamReader(in, \"UTF-8\");\n"
        "    final StringBuilder all = new StringBuilder();\n    int read;\n    while ((read = lines.read()) != -1) {\n      all.append(read);\n    }\n"
        "    lines.close();\n    System.out.println(all);\n  }"
    )
    assert "        all.append(read);\n      }\n    }\n    System.out.println(all);\n" in text


def test_the_block_that_asks_whether_it_is_there_is_where_it_is_closed() -> None:
    [text] = offered(
        "  void run(String path) {\n    FileReader in;\n    try {\n      in = new FileReader(path);\n    } catch (FileNotFoundException e) {\n      in = null;\n    }\n"
        "    int sum = 0;\n    try {\n      if (in != null) {\n        sum += in.read();\n        in.close();\n      }\n    } catch (IOException e) {\n      sum = -1;\n    }\n"
        "    System.out.println(sum);\n  }"
    )
    assert "in.close();" in text


def test_a_handler_closes_what_only_it_loses() -> None:
    [text] = safe(
        "  int run(String path) {\n    FileInputStream in;\n    try {\n      in = new FileInputStream(path);\n      in.skip(3);\n"
        "    } catch (IOException e) {\n      return -1;\n    }\n    int size = 0;\n    try {\n      size = in.read();\n    } catch (IOException e) {\n"
        "      size = 0;\n    }\n    try {\n      in.close();\n    } catch (IOException e) {\n      size = 1;\n    }\n    return size;\n  }"
    )
    assert "    FileInputStream in = null;\n" in text
    assert "      if (in != null) {\n        try {\n          in.close();\n        } catch (IOException ex) {\n" in text


def test_what_nothing_here_may_throw_is_told_of_like_a_file_that_is_not_there() -> None:
    [text] = safe(
        "  String run(File file) {\n    try {\n      String text = read(new FileInputStream(file));\n      return text.trim();\n"
        "    } catch (FileNotFoundException e) {\n      return \"\";\n    }\n  }\n  String read(InputStream in) {\n    return \"\" + in.hashCode();\n  }"
    )
    assert "    try (FileInputStream in = new FileInputStream(file)) {\n      String text = read(in);\n      return text.trim();\n    } catch (IOException e) {\n" in text


@pytest.mark.parametrize(("handler", "is_widened"), [("return 404;", False), ("System.err.println(e.getMessage());\n      return 404;", True)])
def test_a_full_disk_is_no_file_that_is_not_there(handler: str, is_widened: bool) -> None:
    found = safe(
        f"  int run(File file) {{\n    try {{\n      FileOutputStream out = new FileOutputStream(file);\n      note(out.getChannel().isOpen());\n      return 200;\n"
        f"    }} catch (FileNotFoundException e) {{\n      {handler}\n    }}\n  }}\n  void note(boolean is) {{\n  }}"
    )
    assert any("catch (IOException e)" in each for each in found) is is_widened


def test_what_the_code_closes_without_a_question_is_there() -> None:
    data = (
        b"import acme.Store;\nclass Case {\n  int run(Store store) throws Exception {\n    acme.Reader in = store.getReader();\n"
        b"    store.check();\n    int size = in.read();\n    in.close();\n    return size;\n  }\n}\n"
    )
    [answer] = answers("Case.java", data)
    assert isinstance(answer, Fix)
    assert "finally {\n      in.close();\n    }" in apply(data, answer.edits).decode()


def test_a_stream_that_the_code_closes_by_two_names_is_mended() -> None:
    [text] = safe(
        "  void run(String path) throws IOException {\n    OutputStream raw = new FileOutputStream(path);\n    BufferedOutputStream out = new BufferedOutputStream(raw);\n"
        "    DataOutputStream data = new DataOutputStream(out);\n    data.writeByte(3);\n    data.close();\n    System.out.println(path);\n    out.close();\n    raw.close();\n  }"
    )
    assert "try (OutputStream raw = new FileOutputStream(path)" in text


@pytest.mark.parametrize(
    "body, is_safe",
    [
        ("    FileInputStream in = new FileInputStream(path);\n    int n = Parser.parse(in);\n    in.close();\n    return n;\n", True),
        (
            "    FileInputStream in = new FileInputStream(path);\n    DataInputStream data = new DataInputStream(in);\n    Parser.parse(data);\n"
            "    data.close();\n    return 3;\n",
            True,
        ),
        ("    FileInputStream in = new FileInputStream(path);\n    int n = Parser.parse(in);\n    if (n > 3) {\n      in.close();\n    }\n    return n;\n", False),
        ("    FileInputStream in = new FileInputStream(path);\n    Parser.parse(in);\n    return 3;\n", False),
    ],
    ids=["closed", "closed by its wrapper", "closed at times", "never closed"],
)
def test_a_close_of_the_code_says_that_nobody_keeps_it(body: str, is_safe: bool) -> None:
    data = f"import java.io.*;\nimport acme.Parser;\nclass Case {{\n  int run(String path) throws IOException {{\n{body}  }}\n}}\n".encode()
    [answer] = answers("Case.java", data)
    assert isinstance(answer, Fix)
    assert (answer.applicability is Applicability.SAFE) is is_safe


def test_what_is_returned_behind_a_close_does_without_what_was_closed() -> None:
    data = (
        b"import java.io.*;\nimport acme.Parser;\nclass Case {\n  Parser run(String path) throws IOException {\n"
        b"    FileInputStream in = new FileInputStream(path);\n    Parser parser = new Parser(in);\n    parser.run();\n    in.close();\n"
        b"    return parser;\n  }\n}\n"
    )
    [answer] = answers("Case.java", data)
    assert isinstance(answer, Fix)
    assert "      parser.run();\n      return parser;\n    }\n" in apply(data, answer.edits).decode()


def test_a_comment_that_there_is_no_need_to_close_is_believed() -> None:
    assert reasons(
        "  void run(String path) throws IOException {\n    Writer out = new FileWriter(path);\n    save(out);\n"
        "    // The saver closes it, so no need for a try-with-resources block\n  }\n  void save(Writer out) throws IOException {\n    out.write(3);\n  }"
    ) == ["a comment says who closes it"]


def test_a_flush_in_a_finally_keeps_no_close_from_running() -> None:
    [text] = safe(
        "  boolean run(File file) {\n    FileOutputStream out = null;\n    boolean is = false;\n    try {\n      out = new FileOutputStream(file);\n"
        "      out.write(3);\n      is = true;\n    } catch (IOException e) {\n      System.err.println(e);\n    } finally {\n      try {\n        if (out != null) {\n"
        "          out.flush();\n          out.close();\n        }\n      } catch (IOException e) {\n        System.err.println(e);\n      }\n    }\n    return is;\n  }"
    )
    assert "    try (FileOutputStream out = new FileOutputStream(file)) {\n" in text
    assert "finally" not in text and "flush" not in text


def test_a_long_file_of_narrow_lines_gets_no_wide_header() -> None:
    others = "".join(f"  void other{n}() {{\n    System.out.println({n});\n  }}\n" for n in range(80))
    [text] = safe(
        f"{others}  int run(File folder, String name) throws IOException {{\n    BufferedReader lines =\n        new BufferedReader(new FileReader(new File(folder, name)));\n"
        "    return lines.read();\n  }"
    )
    assert "    try (BufferedReader lines =\n        new BufferedReader(new FileReader(new File(folder, name)))) {\n" in text


def test_a_connection_that_is_only_accepted_stays_open_for_the_other_end() -> None:
    assert reasons(
        "  void run(ServerSocket server, CountDownLatch done) throws IOException {\n    Socket client = server.accept();\n    done.countDown();\n  }"
    ) == ["who has connected may need it open"]
    [text] = safe(
        "  void run(ServerSocket server, CountDownLatch done) throws IOException {\n    Socket client = server.accept();\n"
        "    client.getOutputStream().write(3);\n    done.countDown();\n  }"
    )
    assert "try (Socket client = server.accept()) {\n" in text


def test_no_blank_line_begins_a_header_block_of_two() -> None:
    [text, _] = safe(
        "  void run(String from, String to) throws IOException {\n    Reader in = null;\n    Writer out = null;\n\n    in = new FileReader(from);\n"
        "    out = new FileWriter(to);\n\n    int next;\n    while ((next = in.read()) != -1) {\n      out.write(next);\n    }\n\n    in.close();\n    out.close();\n  }"
    )
    assert "try (Reader in = new FileReader(from); Writer out = new FileWriter(to)) {\n      int next;\n" in text


def test_a_first_resource_of_two_lines_comes_on_one_beside_others() -> None:
    long = "a" * 22
    [text, _] = safe(
        f"  void run(String {long}, String to) {{\n    try {{\n      Writer first{long} =\n          new BufferedWriter(new FileWriter({long}));\n"
        f"      Writer second{long} = new FileWriter(to + {long});\n\n      first{long}.write(3);\n      second{long}.write(3);\n      first{long}.close();\n"
        "    } catch (IOException e) {\n      System.err.println(e);\n    }\n  }"
    )
    assert f"    try (Writer first{long} =\n" not in text


def test_nobody_gets_closes_in_many_places() -> None:
    found = offered(
        "  void run(String path, int k) throws IOException {\n    FileInputStream in = null;\n    try {\n      in = new FileInputStream(path);\n      in.skip(k);\n"
        "    } catch (IOException e) {\n      try {\n        in = new FileInputStream(path + 1);\n        in.skip(k);\n      } catch (IOException other) {\n"
        "        in = new FileInputStream(path + 2);\n      }\n    }\n    System.out.println(path);\n  }"
    )
    assert found
    assert all("}\n        in = new FileInputStream(path + 1)" not in text for text in found)


SETTER = (
    "  static class Command {\n    private OutputStream out;\n    void setOutput(OutputStream given) {\n      this.out = new BufferedOutputStream(given);\n    }\n"
    "    void execute() throws IOException {\n      out.write(3);\n    }\n  }\n"
)


@pytest.mark.parametrize(
    "lines",
    [
        "    command.setOutput(new FileOutputStream(path));\n",
        "    command.setOutput(new DataOutputStream(new FileOutputStream(path)));\n",
        "    OutputStream raw = new FileOutputStream(path);\n    command.setOutput(new DataOutputStream(raw));\n    System.out.println(path);\n",
    ],
    ids=["itself", "wrapped", "named and wrapped"],
)
def test_what_a_setter_is_given_stays_open_while_the_object_is_used(lines: str) -> None:
    for text in safe(f"{SETTER}  void run(String path) throws IOException {{\n    Command command = new Command();\n{lines}    command.execute();\n  }}"):
        assert text.index("command.execute();") < text.index("\n    }\n", text.index("try ("))


def test_a_comment_above_a_close_that_goes_stays_with_what_follows_it() -> None:
    body = """  int first(String name) throws IOException {
    InputStream in = new FileInputStream(name);
    int first = in.read();
    System.out.println(first);

    // Tear down
    in.close();
    new File(name).delete();
    return 0;
  }"""
    [patched] = safe(body)
    assert "      System.out.println(first);\n    }\n\n    // Tear down\n    new File(name).delete();\n" in patched
    [patched] = safe(body.replace("// Tear down", "// first = 2;"))
    assert "      // first = 2;\n    }\n    new File" in patched


def test_a_comment_that_speaks_of_the_close_alone_goes_with_it() -> None:
    body = """  int first(String name) throws IOException {
    InputStream in = new FileInputStream(name);
    int first = in.read();
    // Close the stream
    if (in != null) {
      in.close();
    }
    return first;
  }"""
    assert safe(body)
    assert all("Close the stream" not in each for each in safe(body))


def test_a_close_that_asks_whether_it_is_closed_already_goes() -> None:
    body = """  static void look(java.net.Socket socket) throws IOException { if (socket.getPort() == 3) throw new IOException(); }
  int first(String host) throws IOException {
    java.net.Socket socket = new java.net.Socket(host, 80);
    look(socket);
    int first = socket.getInputStream().read();
    if (socket != null && !socket.isClosed()) {
      socket.close();
    }
    return first;
  }"""
    assert safe(body)
    assert all("isClosed" not in each for each in safe(body))


def test_a_comment_that_says_why_something_is_closed_stays_at_the_end_of_its_block() -> None:
    body = """  int first(String name) throws IOException {
    InputStream in = new FileInputStream(name);
    int first = in.read();
    System.out.println(first);

    // close the stream so that its lock is released (else the file cannot be moved on some systems)
    in.close();

    new File(name).renameTo(new File(name + 1));
    return 0;
  }"""
    [patched] = safe(body)
    assert "      // close the stream so that its lock is released (else the file cannot be moved on some systems)\n    }\n" in patched


def test_what_stands_above_a_try_behind_a_question_for_null_moves_in_with_its_block() -> None:
    [text] = texts(
        "// release: 8\nimport java.io.*;\nimport java.util.*;\nclass Case {\n  static void load(Properties all) {\n"
        "    InputStream in = Case.class.getResourceAsStream(\"/all\");\n\n    if (in == null) {\n      throw new IllegalStateException();\n    }\n\n"
        "    // what the program begins with\n    try {\n      all.load(in);\n      in.close();\n    } catch (IOException e) {\n      throw new IllegalStateException(e);\n    }\n  }\n}\n"
    )
    assert (
        "    try (InputStream in = Case.class.getResourceAsStream(\"/all\")) {\n      if (in == null) {\n        throw new IllegalStateException();\n"
        "      }\n\n      // what the program begins with\n      all.load(in);\n    } catch" in text
    )


@pytest.mark.parametrize(("comment", "stays"), [("// close the file", False), ("/* closed here */", False), ("// the lock file goes with it", True)])
def test_a_comment_behind_a_close_goes_with_it_where_it_tells_no_more(comment: str, stays: bool) -> None:
    [text] = safe(
        "  int run(String path) throws IOException {\n    InputStream in = new FileInputStream(path);\n    int found = in.read();\n"
        f"    if (found < 0) {{\n      throw new IOException();\n    }}\n    in.close(); {comment}\n    return found;\n  }}"
    )
    assert (comment in text) is stays
    assert "in.close()" not in text


def test_what_was_made_of_a_resource_is_closed_before_it_in_a_finally() -> None:
    [text] = texts(
        "// release: 8\nimport java.sql.*;\nclass Case {\n  static void show(Connection all) {\n    ResultSet rows = null;\n    Statement asked;\n    try {\n"
        "      asked = all.createStatement();\n      rows = asked.executeQuery(\"q\");\n      System.out.println(rows.next());\n"
        "    } catch (SQLException e) {\n      System.err.println(e);\n    } finally {\n      if (rows != null) {\n        try {\n          rows.close();\n"
        "        } catch (SQLException e) {\n          System.err.println(e);\n        }\n      }\n    }\n  }\n}\n"
    )
    assert text.index("rows.close()") < text.index("asked.close()")


@pytest.mark.parametrize(
    ("imported", "opened", "used"),
    [
        ("org.eclipse.jgit.revwalk.RevWalk", "RevWalk each = new RevWalk(from)", "each.parseHeaders(null)"),
        ("org.apache.pdfbox.pdmodel.PDDocument", "PDDocument each = PDDocument.load(from)", "each.getNumberOfPages()"),
        ("com.opencsv.CSVReader", "CSVReader each = new CSVReader(new FileReader(from))", "each.readNext()"),
    ],
)
def test_what_a_library_opens_stands_in_a_header_where_its_type_can(imported: str, opened: str, used: str) -> None:
    [text] = texts(
        f"// release: 8\nimport java.io.*;\nimport {imported};\nclass Case {{\n  static void run(String from) throws IOException {{\n    {opened};\n"
        f"    System.out.println({used});\n  }}\n}}\n"
    )
    assert f"    try ({opened}) {{\n      System.out.println({used});\n    }}\n" in text


def test_who_ends_what_it_is_given_still_hears_of_what_cannot_be_written_out() -> None:
    member = (
        "  void end(OutputStream out) {\n    try {\n      out.flush();\n      out.close();\n    } catch (IOException e) {\n"
        "      throw new IllegalStateException(e);\n    }\n  }"
    )
    assert not safe(member)
