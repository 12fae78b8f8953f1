"""How a safe patch of Java looks: what comes into a header, under a try, on a line of its own."""

from __future__ import annotations

import pytest

from fixers import Fix
from fixers.edits import apply
from tests.unit.fixers.members import offered, safe
from tests.unit.fixers.patching import answers


def test_an_acquisition_does_not_come_under_a_finally_that_does_more() -> None:
    body = (
        "  int users;\n  int run(String path) throws IOException {\n    users++;\n    InputStream in = new FileInputStream(path);\n"
        "    try {\n      return in.read();\n    } finally {\n      users--;\n    }\n  }"
    )
    [text] = safe(body)
    assert "InputStream in = new FileInputStream(path);\n    try (in) {" in text


def test_statements_of_one_line_part() -> None:
    [text] = safe(
        "  void run(String path) throws IOException {\n    FileInputStream in = new FileInputStream(path); in.read();\n  }"
    )
    assert "    try (FileInputStream in = new FileInputStream(path)) {\n      in.read();\n    }\n" in text


def test_comments_move_in_with_what_they_speak_of() -> None:
    [text] = safe(
        "  void run(String path) throws IOException {\n    FileInputStream in = new FileInputStream(path); // opened\n"
        "    // the first byte\n    in.read();\n    // done\n  }"
    )
    assert "(path)) { // opened\n      // the first byte\n      in.read();\n    }\n    // done\n" in text


def test_a_channel_of_a_stream_without_a_name_is_closed_for_it() -> None:
    [text] = safe(
        "  long size(String path) throws IOException {\n"
        "    java.nio.channels.FileChannel channel = new FileInputStream(path).getChannel();\n    return channel.size();\n  }"
    )
    assert "    try (java.nio.channels.FileChannel channel = new FileInputStream(path).getChannel()) {\n" in text


@pytest.mark.parametrize(
    "before, after",
    [
        (
            "    if (new FileInputStream(path).read() < 0) {\n      throw new IOException(path);\n    }\n",
            "    try (FileInputStream in = new FileInputStream(path)) {\n      if (in.read() < 0) {\n"
            "        throw new IOException(path);\n      }\n    }\n",
        ),
        (
            "    if (path != null)\n      System.out.println(new FileInputStream(path).read());\n",
            "    if (path != null)\n      try (FileInputStream in = new FileInputStream(path)) {\n"
            "        System.out.println(in.read());\n      }\n",
        ),
    ],
    ids=["condition", "only statement of a branch"],
)
def test_a_resource_inside_of_a_statement_gets_a_name(before: str, after: str) -> None:
    [text] = offered(f"  void run(String path) throws IOException {{\n{before}  }}")
    assert after in text


def test_a_type_that_nobody_knows_does_not_come_into_a_header() -> None:
    data = (
        b"import acme.Store;\nclass Case {\n  int run(Store store) throws Exception {\n    acme.Reader in = store.openReader();\n"
        b"    int size = in.read();\n    in.close();\n    return size;\n  }\n}\n"
    )
    [answer] = answers("Case.java", data)
    assert isinstance(answer, Fix)
    assert "finally {\n      in.close();" in apply(data, answer.edits).decode()


def test_a_variable_of_an_inner_class_is_another_one() -> None:
    [text] = safe(
        "  Runnable run(String path) throws IOException {\n    InputStream in = new FileInputStream(path);\n    in.read();\n"
        "    in.close();\n    System.out.println(path);\n    return new Runnable() {\n      public void run() {\n"
        "        Scanner in = new Scanner(path);\n        in.close();\n      }\n    };\n  }"
    )
    assert "    try (InputStream in = new FileInputStream(path)) {\n      in.read();\n    }\n    System.out.println(path);\n" in text
    assert "        Scanner in = new Scanner(path);\n        in.close();\n" in text


def test_wrappers_in_one_another_come_into_the_header() -> None:
    [text] = safe(
        "  String run(String path) throws IOException {\n    InputStream in = new FileInputStream(path);\n"
        "    BufferedReader lines = new BufferedReader(new InputStreamReader(in));\n    String line = lines.readLine();\n"
        "    lines.close();\n    return line;\n  }"
    )
    assert "BufferedReader lines = new BufferedReader(new InputStreamReader(in))) {\n" in text
    assert "lines.close()" not in text


def test_an_acquisition_of_several_lines_comes_into_the_header_on_one() -> None:
    [text] = safe(
        "  int run(String path) throws IOException {\n    InputStream in = new FileInputStream(\n        path);\n"
        "    return in.read();\n  }"
    )
    assert "    try (InputStream in = new FileInputStream(path)) {\n" in text


def test_what_a_literal_says_is_not_touched() -> None:
    [text] = safe(
        "  int run() throws IOException {\n    InputStream in = new FileInputStream(\n        \"two  blanks\");\n"
        "    return in.read();\n  }"
    )
    assert "\"two  blanks\"" in text


def test_lines_are_moved_in_as_those_around_them() -> None:
    text = (
        "class Other {\n    int a;\n    int b;\n    int c() {\n        return a;\n    }\n}\n"
        "class Case {\n\tint run(String path) throws java.io.IOException {\n"
        "\t\tjava.io.InputStream in = new java.io.FileInputStream(path);\n\t\tint size = in.read();\n\t\treturn size;\n\t}\n}\n"
    )
    [answer] = answers("Case.java", text.encode())
    assert isinstance(answer, Fix)
    assert "FileInputStream(path)) {\n\t\t\tint size = in.read();\n\t\t\treturn size;\n\t\t}\n" in apply(text.encode(), answer.edits).decode()


def test_a_variable_that_is_asked_for_null_keeps_what_sets_it_to_null() -> None:
    body = (
        "  int run(String path, int k) throws IOException {\n    InputStream in = new FileInputStream(path);\n"
        "    if (k == 1)\n      in = null;\n    int b = in == null ? 0 : in.read();\n    if (in != null)\n      in.close();\n"
        "    return b;\n  }"
    )
    assert all("in = null;" in text for text in safe(body))


def test_a_constant_stays_one() -> None:
    body = (
        "  int run(String path, int k) throws IOException {\n    InputStream in = new FileInputStream(path);\n"
        "    final int one = 1;\n    in.read();\n    in.close();\n    k++;\n    k++;\n    k++;\n    k++;\n    k++;\n"
        "    switch (k) {\n      case one:\n        return 1;\n      default:\n        return 0;\n    }\n  }"
    )
    [text] = safe(body)
    assert "final int one = 1;" in text


def test_two_new_objects_of_one_variable_share_a_header() -> None:
    body = (
        "  int run(String path, int k) throws IOException {\n"
        "    InputStream in = k == 0 ? new FileInputStream(path) : new FileInputStream(path + k);\n"
        "    int b = in.read();\n    in.close();\n    return b;\n  }"
    )
    texts = safe(body)
    assert texts and all("try (InputStream in = k == 0 ? new" in text for text in texts)


def test_nothing_is_left_at_the_end_of_a_line() -> None:
    body = (
        "  void run(String path) throws IOException {\n"
        "    FileWriter out = new FileWriter(path); out.write(1); out.close();\n    path.trim();\n  }"
    )
    [text] = safe(body)
    assert all(line == line.rstrip() for line in text.splitlines())


def test_no_blank_line_is_left_beside_braces() -> None:
    body = (
        "  int run(String path) throws IOException {\n    FileInputStream in = new FileInputStream(path);\n\n"
        "    int x = in.read();\n\n    in.close();\n\n    System.out.println(1);\n    return x;\n  }\n"
        "  void write(String path) throws IOException {\n    FileOutputStream out = new FileOutputStream(path);\n\n"
        "    // one\n    out.write(1);\n\n    out.close();\n    System.out.println(1);\n  }"
    )
    for text in safe(body):
        assert "{\n\n" not in text.replace("  }\n\n", "") and "\n\n    }" not in text and "\n\n\n" not in text


def test_what_only_one_try_uses_is_closed_by_that() -> None:
    body = (
        "  void load(ClassLoader loader, Properties into) {\n    InputStream in = loader.getResourceAsStream(\"a\");\n"
        "    if (in != null) {\n      try {\n        into.load(in);\n      } catch (IOException e) {\n        e.printStackTrace();\n"
        "      }\n    }\n  }"
    )
    [text] = safe(body)
    assert "      try (in) {\n        into.load(in);\n      } catch" in text


def test_the_only_call_of_a_chain_stands_beside_the_name() -> None:
    body = (
        "  void walk(java.nio.file.Path top) throws IOException {\n    java.nio.file.Files.walk(top)\n      .forEach(p -> {\n"
        "        System.out.println(p);\n      });\n  }"
    )
    [text] = safe(body)
    assert "      stream.forEach(p -> {\n        System.out.println(p);\n      });\n    }" in text


def test_a_block_ends_where_the_code_closed() -> None:
    body = (
        "  void rewrite(String path) {\n    try {\n      BufferedReader in = new BufferedReader(new FileReader(path));\n"
        "      String s = in.readLine();\n      in.close();\n      s = s.trim();\n      s = s + s;\n"
        "      BufferedWriter out = new BufferedWriter(new FileWriter(path));\n      out.write(s);\n      out.close();\n"
        "    } catch (IOException e) {\n      e.printStackTrace();\n    }\n  }"
    )
    for text in safe(body):
        assert "    }\n      s = s.trim();" in text.replace("      }\n      s", "    }\n      s")


def test_annotations_come_into_the_header() -> None:
    body = (
        "  void run(String path) throws IOException {\n    @Deprecated\n    final FileInputStream in = new FileInputStream(path);\n"
        "    in.read();\n  }"
    )
    [text] = safe(body)
    assert "try (@Deprecated FileInputStream in = new FileInputStream(path)) {" in text


def test_resources_of_several_lines_are_joined() -> None:
    body = (
        "  void run(String path) throws IOException {\n    Writer out = new OutputStreamWriter(\n"
        "        new FileOutputStream(path), \"8859_1\");\n    out.write(1);\n    out.close();\n  }"
    )
    [text] = safe(body)
    assert 'Writer out = new OutputStreamWriter(out2, "8859_1")' in text or 'new FileOutputStream(path), "8859_1"))' in text


def test_steps_are_those_behind_braces() -> None:
    long = "    String s = path\n            .trim();\n    s = s\n            .trim();\n    s = s\n            .trim();\n"
    body = f"  int run(String path) throws IOException {{\n{long}    InputStream in = new FileInputStream(path);\n    return in.read();\n  }}"
    [text] = safe(body)
    assert "    try (InputStream in = new FileInputStream(path)) {\n      return in.read();\n    }" in text


def test_calls_behind_a_dot_at_the_end_of_a_line_are_joined() -> None:
    body = (
        "  void run(String path) throws IOException {\n    Reader in = new InputStreamReader(new FileInputStream(path.\n"
        "        trim()));\n    in.read();\n    in.close();\n    path.trim();\n  }"
    )
    [text] = safe(body)
    assert "path.trim()" in text.partition("{\n")[2].partition(")) {")[0]


def test_the_try_that_needs_a_resource_last_closes_it() -> None:
    body = (
        "  int run(String path) throws IOException {\n    FileInputStream in = new FileInputStream(path);\n    int n = 0;\n"
        "    try {\n      n += in.read();\n      in.close();\n    } catch (IOException e) {\n      System.out.println(e);\n    }\n"
        "    return n;\n  }"
    )
    [text] = safe(body)
    assert "    int n = 0;\n    try (in) {\n      n += in.read();\n    } catch (IOException e) {" in text


def test_what_is_closed_early_stays_closed_early() -> None:
    body = (
        "  void store(String path) throws IOException {\n    InputStream in = new FileInputStream(path);\n"
        "    Properties all = new Properties();\n    all.load(in);\n    all.remove(\"a\");\n    all.remove(\"b\");\n    in.close();\n"
        "    path = path.trim();\n    path = path + 1;\n    OutputStream out = new FileOutputStream(path);\n"
        "    all.store(out, \"\");\n    out.close();\n  }"
    )
    for text in safe(body):
        assert "    }\n    path = path.trim();" in text


def test_a_block_ends_where_the_code_closed_though_a_variable_is_used_on() -> None:
    [text] = safe(
        "  boolean read(String path) throws IOException {\n"
        "    BufferedReader in = new BufferedReader(new FileReader(path));\n    String all = \"\";\n"
        "    all += in.readLine();\n    in.close();\n    String[] wanted = {\"a\", \"b\"};\n"
        "    for (String each : wanted) {\n      if (!all.contains(each)) return false;\n    }\n    return true;\n  }"
    )
    assert "    String all = \"\";\n    try (" in text
    assert "all += in.readLine();\n    }\n    String[] wanted" in text
