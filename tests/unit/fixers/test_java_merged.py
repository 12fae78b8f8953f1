"""What maintainers of unread trees would not have merged: blocks that are too large, failures that nobody hears of, closes
of what others keep."""

from __future__ import annotations

import pytest

from fixers import Applicability, Declined, Fix
from fixers.edits import apply
from fixers.java.header import flattened
from tests.unit.fixers.members import offered, reasons, safe
from tests.unit.fixers.patching import answers

_READ = "  static int read(InputStream in) throws IOException { return in.read(); }\n"


def _fixes(body: str) -> list[str]:
    """The texts after each fix of some members, safe or not."""
    data = f"import java.io.*;\nimport java.util.*;\nclass Case {{\n{body}\n}}\n".encode()
    return [apply(data, each.edits).decode() for each in answers("Case.java", data) if isinstance(each, Fix)]


def test_a_quiet_close_behind_a_try_moves_into_its_finally() -> None:
    [text] = safe(
        _READ + "  static InputStream open(String path) { try { return new FileInputStream(path); } catch (IOException e) { throw new IllegalStateException(e); } }\n"
        "  int run(String path) {\n    int first;\n    InputStream in = open(path);\n    try {\n      first = read(in);\n    } catch (IOException e) {\n"
        "      return -1;\n    }\n\n    org.apache.commons.io.IOUtils.closeQuietly(in);\n\n    return first + 1;\n  }"
    )
    assert (
        "      return -1;\n    } finally {\n      org.apache.commons.io.IOUtils.closeQuietly(in);\n    }\n\n    return first + 1;" in text
    )


def test_a_close_whose_failure_is_told_of_stays() -> None:
    [text] = offered(
        "  static String checked(String words) { if (words.isEmpty()) throw new IllegalStateException(); return words; }\n"
        "  void save(String path, String words) {\n    Writer out = null;\n    try {\n      out = new FileWriter(path);\n    } catch (IOException e) {\n"
        "      System.err.println(e);\n      return;\n    }\n    try {\n      out.write(checked(words));\n      out.close();\n    } catch (IOException e) {\n"
        "      System.err.println(e);\n    } catch (IllegalStateException e) {\n      System.err.println(\"empty\");\n    }\n    words.length();\n  }"
    )
    assert "      out.close();\n    } catch (IOException e) {\n      System.err.println(e);" in text
    assert text.count("out.close();") == 2


def test_the_close_at_the_end_of_a_chain_goes() -> None:
    [text] = safe(
        "  void cut(java.nio.file.Path path) throws IOException {\n"
        "    java.nio.channels.FileChannel.open(path, java.nio.file.StandardOpenOption.WRITE).truncate(0).close();\n  }"
    )
    assert ".truncate(0);\n" in text
    assert "close()" not in text


def test_words_made_of_a_resource_do_not_keep_its_block_open() -> None:
    [text] = safe(
        _READ + "  int run(String path) throws IOException {\n    String words = null;\n    InputStream in = new FileInputStream(path);\n"
        "    if (in.available() > 0) {\n      words = String.valueOf(read(in));\n    }\n    in.close();\n    System.out.println(path);\n    System.out.println(words);\n"
        "    System.out.println(path);\n    return words == null ? 0 : 1;\n  }"
    )
    assert "words = String.valueOf(read(in));\n      }\n    }\n    System.out.println(path);\n" in text


def test_a_variable_with_two_files_gets_the_finally_of_the_try_that_reads_the_first() -> None:
    [text] = safe(
        _READ + "  void run(String one, String two) throws IOException {\n    InputStream in = new FileInputStream(one);\n    try {\n      read(in);\n"
        "    } catch (IllegalStateException e) {\n      System.err.println(e);\n    }\n    in = new FileInputStream(two);\n    in.close();\n  }"
    )
    assert "      System.err.println(e);\n    } finally {\n      in.close();\n    }\n    in = new" in text


def test_no_blank_line_is_left_where_a_block_began_with_one() -> None:
    [text] = safe(
        "  void run(String path) {\n    try {\n\n      InputStream in = new FileInputStream(path);\n      in.read();\n    } catch (IOException e) {\n    }\n  }"
    )
    assert "    try (InputStream in = new FileInputStream(path)) {\n      in.read();\n" in text


@pytest.mark.parametrize(
    "member, said",
    [
        (
            "  void run(File folder) throws Exception {\n    org.eclipse.jgit.api.Git git = org.eclipse.jgit.api.Git.open(folder);\n"
            "    git.fetch().call();\n    git.getRepository().close();\n  }",
            "`git.getRepository().close()` may close it already",
        ),
        (
            "  private android.util.SparseArray<InputStream> open;\n  void run(int key, String path) throws IOException {\n"
            "    InputStream in = new FileInputStream(path);\n    open.put(key, in);\n    System.out.println(in.available());\n  }",
            "`open` holds it",
        ),
        (
            "  void run(String path) throws IOException {\n    try {\n      InputStream in = new FileInputStream(path);\n"
            "      org.junit.Assert.assertTrue(\"it is a folder\", false);\n    } catch (FileNotFoundException e) {\n    }\n  }",
            "expected to throw",
        ),
        (
            "  @Test(expected = IOException.class)\n  public void run() throws IOException {\n    InputStream in = new FileInputStream(\"a\");\n"
            "    in.read();\n    new FileOutputStream(\"a\").close();\n  }",
            "expects an exception",
        ),
    ],
    ids=["part", "table", "assertion", "expected"],
)
def test_what_nobody_would_merge_is_not_proposed(member: str, said: str) -> None:
    found = reasons(member)
    assert [each for each in found if said in each], found


def test_what_a_stream_for_later_was_made_of_is_not_ended_behind_it() -> None:
    assert not _fixes(
        "  OutputStream packed(OutputStream out, boolean small) {\n    OutputStream result = out;\n    if (small) {\n"
        "      java.util.zip.Deflater packer = new java.util.zip.Deflater(9);\n"
        "      result = new java.util.zip.DeflaterOutputStream(result, packer, true);\n    }\n    return result;\n  }"
    )


def test_no_handler_is_written_into_a_block_that_has_handlers() -> None:
    assert not _fixes(
        "  static void probe() throws IOException {}\n  InputStream run(String path) {\n    try {\n      InputStream in = new FileInputStream(path);\n"
        "      probe();\n      return in;\n    } catch (IOException e) {\n      return null;\n    }\n  }"
    )


def test_streams_that_are_open_together_do_not_come_out_of_each_others_blocks() -> None:
    for text in _fixes(
        "  void run(String one, String two) throws IOException {\n    InputStream in = new FileInputStream(one);\n    in.read();\n"
        "    InputStream other = new FileInputStream(two);\n    other.read();\n    in.read();\n    in.close();\n    other.read();\n    other.close();\n  }"
    ):
        assert "InputStream other;" not in text


@pytest.mark.parametrize(
    "words, flat",
    [
        ("load(\n      \"xml\", open( \"a\" ) )", "load( \"xml\", open( \"a\" ) )"),
        ("load(\n      \"xml\", open(\"a\"))", "load(\"xml\", open(\"a\"))"),
    ],
    ids=["wide", "narrow"],
)
def test_a_joined_call_keeps_the_blanks_inside_of_its_parentheses(words: str, flat: str) -> None:
    assert flattened(words) == flat


def test_an_else_without_braces_does_not_tell_where_clauses_begin() -> None:
    data = (
        b"import java.io.*;\nclass Case {\n  int a(int b) {\n    if (b > 0)\n      return 1;\n    else\n      return 0;\n  }\n"
        b"  int c(int b) {\n    if (b > 0)\n      return 1;\n    else\n      return 0;\n  }\n"
        b"  void run(String path) {\n    InputStream in = null;\n    try {\n      in = new FileInputStream(path);\n      in.read();\n"
        b"    } catch (IOException e) {\n      System.err.println(in);\n    }\n  }\n}\n"
    )
    [found] = [each for each in answers("Case.java", data) if isinstance(each, Fix)]
    assert "    } finally {\n" in apply(data, found.edits).decode()


def test_a_doubtful_leak_gets_no_handler() -> None:
    data = (
        b"import java.io.*;\nclass Case {\n  private final java.util.zip.Deflater packer;\n  Case(OutputStream out) throws IOException {\n"
        b"    this.packer = new java.util.zip.Deflater(9);\n    out.write(1);\n  }\n}\n"
    )
    assert all(isinstance(each, Declined) or each.applicability is not Applicability.SAFE for each in answers("Case.java", data))
    assert not any(isinstance(each, Fix) for each in answers("Case.java", data))


def test_a_server_stays_open_as_long_as_somebody_has_its_port() -> None:
    [text] = _fixes(
        "  static class Server implements Closeable {\n    final InputStream in;\n    Server(String path) throws IOException { in = new FileInputStream(path); }\n"
        "    int getPort() { return 80; }\n    public void close() throws IOException { in.close(); }\n  }\n  static void connect(int port) {}\n"
        "  void run(String path) throws IOException {\n    Server server = new Server(path);\n    int port = server.getPort();\n    connect(1);\n"
        "    connect(2);\n    connect(3);\n    connect(4);\n    connect(port);\n  }"
    )
    assert "      connect(port);\n    }\n  }" in text


def test_a_header_that_grows_too_wide_is_broken() -> None:
    [text] = safe(
        "  void run(File theNameOfSomeRatherLongFile) throws IOException {\n"
        "    try (ObjectOutputStream out = new ObjectOutputStream(new FileOutputStream(theNameOfSomeRatherLongFile))) {\n      out.write(1);\n    }\n  }"
    )
    assert "(theNameOfSomeRatherLongFile);\n" in text


def test_a_file_is_closed_before_it_is_looked_at() -> None:
    for text in _fixes(
        "  static void check(String words) { if (words.isEmpty()) throw new IllegalStateException(); }\n"
        "  void save(String path, String words, boolean small) throws IOException {\n    Writer out;\n    File copy = null;\n    if (small) {\n"
        "      out = new FileWriter(path);\n    } else {\n      copy = new File(path + \".2\");\n      out = new FileWriter(copy);\n    }\n    check(words);\n"
        "    out.write(words);\n    out.close();\n    if (copy != null && copy.exists()) {\n      copy.renameTo(new File(path));\n    }\n  }"
    ):
        assert text.rindex("out.close();") < text.index("copy.exists()")


def test_a_log_line_may_come_before_a_close() -> None:
    [text] = safe(
        "  void save(String path) throws IOException {\n    Writer out = new FileWriter(path);\n    out.write(1);\n    int count = 1;\n    out.close();\n"
        "    System.out.println(count);\n  }"
    )
    assert "try (Writer out = new FileWriter(path)) {" in text


def test_lines_grow_no_longer_than_the_file_has_them() -> None:
    [text] = safe(
        "  void run(String theNameOfAFileThatIsRatherLong) throws IOException {\n"
        "    BufferedReader theReader = new BufferedReader(new FileReader(theNameOfAFileThatIsRatherLong));\n    theReader.readLine();\n  }"
    )
    assert max(map(len, text.splitlines())) <= 100


def test_a_wrapper_loses_its_final_in_a_header() -> None:
    [text] = safe(
        "  String run(String path) throws IOException {\n    final Reader in = new FileReader(path);\n    final BufferedReader lines = new BufferedReader(in);\n"
        "    String first = lines.readLine();\n    lines.close();\n    return first;\n  }"
    )
    assert "final" not in text


def test_a_block_does_not_begin_with_the_blank_line_below_a_declaration_that_goes() -> None:
    [text] = safe(
        "  void run(String path) {\n    InputStream in;\n\n    String words = path;\n    try {\n      in = new FileInputStream(words);\n      in.read();\n"
        "    } catch (IOException e) {\n    }\n  }"
    )
    assert "  void run(String path) {\n    String words = path;\n    try (InputStream in = new FileInputStream(words)) {\n" in text
