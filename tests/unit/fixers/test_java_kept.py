"""What an object, a caller or a collection still holds is never safely closed."""

from __future__ import annotations

import pytest

from fixers import Fix
from fixers.edits import apply
from tests.unit.fixers.members import HEAD, offered, reasons, safe
from tests.unit.fixers.patching import answers


def test_what_a_returned_wrapper_reads_from_stays_open() -> None:
    [text] = safe(
        "  Scanner open(String path) throws IOException {\n    FileInputStream in = new FileInputStream(path);\n"
        "    in.read();\n    Scanner words = new Scanner(in);\n    return words;\n  }"
    )
    assert "try (" not in text and "finally" not in text
    assert "throw e;" in text


@pytest.mark.parametrize("keep", ["last = box;", "boxes.add(box);", "Box other = box; last = other;"])
def test_what_a_callee_keeps_inside_of_something_is_not_safely_closed(keep: str) -> None:
    body = (
        "  static class Box { InputStream in; Box(InputStream in) { this.in = in; } }\n  Box last; List<Box> boxes;\n"
        f"  void keep(Box box) {{ {keep} }}\n"
        "  void run(String path) throws IOException {\n    FileInputStream in = new FileInputStream(path);\n"
        "    in.read();\n    Box box = new Box(in);\n    keep(box);\n  }"
    )
    assert safe(body) == []


def test_what_is_written_is_closed_before_somebody_reads_the_file() -> None:
    body = (
        "  void run(File from, File to) throws IOException {\n    FileWriter out = null;\n    try {\n"
        "      out = new FileWriter(from);\n      out.write(1);\n      out.close();\n      out = null;\n"
        "      from.renameTo(to);\n    } finally {\n      System.out.println(to);\n    }\n  }"
    )
    assert all("        out.write(1);\n      }\n      from.renameTo(to);\n" in each for each in safe(body))


def test_what_an_object_reads_from_stays_open_until_its_last_use() -> None:
    body = (
        "  static class Box { InputStream in; int next() throws IOException { return in.read(); } }\n"
        "  int run(String path, boolean asked) throws IOException {\n    Box box = new Box();\n"
        "    InputStream in = new FileInputStream(path);\n    if (asked) {\n      return 1;\n    }\n"
        "    box.in = in;\n    int b = box.next();\n    in.close();\n    return b;\n  }"
    )
    [text] = safe(body)
    assert text.index("box.next()") < text.index("      return b;\n    }\n")


def test_what_is_returned_in_an_array_stays_open() -> None:
    body = (
        "  static Socket[] pair(ServerSocket server) throws IOException {\n    Socket s = new Socket(\"a\", 1);\n"
        "    s.setSoTimeout(3);\n    return new Socket[] {s, server.accept()};\n  }"
    )
    data = (HEAD + body + "\n}\n").encode()
    for each in answers("Case.java", data):
        text = apply(data, each.edits).decode() if isinstance(each, Fix) else ""
        assert "try (Socket" not in text and "finally" not in text


def test_what_may_not_need_closing_and_may_be_kept_is_left_alone() -> None:
    body = (
        "  static class Log implements Closeable {\n    private InputStream in;\n    private Closeable kept;\n"
        "    Log read() { kept = this; last = this; return this; }\n"
        "    void open() throws IOException { in = new FileInputStream(\"a\"); }\n"
        "    public void close() throws IOException { if (in != null) in.close(); }\n  }\n  static Log last;\n"
        "  Log run() {\n    Log log = new Log();\n    return log.read();\n  }"
    )
    data = (HEAD + body + "\n}\n").encode()
    assert not any(isinstance(each, Fix) and b"try (Log" in apply(data, each.edits) for each in answers("Case.java", data))


def test_rows_are_read_before_their_statement_is_closed() -> None:
    body = (
        "  void copy(java.sql.Connection con) throws java.sql.SQLException {\n"
        "    java.sql.PreparedStatement s = con.prepareStatement(\"SELECT\");\n    java.sql.ResultSet rows = s.executeQuery();\n"
        "    while (rows.next()) {\n      s = con.prepareStatement(\"INSERT\");\n      s.setString(1, rows.getString(1));\n"
        "      s.executeUpdate();\n    }\n    s.close();\n  }"
    )
    data = (HEAD + body + "\n}\n").encode()
    for each in answers("Case.java", data):
        text = apply(data, each.edits).decode() if isinstance(each, Fix) else ""
        assert "s.close();\n      s = con" not in text


def test_a_helper_that_closes_gets_no_close_beside_it() -> None:
    body = (
        "  static void both(java.sql.ResultSet r, java.sql.Statement s) throws java.sql.SQLException {\n    r.close();\n    s.close();\n  }\n"
        "  boolean has(java.sql.Connection con) throws java.sql.SQLException {\n    java.sql.PreparedStatement s = null;\n"
        "    java.sql.ResultSet r = null;\n    try {\n      s = con.prepareStatement(\"SELECT\");\n      r = s.executeQuery();\n"
        "      return r.next();\n    } finally {\n      both(r, s);\n    }\n  }"
    )
    data = (HEAD + body + "\n}\n").encode()
    for each in answers("Case.java", data):
        assert not isinstance(each, Fix) or apply(data, each.edits).decode().count("s.close();") == 1


def test_what_a_writer_still_holds_is_written_before_the_file_is_closed() -> None:
    body = (
        "  void save(String path, Object o) {\n    FileOutputStream file;\n    ObjectOutputStream out = null;\n    try {\n"
        "      file = new FileOutputStream(path);\n      out = new ObjectOutputStream(file);\n      out.writeObject(o);\n"
        "    } catch (Exception e) {\n      e.printStackTrace();\n    } finally {\n      if (out != null)\n        try {\n"
        "          out.close();\n        } catch (IOException e) {}\n    }\n  }"
    )
    [text] = offered(body)
    assert text.index("out.close();") < text.index("file.close();")


def test_what_is_meant_to_stay_open_does() -> None:
    body = (
        "  void run(String path) throws IOException {\n    @SuppressWarnings(\"resource\")\n"
        "    FileInputStream in = new FileInputStream(path);\n    in.read();\n  }"
    )
    assert safe(body) == []


def test_what_spotbugs_is_told_to_leave_open_stays_so() -> None:
    body = (
        "  @edu.umd.cs.findbugs.annotations.SuppressFBWarnings(value = \"OBL_UNSATISFIED_OBLIGATION\", justification = \"not closed here\")\n"
        "  void run(String path) throws IOException {\n    FileInputStream in = new FileInputStream(path);\n    in.read();\n  }"
    )
    assert safe(body) == []
    assert len(safe(body.replace("OBL_UNSATISFIED_OBLIGATION", "PATH_TRAVERSAL_IN"))) == 1


def test_what_an_inspection_is_told_to_leave_open_stays_so() -> None:
    body = (
        "  void run(String path) throws IOException {\n    // The watcher has it.\n    //noinspection resource\n    FileInputStream in = new FileInputStream(path);\n    in.read();\n  }"
    )
    assert safe(body) == []
    assert len(safe(body.replace("noinspection resource", "noinspection unused"))) == 1
    assert len(safe(body.replace("//noinspection resource\n", "//noinspection resource\n    System.out.println(path);\n"))) == 1


def test_what_a_map_gives_again_is_not_closed_in_a_turn() -> None:
    body = (
        "  static FileWriter open(String path) { try { return new FileWriter(path); } catch (IOException e) { throw new IllegalStateException(e); } }\n"
        "  void run(List<String> paths) throws IOException {\n    Map<String, FileWriter> made = new HashMap<>();\n"
        "    for (String path : paths) {\n      FileWriter out = made.computeIfAbsent(path, each -> open(each));\n      out.write(1);\n    }\n  }"
    )
    assert offered(body) == []
    assert reasons(body) == ["the map gives it again to whoever asks it"]


def test_what_an_object_was_given_stays_open_as_long_as_that_is_used() -> None:
    body = (
        "  static class Input { private InputStream in; void setIn(InputStream in) { this.in = in; }\n"
        "    int next() throws IOException { return in.read(); } }\n"
        "  int run(String path) throws IOException {\n    Input input = new Input();\n"
        "    InputStream in = new FileInputStream(path);\n    input.setIn(in);\n    path.trim();\n    return input.next();\n  }"
    )
    [text] = safe(body)
    assert text.index("return input.next();") < text.index("\n    }\n  }", text.index("try ("))


def test_what_an_object_keeps_is_not_closed_in_an_inner_block() -> None:
    body = (
        "  static class Input { private InputStream in; void setIn(InputStream in) { this.in = in; }\n"
        "    int next() throws IOException { return in == null ? 0 : in.read(); } }\n"
        "  int run(String path, boolean asked) throws IOException {\n    Input input = new Input();\n    InputStream in = null;\n"
        "    try {\n      if (asked) {\n        in = new FileInputStream(path);\n        input.setIn(in);\n      }\n"
        "      int b = input.next();\n      if (in != null) {\n        in.close();\n      }\n      return b;\n"
        "    } catch (IllegalStateException e) {\n      return 0;\n    }\n  }"
    )
    data = (HEAD + body + "\n}\n").encode()
    for each in answers("Case.java", data):
        text = apply(data, each.edits).decode() if isinstance(each, Fix) else ""
        assert "        try (" not in text


def test_what_is_handed_on_by_reflection_is_kept_there() -> None:
    body = (
        "  void serve(java.lang.reflect.Method keep, Object server) throws Exception {\n"
        "    ExecutorService pool = Executors.newCachedThreadPool();\n    keep.invoke(server, pool);\n  }"
    )
    assert safe(body) == reasons(body) == []


@pytest.mark.parametrize("made", ["loader.loadClass(name)", "Class.forName(name, true, loader)"])
@pytest.mark.parametrize("use", ["driver = (Runnable) made.getDeclaredConstructor().newInstance();", "last = made;"])
def test_a_loader_of_what_is_kept_stays_open(made: str, use: str) -> None:
    body = (
        "  Runnable driver; Class<?> last;\n  void load(URL[] urls, String name) throws Exception {\n"
        f"    URLClassLoader loader = new URLClassLoader(urls);\n    Class<?> made = {made};\n    {use}\n  }}"
    )
    assert safe(body) == []


def test_a_loader_of_what_is_only_looked_at_is_closed() -> None:
    [text] = safe(
        "  String load(URL[] urls, String name) throws Exception {\n    URLClassLoader loader = new URLClassLoader(urls);\n"
        "    Class<?> made = loader.loadClass(name);\n    return made.getName();\n  }"
    )
    assert "try (URLClassLoader loader" in text


def test_a_field_goes_with_its_comment_and_one_of_two_blank_lines() -> None:
    data = (
        b"import java.util.ArrayList;\nimport java.util.List;\n\npublic class Shape {\n    private int count;\n\n    // all points, for a copy\n"
        b"    private final List<Object> points = new ArrayList<>();\n\n    public void add(Object point) {\n        points.add(point);\n        count++;\n    }\n\n"
        b"    public static void main(String[] all) {\n        Shape shape = new Shape();\n        while (true) {\n            shape.add(new Object());\n        }\n    }\n}\n"
    )
    [answer] = [each for each in answers("Shape.java", data) if isinstance(each, Fix)]
    assert b"    private int count;\n\n    public void add(Object point) {\n        count++;\n" in apply(data, answer.edits)


def test_the_comment_of_a_store_that_goes_goes_with_it() -> None:
    data = (
        b"import java.util.ArrayList;\nimport java.util.List;\n\npublic class Shape {\n    private int count;\n\n"
        b"    private final List<Object> points = new ArrayList<>();\n\n    public void add(Object point) {\n        count++;\n\n"
        b"        // keep it so that it is not added again\n        points.add(point);\n    }\n\n"
        b"    public static void main(String[] all) {\n        Shape shape = new Shape();\n        while (true) {\n            shape.add(new Object());\n        }\n    }\n}\n"
    )
    [answer] = [each for each in answers("Shape.java", data) if isinstance(each, Fix)]
    assert b"not added again" not in apply(data, answer.edits)


STATEMENT = (
    "  void run(java.sql.PreparedStatement st, File f, int kind) throws Exception {\n    %s\n      FileInputStream in = new FileInputStream(f);\n"
    "      st.setBinaryStream(1, in);\n      %s\n    }\n    %s\n  }"
)


@pytest.mark.parametrize(("before", "inside", "behind"), [
    ("if (kind > 1) {", "", "st.executeUpdate();"),
    ("if (kind > 1) {", "st.addBatch();", ""),
    ("if (kind > 1) {", "", ""),
    ("switch (kind) { case 1: {", "break; } default: st.setString(1, f.getName());", ""),
])  # fmt: skip
def test_what_a_statement_will_read_from_stays_open(before: str, inside: str, behind: str) -> None:
    assert safe(STATEMENT % (before, inside, behind)) == []


def test_what_a_statement_has_read_from_is_closed_behind_that() -> None:
    [text] = safe(STATEMENT % ("if (kind > 1) {", "st.setInt(2, kind);\n      st.executeUpdate();", ""))
    assert "try (FileInputStream in = new FileInputStream(f)) {" in text
    assert text.index("st.executeUpdate();") < text.index("      }\n    }\n")


def test_a_row_has_read_what_is_put_in_when_it_is_written() -> None:
    [text] = safe(
        "  void run(java.sql.ResultSet rows, File f) throws Exception {\n    FileInputStream in = new FileInputStream(f);\n"
        "    rows.updateBinaryStream(1, in);\n    rows.updateRow();\n  }"
    )
    assert text.index("rows.updateRow();") < text.index("    }\n  }\n")


def test_what_a_method_gives_as_something_more_general_is_not_named_as_what_it_is() -> None:
    data = (
        b"import java.io.IOException;\nimport org.apache.http.HttpResponse;\nimport org.apache.http.client.methods.HttpGet;\n"
        b"import org.apache.http.impl.client.CloseableHttpClient;\nimport org.apache.http.impl.client.HttpClients;\nclass Case {\n"
        b"  final CloseableHttpClient client = HttpClients.createDefault();\n"
        b"  HttpResponse get(String url) throws IOException {\n    return client.execute(new HttpGet(url));\n  }\n"
        b"  void run(String url) {\n    try {\n      get(url);\n    } catch (IOException e) {\n      System.err.println(e);\n    }\n  }\n}\n"
    )
    found = answers("Case.java", data)
    assert found
    assert not any("CloseableHttpResponse " in edit.text for each in found if isinstance(each, Fix) for edit in each.edits)
