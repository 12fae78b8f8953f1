"""What a proof about Java must not take for granted: each method with what may not be done to it safely."""

from __future__ import annotations

import pytest

from fixers import Applicability, Declined, Fix
from fixers.edits import apply
from tests.unit.fixers.patching import answers

HEAD = "import java.io.*;\nimport java.util.*;\nimport java.util.concurrent.*;\nimport java.net.*;\nclass Case {\n"


def safe(body: str) -> list[str]:
    """The texts after each safe fix of some members of a class."""
    data = (HEAD + body + "\n}\n").encode()
    return [
        apply(data, each.edits).decode().removeprefix(HEAD)
        for each in answers("Case.java", data)
        if isinstance(each, Fix) and each.applicability is Applicability.SAFE
    ]


def reasons(body: str) -> list[str]:
    """Why nothing is done."""
    data = (HEAD + body + "\n}\n").encode()
    return [each.reason for each in answers("Case.java", data) if isinstance(each, Declined)]


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


def test_an_acquisition_does_not_come_under_a_finally_that_does_more() -> None:
    body = (
        "  int users;\n  int run(String path) throws IOException {\n    users++;\n    InputStream in = new FileInputStream(path);\n"
        "    try {\n      return in.read();\n    } finally {\n      users--;\n    }\n  }"
    )
    [text] = safe(body)
    assert "InputStream in = new FileInputStream(path);\n    try (in) {" in text


def test_what_is_repeated_in_a_pool_keeps_it() -> None:
    body = (
        "  void run(Runnable beat) {\n    ScheduledExecutorService pool = Executors.newScheduledThreadPool(2);\n"
        "    pool.scheduleAtFixedRate(beat, 1, 1, TimeUnit.SECONDS);\n  }"
    )
    assert safe(body) == []
    assert all("repeats would end with it" in each for each in reasons(body))


def test_a_lambda_may_throw_what_it_throws_already() -> None:
    [text] = safe(
        "  Callable<Integer> size = () -> {\n    FileInputStream in = new FileInputStream(\"x\");\n"
        "    return in.read();\n  };"
    )
    assert "    try (FileInputStream in = new FileInputStream(\"x\")) {\n      return in.read();\n    }\n" in text


def test_a_variable_that_is_used_again_is_closed_once_before() -> None:
    text, _ = safe(
        "  int run(String one, String two) throws IOException {\n    InputStream in = new FileInputStream(one);\n"
        "    int size = in.read();\n    in = new FileInputStream(two);\n    size += in.read();\n    in.close();\n"
        "    return size;\n  }"
    )
    assert "      int size = in.read();\n      in.close();\n      in = new FileInputStream(two);\n" in text


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


def test_what_may_be_null_is_not_closed_unseen() -> None:
    [text] = safe(
        "  FileInputStream open(String path) {\n    FileInputStream in = null;\n    try {\n      in = new FileInputStream(path);\n"
        "    } catch (IOException e) {\n      System.err.println(path);\n    }\n    return in;\n  }\n"
        "  void run(String path) throws IOException {\n    FileInputStream in = open(path);\n  }"
    )
    assert "    FileInputStream in = open(path);\n    if (in != null) {\n      in.close();\n    }\n" in text


def test_what_surely_returns_something_needs_no_test() -> None:
    [text] = safe(
        "  FileInputStream open(String path) throws IOException {\n    return new FileInputStream(path);\n  }\n"
        "  void run(String path) throws IOException {\n    open(path);\n  }"
    )
    assert "open(path).close();" in text


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
    [text] = safe(f"  void run(String path) throws IOException {{\n{before}  }}")
    assert after in text


def test_a_resource_that_is_only_sometimes_opened_is_not_opened_before() -> None:
    assert safe(
        "  void run(String path) throws IOException {\n    if (path != null && new FileInputStream(path).read() < 0) {\n"
        "      throw new IOException(path);\n    }\n  }"
    ) == []


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


def test_a_variable_of_a_type_that_need_not_have_close_is_not_safely_closed() -> None:
    data = (
        b"import org.apache.http.HttpResponse;\nimport org.apache.http.impl.client.*;\nimport org.apache.http.client.methods.*;\n"
        b"class Case {\n  int run(CloseableHttpClient client, HttpGet get) throws java.io.IOException {\n"
        b"    HttpResponse response = client.execute(get);\n    return response.getStatusLine().getStatusCode();\n  }\n}\n"
    )
    found = answers("Case.java", data)
    assert found
    assert all(isinstance(each, Declined) or each.applicability is Applicability.UNSAFE for each in found)


def test_lines_are_moved_in_as_those_around_them() -> None:
    text = (
        "class Other {\n    int a;\n    int b;\n    int c() {\n        return a;\n    }\n}\n"
        "class Case {\n\tint run(String path) throws java.io.IOException {\n"
        "\t\tjava.io.InputStream in = new java.io.FileInputStream(path);\n\t\tint size = in.read();\n\t\treturn size;\n\t}\n}\n"
    )
    [answer] = answers("Case.java", text.encode())
    assert isinstance(answer, Fix)
    assert "FileInputStream(path)) {\n\t\t\tint size = in.read();\n\t\t\treturn size;\n\t\t}\n" in apply(text.encode(), answer.edits).decode()


def test_what_closing_throws_may_pass_where_it_did() -> None:
    data = (
        b"import acme.Store;\nclass Case {\n  int run(Store store) throws acme.Failure {\n    acme.Reader in = store.openReader();\n"
        b"    int size = in.read();\n    in.close();\n    return size;\n  }\n}\n"
    )
    [answer] = answers("Case.java", data)
    assert isinstance(answer, Fix)
    assert answer.applicability is Applicability.SAFE
    assert "    } finally {\n      in.close();\n    }\n" in apply(data, answer.edits).decode()


def test_what_is_written_is_closed_before_somebody_reads_the_file() -> None:
    body = (
        "  void run(File from, File to) throws IOException {\n    FileWriter out = null;\n    try {\n"
        "      out = new FileWriter(from);\n      out.write(1);\n      out.close();\n      out = null;\n"
        "      from.renameTo(to);\n    } finally {\n      System.out.println(to);\n    }\n  }"
    )
    assert all("renameTo" not in each.partition("out.close()")[0] for each in safe(body))


def test_what_a_lambda_captured_is_not_closed_before_it_runs() -> None:
    body = (
        "  int run(String path) throws Exception {\n    InputStream in;\n    try {\n      in = new FileInputStream(path);\n"
        "    } catch (IOException e) {\n      return -1;\n    }\n    InputStream it = in;\n    Callable<Integer> first = () -> it.read();\n"
        "    int b = first.call();\n    if (b == 0)\n      return b;\n    in.close();\n    return 0;\n  }"
    )
    data = (HEAD + body + "\n}\n").encode()
    for each in answers("Case.java", data):
        assert not isinstance(each, Fix) or "finally" not in apply(data, each.edits).decode()


def test_what_an_object_reads_from_stays_open_until_its_last_use() -> None:
    body = (
        "  static class Box { InputStream in; int next() throws IOException { return in.read(); } }\n"
        "  int run(String path, boolean asked) throws IOException {\n    Box box = new Box();\n"
        "    InputStream in = new FileInputStream(path);\n    if (asked) {\n      return 1;\n    }\n"
        "    box.in = in;\n    int b = box.next();\n    in.close();\n    return b;\n  }"
    )
    [text] = safe(body)
    assert text.index("box.next()") < text.index("      return b;\n    }\n")


def test_a_variable_of_two_resources_is_closed_before_the_second_and_at_the_end() -> None:
    body = (
        "  int run(String path, int k) throws IOException {\n    InputStream in = new FileInputStream(path);\n"
        "    int b = in.read();\n    if (k == 1) {\n      in.close();\n      in = new FileInputStream(path + 1);\n"
        "      b += in.read();\n    }\n    if (k == 2)\n      return b;\n    in.close();\n    return b;\n  }"
    )
    texts = safe(body)
    assert texts
    for text in texts:
        assert "        in.close();\n        in = new FileInputStream(path + 1);" in text
        assert "return b;\n    } finally {\n      in.close();" in text


def test_a_patch_that_leaves_its_own_acquisition_lost_is_none() -> None:
    body = (
        "  int run(String path, int k) throws IOException {\n    InputStream in = new FileInputStream(path);\n"
        "    int b = in.read();\n    if (k == 1) {\n      in = new FileInputStream(path);\n      b += in.read();\n    }\n"
        "    in.close();\n    return b;\n  }"
    )
    data = (HEAD + body + "\n}\n").encode()
    first = answers("Case.java", data)[0]
    assert isinstance(first, Declined) or b"finally" not in apply(data, first.edits)


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


def test_what_a_collection_hands_out_later_is_not_closed_before() -> None:
    body = (
        "  int run(String path, int k) throws IOException {\n    Map<String, InputStream> all = new HashMap<>();\n"
        "    InputStream in = new FileInputStream(path);\n    all.put(path, in);\n    if (k == 1)\n      return 0;\n"
        "    for (InputStream each : all.values())\n      each.close();\n    return 1;\n  }"
    )
    data = (HEAD + body + "\n}\n").encode()
    for each in answers("Case.java", data):
        assert not isinstance(each, Fix) or "try (InputStream in" not in apply(data, each.edits).decode()


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


TASKS = {
    "task": "pool.execute(() -> read(s));",
    "named task": "pool.submit(new Task(s));",
    "anonymous task": "pool.submit(new Runnable() {\n      public void run() {\n        read(s);\n      }\n    });",
    "thread": "Thread t = new Thread(() -> read(s));\n    t.start();",
    "anonymous thread": "new Thread() {\n      public void run() {\n        read(s);\n      }\n    }.start();",
    "timer": "new Timer().schedule(new TimerTask() {\n      public void run() {\n        read(s);\n      }\n    }, 100);",
}


@pytest.mark.parametrize("use", TASKS.values(), ids=TASKS)
def test_what_another_thread_uses_is_closed_only_before_that_is_told(use: str) -> None:
    body = (
        "  ExecutorService pool;\n  static void read(Socket s) { }\n"
        "  static class Task implements Runnable {\n    private final Socket s;\n    Task(Socket s) { this.s = s; }\n"
        "    public void run() { read(s); }\n  }\n"
        "  void serve(ServerSocket server) throws IOException {\n    final Socket s = server.accept();\n"
        f"    s.setSoTimeout(3);\n    {use}\n  }}"
    )
    data = (HEAD + body + "\n}\n").encode()
    patches = [apply(data, each.edits).decode() for each in answers("Case.java", data) if isinstance(each, Fix)]
    assert patches
    for text in patches:
        assert "try (Socket" not in text and "finally" not in text
        assert "catch (Throwable e)" in text


def test_what_is_returned_in_an_array_stays_open() -> None:
    body = (
        "  static Socket[] pair(ServerSocket server) throws IOException {\n    Socket s = new Socket(\"a\", 1);\n"
        "    s.setSoTimeout(3);\n    return new Socket[] {s, server.accept()};\n  }"
    )
    data = (HEAD + body + "\n}\n").encode()
    for each in answers("Case.java", data):
        text = apply(data, each.edits).decode() if isinstance(each, Fix) else ""
        assert "try (Socket" not in text and "finally" not in text


def test_what_a_lazy_stream_reads_from_stays_open() -> None:
    body = (
        "  java.util.stream.Stream<Integer> numbers(String path, List<String> names) throws IOException {\n"
        "    InputStream in = new FileInputStream(path);\n    in.read();\n"
        "    return names.stream().map(x -> next(in));\n  }\n  static int next(InputStream in) { return 0; }"
    )
    assert safe(body) == []


def test_no_blank_line_is_left_beside_braces() -> None:
    body = (
        "  int run(String path) throws IOException {\n    FileInputStream in = new FileInputStream(path);\n\n"
        "    int x = in.read();\n\n    in.close();\n\n    System.out.println(1);\n    return x;\n  }\n"
        "  void write(String path) throws IOException {\n    FileOutputStream out = new FileOutputStream(path);\n\n"
        "    // one\n    out.write(1);\n\n    out.close();\n    System.out.println(1);\n  }"
    )
    for text in safe(body):
        assert "{\n\n" not in text.replace("  }\n\n", "") and "\n\n    }" not in text and "\n\n\n" not in text


def test_a_variable_of_several_resources_is_closed_behind_the_uses_of_each() -> None:
    body = (
        "  void send(byte[] b, Socket s) throws IOException {\n    s = new Socket(\"a\", 2);\n"
        "    s.getOutputStream().write(b);\n    s.close();\n    s = null;\n  }\n"
        "  void two(byte[] b, boolean first) throws IOException {\n    Socket s = first ? new Socket(\"b\", 1) : new Socket(\"c\", 1);\n"
        "    s.close();\n    s = new Socket(\"a\", 2);\n    s.getOutputStream().write(b);\n    s.close();\n    b[0] = 1;\n  }"
    )
    assert any(
        "    try {\n      s.getOutputStream().write(b);\n    } finally {\n      s.close();\n    }\n    b[0] = 1;" in text
        for text in safe(body)
    )


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


def test_what_a_writer_still_holds_is_written_before_the_file_is_closed() -> None:
    body = (
        "  void save(String path, Object o) {\n    FileOutputStream file;\n    ObjectOutputStream out = null;\n    try {\n"
        "      file = new FileOutputStream(path);\n      out = new ObjectOutputStream(file);\n      out.writeObject(o);\n"
        "    } catch (Exception e) {\n      e.printStackTrace();\n    } finally {\n      if (out != null)\n        try {\n"
        "          out.close();\n        } catch (IOException e) {}\n    }\n  }"
    )
    [text] = safe(body)
    assert text.index("out.close();") < text.index("file.close();")


def test_a_block_ends_where_the_code_closed() -> None:
    body = (
        "  void rewrite(String path) {\n    try {\n      BufferedReader in = new BufferedReader(new FileReader(path));\n"
        "      String s = in.readLine();\n      in.close();\n      s = s.trim();\n      s = s + s;\n"
        "      BufferedWriter out = new BufferedWriter(new FileWriter(path));\n      out.write(s);\n      out.close();\n"
        "    } catch (IOException e) {\n      e.printStackTrace();\n    }\n  }"
    )
    for text in safe(body):
        assert "    }\n      s = s.trim();" in text.replace("      }\n      s", "    }\n      s")


def test_what_is_meant_to_stay_open_does() -> None:
    body = (
        "  void run(String path) throws IOException {\n    @SuppressWarnings(\"resource\")\n"
        "    FileInputStream in = new FileInputStream(path);\n    in.read();\n  }"
    )
    assert safe(body) == []


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


def test_a_reader_that_somebody_unknown_made_of_it_is_not_returned_closed() -> None:
    body = (
        "  BufferedReader open(String path) throws IOException {\n    InputStream in = new FileInputStream(path);\n    in.read();\n"
        "    Reader r = org.elsewhere.Marks.reader(in);\n    return new BufferedReader(r);\n  }"
    )
    data = (HEAD + body + "\n}\n").encode()
    for each in answers("Case.java", data):
        text = apply(data, each.edits).decode() if isinstance(each, Fix) else ""
        assert "try (InputStream" not in text and "finally" not in text


def test_steps_are_those_behind_braces() -> None:
    long = "    String s = path\n            .trim();\n    s = s\n            .trim();\n    s = s\n            .trim();\n"
    body = f"  int run(String path) throws IOException {{\n{long}    InputStream in = new FileInputStream(path);\n    return in.read();\n  }}"
    [text] = safe(body)
    assert "    try (InputStream in = new FileInputStream(path)) {\n      return in.read();\n    }" in text


def test_what_an_object_was_given_stays_open_as_long_as_that_is_used() -> None:
    body = (
        "  static class Input { private InputStream in; void setIn(InputStream in) { this.in = in; }\n"
        "    int next() throws IOException { return in.read(); } }\n"
        "  int run(String path) throws IOException {\n    Input input = new Input();\n"
        "    InputStream in = new FileInputStream(path);\n    input.setIn(in);\n    path.trim();\n    return input.next();\n  }"
    )
    [text] = safe(body)
    assert text.index("return input.next();") < text.index("\n    }\n  }", text.index("try ("))


def test_calls_behind_a_dot_at_the_end_of_a_line_are_joined() -> None:
    body = (
        "  void run(String path) throws IOException {\n    Reader in = new InputStreamReader(new FileInputStream(path.\n"
        "        trim()));\n    in.read();\n    in.close();\n    path.trim();\n  }"
    )
    [text] = safe(body)
    assert "path.trim()" in text.partition("{\n")[2].partition(")) {")[0]


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


def test_the_try_that_needs_a_resource_last_closes_it() -> None:
    body = (
        "  int run(String path) throws IOException {\n    FileInputStream in = new FileInputStream(path);\n    int n = 0;\n"
        "    try {\n      n += in.read();\n      in.close();\n    } catch (IOException e) {\n      System.out.println(e);\n    }\n"
        "    return n;\n  }"
    )
    [text] = safe(body)
    assert "    int n = 0;\n    try (in) {\n      n += in.read();\n    } catch (IOException e) {" in text


def test_what_doubles_are_asked_and_told_is_not_closed() -> None:
    head = "import java.sql.*;\nimport static org.mockito.Mockito.*;\nclass Case {\n"
    body = (
        "  void asked(PreparedStatement load, ResultSet row) throws Exception {\n    when(load.executeQuery()).thenReturn(row);\n  }\n"
        "  void told(Connection db, Driver driver) throws Exception {\n    Statement s = db.createStatement();\n"
        "    doReturn(s).when(driver).getMajorVersion();\n  }\n}\n"
    )
    assert answers("Case.java", (head + body).encode()) == []


def test_what_a_library_hands_out_may_be_null() -> None:
    data = (
        b"import java.util.*;\nimport org.checkerframework.checker.mustcall.qual.MustCall;\nclass Case {\n"
        b"  static void run(Map<String, @MustCall(\"trim\") String> from) {\n    String found = from.get(\"a\");\n  }\n}\n"
    )
    [found] = answers("Case.java", data)
    assert isinstance(found, Fix)
    assert b"if (found != null) {\n      found.trim();" in apply(data, found.edits)


def test_what_is_closed_early_stays_closed_early() -> None:
    body = (
        "  void store(String path) throws IOException {\n    InputStream in = new FileInputStream(path);\n"
        "    Properties all = new Properties();\n    all.load(in);\n    all.remove(\"a\");\n    all.remove(\"b\");\n    in.close();\n"
        "    path = path.trim();\n    path = path + 1;\n    OutputStream out = new FileOutputStream(path);\n"
        "    all.store(out, \"\");\n    out.close();\n  }"
    )
    for text in safe(body):
        assert "    }\n    path = path.trim();" in text


@pytest.mark.parametrize("register", ["org.elsewhere.Bus.handler", "new javax.swing.JButton().addActionListener"])
def test_what_a_handler_uses_is_not_closed_behind_its_registration(register: str) -> None:
    body = (
        "  static void read(InputStream in) { }\n  void run(String path) throws IOException {\n"
        f"    InputStream in = new FileInputStream(path);\n    in.read();\n    {register}(e -> read(in));\n  }}"
    )
    data = (HEAD + body + "\n}\n").encode()
    for each in answers("Case.java", data):
        text = apply(data, each.edits).decode() if isinstance(each, Fix) else ""
        assert "try (InputStream" not in text and "finally" not in text
