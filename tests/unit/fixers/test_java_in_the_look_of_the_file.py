"""What a Java patch takes along and leaves where it is: lines, comments, types, exceptions, and what a mock gives."""

from __future__ import annotations

import pytest

from fixers import Applicability, Declined, Fix
from fixers.edits import apply
from tests.unit.fixers.members import offered, safe
from tests.unit.fixers.patching import answers


def test_a_call_chain_keeps_its_lines_in_a_header() -> None:
    names = ", ".join(f'"a rather long name of a folder {n}"' for n in range(4))
    [text] = safe(
        "  int run(String path) throws IOException {\n    InputStream in =\n        java.nio.file.Files.newInputStream(\n            java.nio.file.Paths.get(\n"
        f"                path, {names}));\n    return in.read();\n  }}"
    )
    assert "    try (InputStream in =\n        java.nio.file.Files.newInputStream(\n            java.nio.file.Paths.get(\n" in text


def test_what_a_promise_is_given_stays_open() -> None:
    for each in answers("Case.java", (
        b"import java.io.*;\nimport java.nio.channels.SocketChannel;\nimport org.eclipse.jetty.util.Promise;\nclass Case {\n"
        b"  void connect(java.net.SocketAddress there, Promise<SocketChannel> promise) {\n    SocketChannel channel = null;\n    try {\n"
        b"      channel = SocketChannel.open();\n      channel.connect(there);\n      promise.succeeded(channel);\n    } catch (Throwable x) {\n"
        b"      closeSafely(channel);\n      promise.failed(x);\n    }\n  }\n  private void closeSafely(Closeable each) {\n    try {\n"
        b"      if (each != null) each.close();\n    } catch (Throwable x) {\n    }\n  }\n}\n"
    )):
        assert isinstance(each, Declined) or each.applicability is Applicability.UNSAFE


def test_a_handle_of_jdbi_needs_no_exception_declared() -> None:
    [answer] = answers("Case.java", (
        b"import org.skife.jdbi.v2.Handle;\nimport org.skife.jdbi.v2.IDBI;\nimport org.testng.annotations.Test;\nclass Case {\n  IDBI dbi;\n"
        b"  @Test(groups = \"slow\")\n  public void probe() throws java.io.IOException {\n    final Handle handle = dbi.open();\n"
        b"    handle.execute(\"delete from t\");\n    new java.io.File(\"a\").getCanonicalPath();\n  }\n}\n"
    ))
    assert isinstance(answer, Fix)
    assert any("try (Handle handle = dbi.open()) {" in edit.text for edit in answer.edits)
    assert not any("throws" in edit.text for edit in answer.edits)


def test_a_comment_on_several_closes_goes_with_the_last() -> None:
    texts = safe(
        "  void pack(String from, String to) throws IOException {\n    FileInputStream in = new FileInputStream(from);\n"
        "    FileOutputStream out = new FileOutputStream(to);\n    java.util.zip.GZIPOutputStream packed = new java.util.zip.GZIPOutputStream(out);\n"
        "    packed.write(in.read());\n    // close resources\n    packed.close();\n    out.close();\n    in.close();\n  }"
    )
    assert texts and all("close resources" not in each and "packed.write(in.read());\n    }\n  }" in each for each in texts)


def test_what_has_no_name_comes_into_the_header_that_it_is_first_below() -> None:
    [text] = safe(
        "  void copy(URL from, String to) throws IOException {\n    try (OutputStream out = new FileOutputStream(to)) {\n      from.openStream().transferTo(out);\n    }\n  }"
    )
    assert text.count("try (") == 1 and "from.openStream()" in text.partition(") {\n      ")[0]


def test_lines_that_go_on_tell_nothing_of_how_blocks_step_in() -> None:
    lines = "".join(f"    String word{n} = String.valueOf(\n            path + {n});\n\n" for n in range(12))
    [text] = safe(
        "  void other(boolean is) {\n    if (is) {\n      return;\n    }\n  }\n"
        f"  void store(java.security.KeyStore keys, String path, char[] word) throws Exception {{\n{lines}    keys.store(new FileOutputStream(word0), word);\n{lines.replace('word', 'text')}  }}"
    )
    assert "    try (FileOutputStream out = new FileOutputStream(word0)) {\n      keys.store(out, word);\n    }\n" in text


def test_text_blocks_tell_nothing_of_braces_and_steps() -> None:
    block = '    String one{n} = """\n            {\n              "a": 1\n            }\n            """;\n    System.out.println(one{n});\n'
    lines = "".join(block.replace("{n}", str(n)) for n in range(6))
    [text] = safe(
        f"  void run(String path) throws IOException {{\n{lines}    InputStream in = new FileInputStream(path);\n    in.read();\n"
        f"    in = new FileInputStream(path + path);\n    in.close();\n{lines.replace('one', 'two')}  }}"
    )
    assert "    try {\n      in.read();\n    } finally {\n      in.close();\n    }\n" in text


def test_a_type_is_imported_beside_packages_that_are_imported_whole() -> None:
    [answer] = answers("Case.java", (
        b"import java.net.URL;\nimport java.util.Properties;\nimport lombok.*;\nclass Case {\n  Properties run(URL from) throws Exception {\n"
        b"    Properties found = new Properties();\n    found.load(from.openStream());\n    return found;\n  }\n}\n"
    ))
    assert isinstance(answer, Fix)
    assert "import java.io.InputStream;" in "".join(edit.text for edit in answer.edits)


def test_what_lombok_lets_out_needs_no_handler() -> None:
    [answer] = answers("Case.java", (
        b"import java.io.*;\nimport lombok.SneakyThrows;\nclass Case {\n  @SneakyThrows\n  int run(String path) {\n"
        b"    InputStream in = new FileInputStream(path);\n    return in.read();\n  }\n}\n"
    ))
    assert isinstance(answer, Fix) and answer.applicability is Applicability.SAFE
    assert any("try (InputStream in = new FileInputStream(path)) {" in edit.text for edit in answer.edits)


_KIND = (
    "import java.io.FileNotFoundException;\nimport java.io.FileReader;\nimport org.junit.Before;\nclass Case {{\n  static int parse(FileReader reader) {{ return 1; }}\n"
    "  {caller} {{\n    first(\"a\");\n  }}\n  private int first(String path) throws FileNotFoundException {{\n    FileReader reader = new FileReader(path);\n"
    "    return parse(reader);\n  }}\n}}\n"
)


@pytest.mark.parametrize("caller", [
    "@Before public void up() throws FileNotFoundException", "void up() throws Exception", "private void up() throws FileNotFoundException",
])
def test_a_private_method_declares_all_that_it_declares_a_kind_of(caller: str) -> None:
    data = _KIND.format(caller=caller).encode()
    [answer] = answers("Case.java", data)
    assert isinstance(answer, Fix) and answer.applicability is Applicability.SAFE
    text = apply(data, answer.edits).decode()
    assert "first(String path) throws IOException {\n    try (FileReader reader = new FileReader(path)) {\n" in text
    assert "FileNotFoundException" not in text and "import java.io.IOException;\n" in text


def test_a_method_whose_callers_may_not_let_more_out_keeps_what_it_declares() -> None:
    for caller in ("public void up() throws FileNotFoundException", "void up(java.util.List<String> all) { try { first(\"\"); } catch (FileNotFoundException e) { }"):
        data = _KIND.format(caller=caller).replace("e) { } {\n    first(\"a\");\n", "e) { }\n").encode()
        [answer] = answers("Case.java", data)
        assert isinstance(answer, Declined) or "first(String path) throws FileNotFoundException" in apply(data, answer.edits).decode()


def test_a_try_that_only_uses_what_was_read_stays_out() -> None:
    [text] = safe(
        "  static String read(InputStream in) throws IOException { return String.valueOf(in.read()); }\n"
        "  long run(String path) throws IOException {\n    InputStream in = new FileInputStream(path);\n    String words = read(in);\n    in.close();\n"
        "    try {\n      return Long.parseLong(words);\n    } catch (NumberFormatException e) {\n      return -1;\n    }\n  }"
    )
    assert "    String words;\n    try (InputStream in = new FileInputStream(path)) {\n      words = read(in);\n    }\n    try {\n" in text


def test_what_a_test_verifies_is_a_mock() -> None:
    [answer] = answers("Case.java", (
        b"import static org.mockito.Mockito.*;\nimport java.sql.Connection;\nimport javax.sql.DataSource;\nclass Case {\n"
        b"  void probe(DataSource data) throws Exception {\n    verify(data.getConnection(), atLeastOnce()).prepareStatement(\"\");\n  }\n}\n"
    ))
    assert isinstance(answer, Declined) and answer.reason == "it is a mock, which a test asks about"


def test_a_value_that_begins_below_its_variable_goes_on_there() -> None:
    words = "a rather long name of a resource that is missing here, so that two lines are needed"
    [text] = safe(
        "  byte[] run() throws IOException {\n    byte[] found =\n        Objects.requireNonNull(\n            Case.class.getResourceAsStream(\"/a.png\"),\n"
        f"            \"{words}\")\n            .readAllBytes();\n    return found;\n  }}"
    )
    assert "      found =\n          Objects.requireNonNull(\n              in,\n" in text


@pytest.mark.parametrize("path, header", [
    ("src/main/jdk1.4/Case.java", False), ("src/main/java6/Case.java", False), ("src/main/java/Case.java", True), ("src/main/java9/Case.java", True),
])
def test_a_folder_for_old_compilers_gets_no_header(path: str, header: bool) -> None:
    [answer] = answers(path, (
        b"import java.io.*;\nclass Case {\n  int run(String path) throws IOException {\n    FileInputStream in = new FileInputStream(path);\n    return in.read();\n  }\n}\n"
    ))
    assert isinstance(answer, Fix)
    assert any("try (" in edit.text for edit in answer.edits) is header


def test_a_stream_that_closes_beside_another_comes_into_its_header() -> None:
    texts = safe(
        "  static void sign(InputStream key, OutputStream out) throws IOException {\n    out = key.read() == 0 ? out : new FilterOutputStream(out);\n    out.close();\n  }\n"
        "  void run(String from, String to) throws IOException {\n    InputStream key = new FileInputStream(from);\n    OutputStream out = new FileOutputStream(to);\n\n"
        "    sign(key, out);\n\n    key.close();\n    out.close();\n  }"
    )
    assert texts
    for text in texts:
        assert "try (InputStream key = new FileInputStream(from); OutputStream out = new FileOutputStream(to)) {\n      sign(key, out);\n    }\n  }" in text


def test_what_is_there_whenever_control_comes_out_is_not_tested_for_null() -> None:
    [text] = offered(
        "  void create(String url) throws IOException {\n    java.sql.Connection found = null;\n    try {\n      found = java.sql.DriverManager.getConnection(url);\n"
        "    } catch (java.sql.SQLException e) {\n      throw new IOException(e);\n    }\n    try {\n      found.setAutoCommit(false);\n      found.commit();\n      found.close();\n"
        "    } catch (java.sql.SQLException e) {\n      throw new IOException(\"no\", e);\n    }\n  }"
    )
    assert "found != null" not in text and "found.close();" in text.partition("finally")[2]


def test_a_block_of_two_does_not_begin_with_a_blank_line() -> None:
    [text] = safe(
        "  void copy(String from, String to) throws IOException {\n    FileInputStream in = null;\n    FileOutputStream out = null;\n    try {\n"
        "      in = new FileInputStream(from);\n      out = new FileOutputStream(to);\n\n      out.write(in.read());\n    } finally {\n"
        "      if (in != null) {\n        in.close();\n      }\n      if (out != null) {\n        out.close();\n      }\n    }\n  }"
    )
    assert "new FileOutputStream(to)) {\n      out.write" in text


def test_no_method_declares_every_exception_for_what_is_only_feared() -> None:
    for each in answers("Case.java", (
        b"import java.io.*;\nimport org.x.Files;\nimport org.x.Part;\nclass Case {\n  public void up(Files all) throws FileNotFoundException {\n    first(all);\n  }\n"
        b"  private int first(Files all) throws FileNotFoundException {\n    Part part = all.openPart();\n    try {\n      return part.read();\n    } finally {\n      System.out.println();\n    }\n  }\n}\n"
    )):
        assert isinstance(each, Declined) or not any("throws Exception" in edit.text or edit.text == "Exception" for edit in each.edits)


def test_what_a_parser_shows_of_its_input_stays_open() -> None:
    [answer] = answers("Case.java", (
        b"import java.io.*;\nimport org.apache.james.mime4j.stream.MimeTokenStream;\nclass Case {\n  static long count(MimeTokenStream parser) throws IOException {\n"
        b"    InputStream body = parser.getInputStream();\n    long count = 0;\n    while (body.read() >= 0) {\n      count++;\n    }\n    return count;\n  }\n}\n"
    ))
    assert isinstance(answer, Declined) and answer.reason == "what it was asked of may go on to read from it"


def test_lines_of_blanks_step_in_by_blanks_in_a_file_of_tabs() -> None:
    others = "".join(f"\tvoid m{n}() {{\n\t\tSystem.out.println();\n\t}}\n" for n in range(9))
    body = (
        f"{others}\tint read(String name) throws IOException {{\n\t\tInputStream in = new FileInputStream(name);\n"
        "        int first = in.read();\n        in.close();\n        return first;\n\t}"
    )
    assert safe(body)
    assert all("\t        " not in each for each in safe(body))


def test_a_line_that_is_long_in_a_file_of_long_lines_stays_one_line() -> None:
    value = 'new FileInputStream(new File("the-folder-of-the-first", "and-the-name-of-its-file-in-there"))'
    [text] = safe(f"  void run() throws IOException {{\n    FileInputStream inputOfAllThatComes = {value};\n    inputOfAllThatComes.read();\n  }}")
    assert f"    try (FileInputStream inputOfAllThatComes = {value}) {{\n" in text


def test_a_chain_that_stands_on_several_lines_stays_on_them() -> None:
    words = "java.util.stream.Stream<?> all = java.nio.file.Files.list(java.nio.file.Path.of(\"a\"))\n      .onClose(() -> System.out.println(3))"
    [text] = safe(f"  void run() throws IOException {{\n    {words};\n    System.out.println(all.count());\n  }}")
    assert f"    try ({words}) {{\n" in text


def test_a_short_line_of_a_value_does_not_become_a_long_header() -> None:
    value = 'java.nio.file.Files.newInputStream(java.nio.file.Path.of("the-folder-of-the-first", "and-its-name"))'
    long = "".join(f'    System.out.println("{n:0140d}");\n' for n in range(2))
    [text] = safe(f"  void run(Properties all) throws IOException {{\n{long}    all.load(\n        {value});\n  }}")
    assert max(len(each) for each in text.splitlines() if "println" not in each) <= 130


def test_a_tab_is_as_wide_as_several_places_where_a_header_is_measured() -> None:
    body = """\tvoid run(String name) throws IOException {
\t\tif (name != null) {
\t\t\tif (name.length() > 2) {
\t\t\t\tFileInputStream in = new FileInputStream(new File(name, "the-name-of-a-file"));
\t\t\t\tin.read();
\t\t\t}
\t\t}
\t}"""
    [text] = safe(body)
    assert "\t\t\t\ttry (FileInputStream in =\n\t\t\t\t\t\tnew FileInputStream(" in text


def test_lines_at_places_of_their_own_behind_tabs_keep_them() -> None:
    [text] = safe(
        "\tint run(String path) throws IOException {\n\t\t  FileReader in = new FileReader(path);\n\t\t  int sum = 0;\n"
        "\t\t  while (sum == 0) {\n\t\t\tint each = in.read();\n\t\t\tif (each > 0) {\n\t\t\t  sum += each;\n\t\t\t}\n\t\t  }\n\t\t  return sum;\n\t}"
    )
    assert "\t\t\t  while (sum == 0) {\n\t\t\t\tint each = in.read();\n\t\t\t\tif (each > 0) {\n\t\t\t\t  sum += each;\n\t\t\t\t}\n\t\t\t  }\n" in text


def test_blanks_among_tabs_move_in_as_far_as_the_first_of_them() -> None:
    [text] = safe(
        "\tint run(String path) throws IOException {\n\t\tFileReader in = new FileReader(path);\n\t\tint sum = in.read();\n"
        "        if (sum > 0) {\n            sum = Math.max(sum,\n                           in.read());\n        }\n\t\treturn sum;\n\t}"
    )
    assert "            if (sum > 0) {\n                sum = Math.max(sum,\n                               in.read());\n            }\n" in text


def test_the_clauses_of_a_try_stand_where_others_do_whatever_else_does() -> None:
    part = (
        "  void one(int a) {\n    if (a > 1) {\n      a = 2;\n    } else if (a > 2) {\n      a = 3;\n    } else {\n      a = 4;\n    }\n    try {\n      a++;\n    }\n"
        "    catch (RuntimeException e) {\n    }\n  }\n"
    )
    body = part + (
        "  int run(String from) {\n    InputStream in = Case.class.getResourceAsStream(from);\n    if (in != null) {\n      try {\n        return in.read();\n      }\n"
        "      catch (Exception e) {\n      }\n    }\n    return 0;\n  }"
    )
    for text in safe(body):
        assert "} finally" not in text and "} catch" not in text
    assert safe(body)
