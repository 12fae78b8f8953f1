"""What reviewers stumbled over in safe patches: where a block begins, what a header holds, who is told that closing failed."""

from __future__ import annotations

from fixers import Fix
from fixers.edits import apply
from tests.unit.fixers.members import reasons, safe
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
    [text, _] = safe(
        "  void run(String path) throws IOException {\n    BufferedReader in = new BufferedReader(new FileReader(path));\n    String line;\n\n"
        "    while ((line = in.readLine()) != null) {\n      System.out.println(line);\n    }\n    in.close();\n"
        "    in = new BufferedReader(new FileReader(path));\n    while ((line = in.readLine()) != null) {\n      System.err.println(line);\n    }\n"
        "    in.close();\n  }"
    )
    assert "    String line;\n    try {\n      while ((line" in text


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
        "  int run(String from) throws IOException {\n    InputStream one = new FileInputStream(from);\n    String to = \"to\";\n"
        "    InputStream two = new FileInputStream(to);\n    return one.read() + two.read();\n  }"
    )
    assert "      String to = \"to\";\n      try (InputStream two = new FileInputStream(to)) {\n" in text


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
        "  void make(URI uri) throws IOException {\n    java.nio.file.FileSystems.newFileSystem(uri, Map.of(\"create\", \"false\"));\n  }"
    ) == ["others find it by its address, and need it open"]


def test_who_was_told_that_closing_failed_is_still_told() -> None:
    found = safe(
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
    assert "      lines.close();\n    }\n    System.out.println(all);\n" in text
