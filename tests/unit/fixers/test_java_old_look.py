"""How a Java patch reads in files that editors of Unix have written, and where comments and names go that lose their place."""

from __future__ import annotations

import pytest

from fixers import Fix
from fixers.edits import apply
from fixers.text import mixed_step
from tests.unit.fixers.members import reasons, safe
from tests.unit.fixers.patching import answers

_MIXED = (
    "    int size(String name) {\n\tif (name == null) {\n\t    return 0;\n\t}\n\tfor (int n = 0; n < 9; n++) {\n\t    if (n > 7) {\n"
    "\t\treturn n;\n\t    }\n\t    while (n > 8) {\n\t\tn--;\n\t    }\n\t}\n\treturn name.length();\n    }\n"
)


def test_every_eight_columns_are_a_tab_where_the_file_says_so() -> None:
    [text] = safe(
        f"{_MIXED}    int count(String path) throws IOException {{\n\tInputStream in = new FileInputStream(path);\n\tint sum = 0;\n"
        "\twhile (in.read() > 0) {\n\t    if (sum > 9) {\n\t\tsum--;\n\t    }\n\t    sum++;\n\t}\n\tSystem.out.println(sum);\n\tin.close();\n\treturn sum;\n    }"
    )
    assert "\ttry (InputStream in = new FileInputStream(path)) {\n\t    int sum = 0;\n\t    while (in.read() > 0) {\n\t\tif (sum > 9) {\n\t\t    sum--;\n\t\t}\n\t\tsum++;\n\t    }\n" in text


def test_a_finally_steps_in_as_the_file_does() -> None:
    [text] = safe(
        f"{_MIXED}    int first(String path, boolean is) throws IOException {{\n\tInputStream in = new FileInputStream(path);\n\tif (is) {{\n\t    in = new BufferedInputStream(in);\n"
        "\t}\n\tint found = in.read();\n\tin.close();\n\treturn found;\n    }"
    )
    assert "\t} finally {\n\t    in.close();\n\t}\n" in text
    assert "\n\t    if (is) {\n\t\tin = new BufferedInputStream(in);\n\t    }\n" in text or "\n\ttry {\n\t    if (is) {\n\t\tin" in text


@pytest.mark.parametrize("written, step", [
    (_MIXED, 4),
    (_MIXED.replace("\t    ", "\t\t").replace("\t\t\t", "\t\t"), 0),
    (_MIXED.replace("\t", "        "), 0),
    ("class A {\n\tint n;\n\tvoid a() {\n\t\tif (n > 0) {\n\t\t\tn--;\n\t\t}\n\t}\n}\n", 0),
])
def test_tabs_and_blanks_alone_are_no_mixture(written: str, step: int) -> None:
    assert mixed_step(written.encode(), 0) == step


def test_a_comment_goes_with_the_variable_that_it_tells_of() -> None:
    [text] = safe(
        "  void save(String path, Properties all) {\n    String title = null;\n\n    // Output to a file\n    FileWriter writer = null;\n\n    // The number of lines\n"
        "    int lines = 0;\n\n    try {\n      title = all.toString();\n      lines++;\n      writer = new FileWriter(path);\n      writer.write(title);\n"
        "      writer.close();\n    } catch (Exception e) {\n      throw new IllegalStateException(e);\n    }\n    System.out.println(lines);\n  }"
    )
    assert "    String title = null;\n\n    // The number of lines\n" in text
    assert "      lines++;\n      // Output to a file\n      try (FileWriter writer = new FileWriter(path)) {\n" in text


def test_a_comment_above_several_variables_stays_where_it_is() -> None:
    [text] = safe(
        "  void save(String path, Properties all) {\n    // What is needed below\n    FileWriter writer = null;\n    int lines = 0;\n\n    try {\n      lines++;\n"
        "      writer = new FileWriter(path);\n      writer.write(lines);\n      writer.close();\n    } catch (Exception e) {\n"
        "      throw new IllegalStateException(e);\n    }\n    System.out.println(lines);\n  }"
    )
    assert "    // What is needed below\n    int lines = 0;\n" in text


def test_a_variable_that_nothing_reads_goes_into_the_block() -> None:
    [text] = safe("  void check(String path) throws Exception {\n    Properties found = read(new FileInputStream(path));\n  }\n  static Properties read(InputStream in) throws IOException { in.read(); return null; }")
    assert "    try (FileInputStream in = new FileInputStream(path)) {\n      Properties found = read(in);\n    }\n" in text


def test_a_variable_that_is_read_behind_stays_outside() -> None:
    [text] = safe(
        "  Properties check(String path) throws Exception {\n    Properties found = read(new FileInputStream(path));\n    return found;\n  }\n"
        "  static Properties read(InputStream in) throws IOException { in.read(); return null; }"
    )
    assert "    Properties found;\n    try (FileInputStream in = new FileInputStream(path)) {\n      found = read(in);\n    }\n" in text


def test_a_buffer_comes_before_the_block_and_what_is_said_of_the_whole_stays_in_it() -> None:
    [text] = safe(
        "  byte[] all(String path) throws IOException {\n    InputStream in = new FileInputStream(path);\n    // Read all of it, byte by byte\n"
        "    ByteArrayOutputStream bytes = new ByteArrayOutputStream();\n    int each;\n    while ((each = in.read()) >= 0) {\n      bytes.write(each);\n    }\n    in.close();\n"
        "    return bytes.toByteArray();\n  }"
    )
    assert "    ByteArrayOutputStream bytes = new ByteArrayOutputStream();\n    try (InputStream in = new FileInputStream(path)) {\n      // Read all of it, byte by byte\n      int each;\n" in text


@pytest.mark.parametrize("body, is_declined", [("task.run();", True), ("super.execute(task);", False)])
def test_an_executor_that_runs_what_it_is_given_itself_needs_no_end(body: str, is_declined: bool) -> None:
    member = (
        "  void run(Runnable each) throws Exception {\n    ThreadPoolExecutor now = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<Runnable>()) {\n"
        f"      public void execute(Runnable task) {{ {body} }}\n    }};\n    now.submit(each).get();\n  }}"
    )
    assert (reasons(member) == ["what it is given its own `execute` runs"]) is is_declined
    assert bool(safe(member)) is not is_declined


def test_all_that_wraps_a_stream_comes_into_the_header_though_its_close_is_not_the_end() -> None:
    [text] = safe(
        "  static void load(String path, Properties all) {\n    try {\n      FileInputStream in = new FileInputStream(path);\n"
        "      java.util.zip.GZIPInputStream packed = new java.util.zip.GZIPInputStream(in);\n      ObjectInputStream objects = new ObjectInputStream(packed);\n"
        "      all.put(path, objects.readObject());\n      objects.close();\n\n      System.out.println(path);\n    } catch (IOException e) {\n      e.printStackTrace();\n"
        "    } catch (ClassNotFoundException e) {\n      e.printStackTrace();\n    }\n  }"
    )
    assert text.count("try (") == 1 and "ObjectInputStream objects = new ObjectInputStream(packed)) {\n      all.put(" in text


def test_a_mark_of_a_text_stays_on_its_line() -> None:
    [text] = safe(
        "  private void read(File file, char[] words) throws IOException {\n    FileInputStream in = new FileInputStream(file);\n"
        "    InputStreamReader letters = new InputStreamReader(in, \"UTF-8\"); //$NON-NLS-1$\n    letters.read(words);\n    letters.close();\n  }"
    )
    assert "new InputStreamReader(in, \"UTF-8\"); //$NON-NLS-1$\n" in text


def test_what_a_test_wants_to_be_missing_is_not_closed() -> None:
    own = "  static void assertNull(Object each) { if (each != null) throw new IllegalStateException(); }\n  static InputStream find(String path) throws IOException { return new FileInputStream(path); }\n"
    for body in ("assertNull(find(\"a\"));", "InputStream in = find(\"a\");\n    assertNull(in);"):
        assert not safe(f"{own}  void run() throws IOException {{\n    {body}\n  }}")


def test_a_buffer_of_constant_size_is_made_before_the_block() -> None:
    [text] = safe(
        "  static final int SIZE = 9;\n  static int first(String path) throws IOException {\n    InputStream in = new FileInputStream(path);\n"
        "    byte[] buffer = new byte[SIZE];\n    int n = in.read(buffer);\n    in.close();\n"
        "    System.out.println(1);\n    System.out.println(2);\n    System.out.println(3);\n    return n + buffer[0];\n  }"
    )
    assert "    byte[] buffer = new byte[SIZE];\n    int n;\n    try (InputStream in" in text


@pytest.mark.parametrize("kind", ["var", "int"])
def test_a_new_variable_leaves_its_type_out_where_the_others_do(kind: str) -> None:
    [text] = safe(
        f"  long count(String path) throws IOException {{\n    {kind} one = path.length();\n    {kind} two = one + 1;\n    {kind} three = two + 1;\n"
        "    long all = java.nio.file.Files.list(java.nio.file.Paths.get(path)).count();\n    return all + three;\n  }\n  // var"
    )
    assert ("try (var " in text) is (kind == "var")


def test_a_variable_without_a_written_type_is_named_by_what_it_holds() -> None:
    data = (
        b"import java.nio.file.*;\nimport java.util.jar.*;\nclass Case {\n  void pack(Path to, Manifest words) throws java.io.IOException {\n    var one = words.hashCode();\n"
        b"    var two = one + 1;\n    try (var all = new JarOutputStream(Files.newOutputStream(to), words)) {\n      all.write(two);\n    }\n  }\n}\n"
    )
    [answer] = answers("Case.java", data)
    assert isinstance(answer, Fix)
    assert b"try (var out = Files.newOutputStream(to); var all = new JarOutputStream(out, words)) {" in apply(data, answer.edits)
