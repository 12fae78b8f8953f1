"""A variable that is opened anew: a header for each opening, where nothing else hangs together."""

from __future__ import annotations

from analyzers import analyze
from fixers import Applicability, Declined, Fix
from fixers.siblings import is_closed_beside, is_same_variable
from tests.unit.fixers.members import HEAD, safe
from tests.unit.fixers.patching import answers, program


def test_each_opening_of_a_variable_gets_a_header() -> None:
    texts = safe(
        "  void store(String path, Object one, Object two) throws IOException {\n"
        "    ObjectOutputStream out = new ObjectOutputStream(new FileOutputStream(path + \".one\"));\n    out.writeObject(one);\n    out.close();\n"
        "    out = new ObjectOutputStream(new FileOutputStream(path + \".two\"));\n    out.writeObject(two);\n    out.close();\n  }"
    )
    assert texts and len(set(texts)) == 1
    assert texts[0].count("ObjectOutputStream out = new ObjectOutputStream(") == 2 and ".close()" not in texts[0]


def test_the_tries_that_are_there_take_their_openings() -> None:
    [text, *others] = safe(
        "  int count(String path) {\n    Scanner in = null;\n    int n = 0;\n    try {\n      in = new Scanner(new File(path));\n      while (in.hasNext()) n++;\n"
        "    } catch (FileNotFoundException x) {\n      n = -1;\n    } finally {\n      if (in != null) in.close();\n    }\n    in = null;\n    try {\n"
        "      in = new Scanner(new File(path + 2));\n      if (in.hasNext(path)) throw new IllegalStateException();\n"
        "    } catch (FileNotFoundException x) {\n      n = -2;\n    }\n    return n;\n  }"
    )
    assert text.count("try (Scanner in = new Scanner(") == 2 and "null" not in text and "finally" not in text and set(others) <= {text}


def test_an_opening_in_a_loop_is_one_of_its_own() -> None:
    [text, *_] = safe(
        "  int sum(String path) throws IOException {\n    InputStream in = new FileInputStream(path);\n    int n = in.read();\n    in.close();\n"
        "    for (int i = 0; i < n; i++) {\n      in = new FileInputStream(path + i);\n      n += in.read();\n      in.close();\n    }\n    return n;\n  }"
    )
    assert "    try (InputStream in = new FileInputStream(path)) {\n      n = in.read();\n    }\n" in text
    assert "      try (InputStream in = new FileInputStream(path + i)) {\n        n += in.read();\n      }\n" in text


def test_what_somebody_else_has_gets_no_header() -> None:
    body = (
        "  InputStream held;\n  InputStream from(String path) throws IOException {\n    if (held == null) held = new FileInputStream(path);\n    return held;\n  }\n"
        "  int read(String path, Socket socket) throws IOException {\n    InputStream in = new FileInputStream(path);\n    int n = in.read();\n    in.close();\n"
        "    in = GIVEN;\n    n += in.read();\n    return n;\n  }"
    )
    for given in ("from(path)", "socket.getInputStream()", "held", "System.in"):
        assert all("try (" not in each for each in safe(body.replace("GIVEN", given)))


def test_what_goes_on_with_an_opening_gets_no_header() -> None:
    body = (
        "  InputStream held;\n  List<InputStream> all = new ArrayList<>();\n  InputStream read(String path) throws IOException {\n"
        "    InputStream in = new FileInputStream(path);\n    if (in.read() < 0) throw new IOException();\n    in.close();\n"
        "    in = new FileInputStream(path + 2);\n    in.skip(3);\n    USE;\n  }"
    )
    for use in ("return in", "held = in; return null", "all.add(in); return null", "return new BufferedInputStream(in)"):
        data = (HEAD + body.replace("USE", use) + "\n}\n").encode()
        fixes = [each for each in answers("Case.java", data) if isinstance(each, Fix) and each.applicability is Applicability.SAFE]
        assert all("try (" not in edit.text for each in fixes for edit in each.edits)


def test_what_a_turn_leaves_to_the_next_stays() -> None:
    texts = safe(
        "  int read(String path) throws IOException {\n    InputStream in = null;\n    int n = 0;\n    for (int i = 0; i < 3; i++) {\n"
        "      if (in == null) {\n        in = new FileInputStream(path + i);\n        n += in.read();\n      } else {\n        in = new FileInputStream(path);\n"
        "        n += in.read();\n        in.close();\n      }\n    }\n    return n;\n  }"
    )
    assert all("try (" not in each for each in texts)


def test_what_is_made_of_an_opening_and_used_behind_the_next_stays() -> None:
    data = (HEAD + (
        "  int read(String path) throws IOException {\n    InputStream in = new FileInputStream(path);\n    InputStream first = new BufferedInputStream(in);\n"
        "    in = new FileInputStream(path + 2);\n    int n = first.read() + in.read();\n    first.close();\n    in.close();\n    return n;\n  }\n}\n"
    )).encode()
    for each in answers("Case.java", data):
        assert isinstance(each, Declined) or not any("try (" in edit.text for edit in each.edits)


def test_tests_of_the_code_in_two_headers_are_told_from_those_of_the_headers() -> None:
    texts = safe(
        "  boolean has(java.sql.DatabaseMetaData data, String schema, String name, boolean is) throws java.sql.SQLException {\n    boolean found;\n    if (is) {\n"
        "      java.sql.ResultSet tables = data.getTables(null, schema != null && !schema.isEmpty() ?\n          schema.toUpperCase() : null, name.toUpperCase(), null);\n"
        "      found = tables.next();\n      tables.close();\n    } else {\n"
        "      java.sql.ResultSet columns = data.getColumns(null, schema != null && !schema.isEmpty() ?\n          schema.toUpperCase() : null, name.toUpperCase(), null);\n"
        "      found = columns.next();\n      columns.close();\n    }\n    return found;\n  }"
    )
    assert texts and all(text.count("try (java.sql.ResultSet ") == 2 for text in texts)


def test_what_loops_declare_for_themselves_is_no_hindrance() -> None:
    part = (
        "    in = new BufferedReader(new FileReader(NAME));\n    while ((line = in.readLine()) != null) {\n      final StringBuilder word = found.get(in.read());\n"
        "      word.append(line);\n    }\n    in.close();\n"
    )
    body = (
        "  void run(String one, String two, List<StringBuilder> found) throws IOException {\n    String line;\n"
        f"    BufferedReader {part.strip().replace('NAME', 'one')}\n{part.replace('NAME', 'two')}  }}"
    )
    texts = safe(body)
    assert len(set(texts)) == 1 and texts[0].count("try (") == 2
    shared = body.replace("      final StringBuilder word = found", "      word = found").replace("    String line;\n", "    String line;\n    StringBuilder word;\n")
    assert not any("try (" in each for each in safe(shared))


def test_two_variables_by_one_name_are_told_apart() -> None:
    body = (
        "  int run(String one, String two) throws IOException {\n    int n;\n    {\n      InputStream in = new FileInputStream(one);\n      n = in.read();\n      in.close();\n    }\n"
        "    InputStream in = new FileInputStream(two);\n    n += in.read();\n    in.close();\n    in = new FileInputStream(one);\n    n += in.read();\n    in.close();\n    return n;\n  }"
    )
    data = (HEAD + body + "\n}\n").encode()
    subject = program("Case.java", data)
    first, second, third = analyze(subject).findings
    assert is_same_variable(second, third, subject) and not is_same_variable(first, second, subject)


def test_what_is_closed_in_one_go_is_mended_in_one_go() -> None:
    plain = "  void run(String one, String two) throws IOException {\n    InputStream from = new FileInputStream(one);\n    OutputStream to = new FileOutputStream(two);\n    to.write(from.read());\n    CLOSES\n  }"
    for closes, beside in (("from.close();\n    to.close();", True), ("to.close();\n    from.close();", True), ("from.close();\n    to.flush();\n    to.close();", True), ("from.close();\n    System.out.println();\n    to.close();", False)):
        subject = program("Case.java", (HEAD + plain.replace("CLOSES", closes) + "\n}\n").encode())
        first, second = analyze(subject).findings
        assert is_closed_beside(first, second, subject) is beside and is_closed_beside(second, first, subject) is beside


def test_channels_of_files_that_are_closed_in_one_go_belong_together() -> None:
    body = (
        "  void run(File one, File two) throws IOException {\n    RandomAccessFile from = new RandomAccessFile(one, \"r\");\n    RandomAccessFile to = new RandomAccessFile(two, \"rw\");\n"
        "    java.nio.channels.FileChannel source = from.getChannel();\n    java.nio.channels.FileChannel target = to.getChannel();\n"
        "    source.transferTo(0, 8, target);\n    source.close();\n    target.close();\n  }"
    )
    subject = program("Case.java", (HEAD + body + "\n}\n").encode())
    first, second = analyze(subject).findings
    assert is_closed_beside(first, second, subject)


def test_what_is_made_of_much_else_does_not_stand_for_each_of_it() -> None:
    body = (
        "  static class Show implements Closeable {\n    Show(Object[] parts) { }\n    public void close() { }\n  }\n"
        "  void run(File one, File two) throws IOException {\n    InputStream from = new FileInputStream(one);\n    OutputStream to = new FileOutputStream(two);\n"
        "    Show show = new Show(new Object[] {from});\n    to.write(from.read());\n    show.close();\n    to.close();\n  }"
    )
    subject = program("Case.java", (HEAD + body + "\n}\n").encode())
    found = {each.variable: each for each in analyze(subject).findings}
    assert not is_closed_beside(found["from"], found["to"], subject)
