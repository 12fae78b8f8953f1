"""What a reviewer of a Java patch would turn down, and the form that he would have chosen."""

from __future__ import annotations

import msgspec
import pytest

from analyzers import analyze
from analyzers.source import Span
from fixers import Applicability, Declined, Fix, fix
from fixers.edits import apply
from tests.unit.fixers.members import HEAD, reasons, safe
from tests.unit.fixers.patching import answers, program


def _no_patch(body: str) -> str:
    """The reason why nothing is proposed for the only leak of some members."""
    [reason] = reasons(body)
    return reason


def test_what_the_returned_object_uses_later_is_not_closed() -> None:
    reason = _no_patch(
        "  interface Sink { void put(String words); void end(); }\n  static void probe() throws IOException {}\n"
        "  Sink open(String path) throws IOException {\n    final PrintStream out = new PrintStream(new FileOutputStream(path));\n    probe();\n"
        "    return new Sink() {\n      public void put(String words) { out.println(words); }\n"
        "      public void end() { out.close(); }\n    };\n  }"
    )
    assert "what is returned uses `out` later" in reason


@pytest.mark.parametrize(
    "member, said",
    [
        (
            "  void send(Channel to, String path) throws IOException {\n"
            "    RandomAccessFile file = new RandomAccessFile(path, \"r\"); // the channel will close it\n    to.send(file);\n  }\n"
            "  interface Channel { void send(RandomAccessFile file) throws IOException; }",
            "a comment says who closes it",
        ),
        (
            "  void reads(String path) throws IOException {\n    try {\n      new FileInputStream(path);\n      fail();\n"
            "    } catch (FileNotFoundException e) {\n    }\n  }\n  static void fail() {}",
            "expected to throw",
        ),
        (
            "  void run(String path) throws IOException {\n    InputStream in = new FileInputStream(path) {\n"
            "      public void close() {}\n    };\n    in.read();\n  }",
            "its own `close` closes nothing",
        ),
        (
            "  void run(String path) throws IOException {\n    BufferedReader in;\n    if (path == null)\n"
            "      in = new BufferedReader(new InputStreamReader(System.in));\n    else\n"
            "      in = new BufferedReader(new FileReader(path));\n    in.readLine();\n  }",
            "may be a standard stream",
        ),
    ],
    ids=["comment", "expected", "idle close", "standard stream"],
)
def test_nothing_is_closed_that_is_not_ours_or_not_opened(member: str, said: str) -> None:
    found = reasons(member)
    assert [each for each in found if said in each], found


def test_what_waits_for_tasks_comes_behind_the_end_of_their_pool() -> None:
    data = (
        HEAD + "  void run(Runnable task) throws Exception {\n    ExecutorService pool = Executors.newFixedThreadPool(2);\n"
        "    pool.submit(task).get();\n    pool.shutdown();\n    pool.awaitTermination(5, TimeUnit.MINUTES);\n  }\n}\n"
    ).encode()
    [answer] = answers("Case.java", data)
    assert isinstance(answer, Fix) and answer.applicability is Applicability.UNSAFE
    text = apply(data, answer.edits).decode()
    assert "pool.shutdown();\n      pool.awaitTermination(" in text
    assert text.count("pool.shutdown();") == 2


@pytest.mark.parametrize(
    "wait",
    [
        "while (!pool.isTerminated()) pool.awaitTermination(5, TimeUnit.SECONDS);",
        "pool.awaitTermination(1, TimeUnit.MINUTES);",
        "if (task == null) pool.shutdown(); pool.awaitTermination(1, TimeUnit.MINUTES);",
    ],
)
def test_no_pool_ends_behind_the_wait_for_its_end(wait: str) -> None:
    found = reasons(
        "  void run(Runnable task) throws Exception {\n    ExecutorService pool = Executors.newFixedThreadPool(2);\n"
        f"    pool.execute(task);\n    {wait}\n  }}"
    )
    assert any("waits for its end before that" in each for each in found), found


@pytest.mark.parametrize(
    ("end", "is_declined"),
    [
        ("while (!it.isTerminated()) Thread.yield();", True),
        ("below(it);", True),
        ("it.shutdown(); it.awaitTermination(1, TimeUnit.MINUTES);", False),
        ("System.out.println(it);", False),
    ],
)
def test_nor_behind_a_method_that_waits_for_it(end: str, is_declined: bool) -> None:
    found = reasons(
        "  static void below(ExecutorService it) throws Exception {\n    it.awaitTermination(1, TimeUnit.MINUTES);\n  }\n"
        f"  static void end(ExecutorService it) throws Exception {{\n    {end}\n  }}\n"
        "  void run(Runnable task) throws Exception {\n    ExecutorService pool = Executors.newFixedThreadPool(2);\n"
        "    pool.execute(task);\n    end(pool);\n  }"
    )
    assert any("waits for its end before that" in each for each in found) == is_declined, found


def test_a_descriptor_is_used_before_its_file_is_closed() -> None:
    [text] = safe(
        "  static int map(int fd) { return fd; }\n  static int number(FileDescriptor fd) { return 3; }\n"
        "  int run(String path) throws IOException {\n    FileInputStream in = new FileInputStream(path);\n"
        "    int fd = number(in.getFD());\n    System.out.println(fd);\n    return map(fd);\n  }"
    )
    assert text.index("return map(fd)") < text.index("    }\n  }")


def test_a_final_variable_gets_no_second_value() -> None:
    for each in answers("Case.java", (
        b"import java.io.*;\nclass Case {\n  static void probe() throws IOException {}\n  int run(String path, boolean deep) throws IOException {\n"
        b"    final FileInputStream in;\n    if (deep) {\n      in = new FileInputStream(path);\n    } else {\n      in = null;\n    }\n"
        b"    probe();\n    return in == null ? 0 : in.read();\n  }\n}\n"
    )):
        assert isinstance(each, Declined) or not any("in = null" in edit.text for edit in each.edits)


def test_what_comes_before_a_close_in_a_finally_gets_a_try() -> None:
    [text] = safe(
        "  void run(String path) throws IOException {\n    FileOutputStream out = null;\n    try {\n      new File(path).mkdirs();\n"
        "      out = new FileOutputStream(path);\n      out.write(1);\n    } finally {\n      if (out != null) {\n        out.write(2);\n"
        "        out.close();\n      }\n    }\n  }"
    )
    assert "        try {\n          out.write(2);\n        } finally {\n          out.close();\n        }\n" in text


def test_a_flush_before_a_close_in_a_finally_goes() -> None:
    [text] = safe(
        "  void run(String path) throws IOException {\n    FileOutputStream out = null;\n    try {\n      new File(path).mkdirs();\n"
        "      out = new FileOutputStream(path);\n      out.write(1);\n    } finally {\n      if (out != null) {\n        out.flush();\n"
        "        out.close();\n      }\n    }\n  }"
    )
    assert "    } finally {\n      if (out != null) {\n        out.close();\n      }\n    }\n" in text
    assert "flush" not in text


def test_streams_of_one_try_come_into_its_header_together() -> None:
    [text] = safe(
        "  void copy(String a, String b) throws IOException {\n    FileInputStream in = null;\n    FileOutputStream out = null;\n    try {\n"
        "      in = new FileInputStream(a);\n      out = new FileOutputStream(b);\n      out.write(in.read());\n    } finally {\n"
        "      if (in != null) {\n        in.close();\n      }\n      if (out != null) {\n        out.close();\n      }\n    }\n  }"
    )
    assert "    try (FileInputStream in = new FileInputStream(a);\n        FileOutputStream out = new FileOutputStream(b)) {\n" in text
    assert "finally" not in text


def test_a_variable_with_two_values_gets_two_headers() -> None:
    texts = safe(
        "  void run(String one, String two) throws IOException {\n    FileWriter out = new FileWriter(one);\n    out.write(1);\n    out.close();\n\n"
        "    out = new FileWriter(two);\n    out.write(2);\n    out.close();\n    System.out.println(two);\n  }"
    )
    assert all(text.count("    try (FileWriter out = new FileWriter(") == 2 and "\n\n    try (" in text for text in texts) and texts


def test_the_try_that_is_there_takes_the_close() -> None:
    [text] = safe(
        "  int run(String path) throws IOException {\n    FileInputStream in;\n    try {\n      in = new FileInputStream(path);\n"
        "    } catch (FileNotFoundException e) {\n      return 0;\n    }\n    try {\n      return in.read();\n    } catch (EOFException e) {\n"
        "      return 1;\n    }\n  }"
    )
    assert text.count("try {") + text.count("try (") == 2


def test_what_is_empty_is_made_before_the_block() -> None:
    [text] = safe(
        "  String run(String path) throws IOException {\n    BufferedReader in = new BufferedReader(new FileReader(path));\n"
        "    StringBuilder all = new StringBuilder();\n    all.append(in.readLine());\n    in.close();\n    System.out.println(path);\n"
        "    System.out.println(1);\n    return all.toString();\n  }"
    )
    assert "    StringBuilder all = new StringBuilder();\n    try (" in text


def test_comments_above_the_first_statement_move_in_with_it() -> None:
    [text] = safe(
        "  void run(Runnable task) throws Exception {\n    ExecutorService pool = Executors.newFixedThreadPool(2);\n"
        "    // wait for it\n    pool.submit(task).get();\n  }"
    )
    assert "    try {\n      // wait for it\n      pool.submit" in text


def test_calls_that_nobody_expects_to_throw_need_no_handler() -> None:
    data = (
        HEAD + "  void run(String path) throws IOException {\n    InputStream in = new FileInputStream(path);\n"
        "    new org.acme.Thing();\n    in.read();\n    in.close();\n  }\n}\n"
    ).encode()
    subject = program("Case.java", data)
    at = data.index(b"new org.acme.Thing()")
    [found] = analyze(subject).findings or [None]
    assert found is not None
    thrown = Span("Case.java", at, at + len(b"new org.acme.Thing()"))
    answer = fix(msgspec.structs.replace(found, exits=(thrown,), lost=thrown), subject)
    assert isinstance(answer, Declined) and "nobody expects" in answer.reason


def test_what_is_returned_keeps_what_it_was_made_of() -> None:
    found = reasons(
        "  org.acme.Parser run(String path) throws IOException {\n    InputStream in = new FileInputStream(path);\n"
        "    in.read();\n    org.acme.Source source = org.acme.Sources.newSource(in);\n    return new org.acme.Parser(source);\n  }"
    )
    assert not found or "may still need it" in found[0]


def test_an_import_is_added_for_what_a_handler_catches() -> None:
    [each] = [
        each for each in answers("Case.java", (
            b"import java.io.FileInputStream;\nimport java.io.FileNotFoundException;\nclass Case {\n  void run(String path, boolean deep) {\n"
            b"    FileInputStream in = null;\n    try {\n      if (deep) {\n        in = new FileInputStream(path);\n      }\n"
            b"    } catch (FileNotFoundException e) {\n      return;\n    }\n    use(in);\n  }\n  static void use(FileInputStream in) {}\n}\n"
        ))
        if not isinstance(each, Declined)
    ]
    words = "".join(edit.text for edit in each.edits)
    assert "catch (IOException " in words and "import java.io.IOException;" in words


def test_nothing_is_closed_that_is_returned() -> None:
    for body in (
        "  static org.acme.Files files;\n  InputStream open(String path) throws IOException {\n"
        "    return new java.util.zip.GZIPInputStream(new FileInputStream(path));\n  }",
        "  InputStream open(String path, long at) throws IOException {\n    InputStream in = new FileInputStream(path);\n"
        "    in.skip(at);\n    return in;\n  }",
    ):
        assert all("try (" not in text and "finally" not in text for text in safe(body))


def test_a_release_that_may_be_overridden_stays() -> None:
    texts = safe(
        "  protected void end(OutputStream out) throws IOException {\n    out.close();\n  }\n"
        "  void run(String path) throws IOException {\n    InputStream in = null;\n    OutputStream out = null;\n    try {\n"
        "      out = new FileOutputStream(path);\n      in = new FileInputStream(path);\n      out.write(in.read());\n    } finally {\n"
        "      if (in != null)\n        in.close();\n      if (out != null)\n        end(out);\n    }\n  }"
    )
    assert all("end(out);" in text for text in texts)


def test_a_pool_ends_as_the_code_has_it_end() -> None:
    [text] = safe(
        "  void run(Callable<String> task) throws Exception {\n    ExecutorService pool = Executors.newFixedThreadPool(2);\n"
        "    System.out.println(pool.submit(task).get());\n    pool.shutdownNow();\n  }"
    )
    assert "    } finally {\n      pool.shutdownNow();\n    }\n" in text and "shutdown()" not in text


def test_no_blank_line_begins_a_finally() -> None:
    texts = safe(
        "  static class Sink extends OutputStream {\n    private final OutputStream out;\n"
        "    Sink(String path) throws IOException { out = new FileOutputStream(path); }\n"
        "    public void write(int b) throws IOException { out.write(b); }\n"
        "    public void close() throws IOException {\n      flush();\n\n      out.close();\n    }\n"
        "    public void flush() throws IOException { out.write(1); }\n  }"
    )
    assert texts and all("} finally {\n        out.close();" in text for text in texts)


def test_a_comment_on_a_close_goes_with_it() -> None:
    [text] = safe(
        "  void run(String path) throws IOException {\n    InputStream in = new FileInputStream(path);\n    in.read();\n\n"
        "    // close the stream\n    in.close();\n  }"
    )
    assert "//" not in text


def test_a_block_ends_where_the_code_closed_what_an_object_keeps() -> None:
    [text] = safe(
        "  static class Form { void setInput(InputStream in) {} String name() { return \"\"; } }\n"
        "  static void send(Form form, InputStream in) throws IOException { in.read(); }\n"
        "  void run(String path) throws IOException {\n    Form form = new Form();\n    InputStream in = new FileInputStream(path);\n"
        "    form.setInput(in);\n    send(form, in);\n    in.close();\n    System.out.println(form.name());\n  }"
    )
    assert text.index("    }\n    System.out.println(form.name())") > 0


def test_an_outer_handler_of_everything_leaves_the_header_free() -> None:
    [text] = safe(
        "  void run(String path) {\n    try {\n      Object unknown = new org.acme.Builder();\n"
        "      InputStream in = getClass().getResourceAsStream(path);\n      System.out.println(unknown);\n      in.read();\n"
        "    } catch (Exception e) {\n      System.out.println(e);\n    }\n  }"
    )
    assert "try (InputStream in = getClass().getResourceAsStream(path)) {" in text


@pytest.mark.parametrize(
    "member",
    [
        "  int run(String path, boolean piped) throws IOException {\n    InputStream is = null;\n    if (piped) {\n"
        "      InputStream in = new FileInputStream(path);\n      in.read();\n      is = new BufferedInputStream(in);\n    }\n    return is.read();\n  }",
        "  void run(String path, Executor pool) throws IOException {\n    InputStream in = new FileInputStream(path);\n    in.read();\n"
        "    pool.execute(() -> System.out.println(in));\n  }",
        "  void run(URL[] urls) throws Exception {\n    URLClassLoader loader = new URLClassLoader(urls);\n"
        "    Object made = loader.loadClass(\"a.B\").newInstance();\n    System.out.println(made);\n  }",
    ],
    ids=["outlived", "executed", "loader"],
)
def test_nothing_is_closed_that_something_else_uses_later(member: str) -> None:
    for each in answers("Case.java", (HEAD + member + "\n}\n").encode()):
        assert isinstance(each, Declined) or "throw e;" in "".join(edit.text for edit in each.edits), each


def test_many_declarations_are_not_split_for_one_block() -> None:
    body = "".join(f"    String s{n} = in.readLine();\n" for n in range(5))
    ends = "".join(f"    System.out.println(s{n});\n" for n in range(5))
    texts = safe(
        "  void run(String path) throws IOException {\n    BufferedReader in = new BufferedReader(new FileReader(path));\n"
        f"{body}    in.close();\n{ends}  }}"
    )
    assert all("String s0;" not in text for text in texts)


def test_what_a_comment_speaks_of_stays_with_it() -> None:
    texts = safe(
        "  boolean run(String path) throws IOException {\n    BufferedReader in = new BufferedReader(new FileReader(path));\n    in.readLine();\n"
        "    // whether it was there\n    boolean known = false;\n    known |= in.ready();\n    in.close();\n    System.out.println(1);\n"
        "    System.out.println(2);\n    System.out.println(3);\n    return known;\n  }"
    )
    assert texts and all("// whether it was there\n      known = false;" in text for text in texts)


def test_a_stream_that_a_loop_asks_for_again_stays_open() -> None:
    found = reasons(
        "  void run(URLConnection connection, InputStream in) throws IOException {\n    int each;\n    while ((each = in.read()) >= 0) {\n"
        "      connection.getOutputStream().write(each);\n    }\n  }"
    )
    assert not found or "may give the same again" in found[0]
    assert not [each for each in safe(
        "  void run(URLConnection connection, InputStream in) throws IOException {\n    int each;\n    while ((each = in.read()) >= 0) {\n"
        "      connection.getOutputStream().write(each);\n    }\n  }"
    )]


def test_braces_stand_where_the_file_has_them() -> None:
    head = "import java.io.*;\nimport java.util.concurrent.*;\n\nclass Case\n{\n"
    body = (
        "    int read(String path) throws IOException\n    {\n        InputStream in = new FileInputStream(path);\n        if (path.isEmpty())\n"
        "        {\n            return 0;\n        }\n        return in.read();\n    }\n\n    void pool(Callable<String> task) throws Exception\n    {\n"
        "        ExecutorService pool = Executors.newFixedThreadPool(2);\n        pool.submit(task).get();\n        pool.shutdown();\n    }\n}\n"
    )
    data = (head + body).encode()
    texts = [apply(data, each.edits).decode() for each in answers("Case.java", data) if not isinstance(each, Declined)]
    assert any("        try (InputStream in = new FileInputStream(path))\n        {\n            if (path" in text for text in texts)
    assert any("        try\n        {\n            pool.submit(task).get();\n        }\n        finally\n        {\n            pool.shutdown();\n        }\n" in text for text in texts)


def test_a_connection_is_closed_behind_its_statements() -> None:
    texts = safe(
        "  void run(javax.sql.DataSource source) throws java.sql.SQLException {\n    java.sql.Connection connection = null;\n"
        "    java.sql.Statement statement = null;\n    try {\n      connection = source.getConnection();\n"
        "      statement = connection.createStatement();\n      statement.execute(\"x\");\n    } finally {\n"
        "      if (statement != null) statement.close();\n      if (connection != null) connection.close();\n    }\n  }"
    )
    assert texts and all("try (java.sql.Connection connection = source.getConnection()) {" not in text for text in texts)
    assert all("      } finally {\n        if (connection != null) connection.close();\n      }\n" in text for text in texts)


def test_a_pool_is_ended_where_the_code_ends_it() -> None:
    [text] = safe(
        "  static class Watch { void setPool(Object pool) {} boolean is() { return true; } }\n"
        "  void run(Callable<String> task) throws Exception {\n    Watch watch = new Watch();\n"
        "    ExecutorService pool = Executors.newFixedThreadPool(2);\n    watch.setPool(pool);\n    System.out.println(pool.submit(task).get());\n"
        "    pool.shutdown();\n    System.out.println(watch.is());\n  }"
    )
    assert text.index("pool.shutdown();") < text.index("watch.is()")


def test_what_a_comment_of_the_method_leaves_open_stays_open() -> None:
    found = reasons(
        "  Object find(String path) throws IOException {\n    InputStream tracker = new FileInputStream(path);\n    tracker.read();\n"
        "    // the tracker is not closed here, to keep what it gave\n    return path;\n  }"
    )
    assert found == ["a comment says that it stays open"]


def test_a_header_that_gets_too_long_is_broken() -> None:
    [text] = safe(
        "  void run(String path, String other) throws IOException {\n    InputStream in = new FileInputStream(path);\n"
        "    try (OutputStream out = new BufferedOutputStream(new FileOutputStream(other + path + other + path + other))) {\n"
        "      out.write(in.read());\n    }\n  }"
    )
    assert "    try (InputStream in = new FileInputStream(path);\n        OutputStream out" in text or "try (in; OutputStream" in text


def test_what_is_too_long_for_a_header_stays_as_it_was_broken() -> None:
    [text] = safe(
        "  static Socket open(String host, String name, int port, String words, String more) throws IOException { return new Socket(host, port); }\n"
        "  void run(String path) {\n    try {\n      Socket socket =\n          open(path + \"a long name of a host\", path + \"another long name\", 1234,\n"
        "              path + \"words that take some room\", path + \"more words that take some room\");\n"
        "      socket.getOutputStream().write(1);\n    } catch (IOException e) {\n      System.out.println(e);\n    }\n  }"
    )
    assert max(len(line) for line in text.splitlines()[2:]) < 130


def test_a_helper_that_closes_is_no_method_of_the_stream() -> None:
    texts = safe(
        "  static void closeQuietly(Closeable each) { try { each.close(); } catch (IOException e) { } }\n"
        "  void run(String path) throws IOException {\n    FileInputStream in = new FileInputStream(path);\n    in.read();\n    closeQuietly(in);\n  }"
    )
    assert texts and all("in.closeQuietly(" not in text for text in texts)


@pytest.mark.parametrize(
    "member",
    [
        "  Reader reader;\n  Writer writer;\n  void open() throws IOException {\n    PipedReader piped = new PipedReader();\n"
        "    this.reader = new BufferedReader(piped);\n    this.writer = new PipedWriter(piped);\n  }",
        "  void run(String path) throws IOException {\n    InputStream in = new FileInputStream(path);\n    in.read();\n    in.close();\n"
        "    in.close();\n  }",
        "  void run(String path) throws IOException {\n    PrintStream out = System.out;\n    if (path != null) {\n"
        "      out = new org.acme.Plain().printStream(new FileOutputStream(path));\n    }\n    out.println(path);\n  }",
    ],
    ids=["field", "twice", "stream"],
)
def test_nothing_is_closed_that_is_kept_or_closed_on_purpose(member: str) -> None:
    for each in answers("Case.java", (HEAD + member + "\n}\n").encode()):
        assert isinstance(each, Declined), each


def test_where_an_answer_is_written_stays_open() -> None:
    body = (
        "  interface Request { PrintWriter getWriter() throws IOException; }\n"
        "  void run(Request request, String words) throws IOException {\n    PrintWriter out = request.getWriter();\n    out.write(words);\n  }"
    )
    assert all(isinstance(each, Declined) for each in answers("Case.java", (HEAD + body + "\n}\n").encode()))


def test_what_a_setter_is_given_may_need_the_stream() -> None:
    body = (
        "  void run(org.acme.Response response, String path, byte[] known) throws IOException {\n    InputStream in = new FileInputStream(path);\n"
        "    in.available();\n    response.setWriter(new org.acme.Copying(known != null ? new ByteArrayInputStream(known) : in));\n  }"
    )
    for each in answers("Case.java", (HEAD + body + "\n}\n").encode()):
        assert isinstance(each, Declined) or "throw e;" in "".join(edit.text for edit in each.edits)


def test_the_lock_on_a_file_is_not_ended_by_closing_it() -> None:
    body = (
        "  void only(String path) throws IOException {\n    java.nio.channels.FileLock lock = new FileOutputStream(path).getChannel().tryLock();\n"
        "    if (lock == null)\n      throw new IOException(path);\n  }"
    )
    assert not safe(body) and [each for each in reasons(body) if "a lock lasts as long as it is open" in each]


def test_a_lock_that_is_released_keeps_no_file_open() -> None:
    [text, *_] = safe(
        "  void only(String path) throws IOException {\n    RandomAccessFile file = new RandomAccessFile(path, \"rw\");\n"
        "    java.nio.channels.FileLock lock = file.getChannel().lock();\n    try {\n      file.write(1);\n    } finally {\n      lock.release();\n    }\n  }"
    )
    assert "try (RandomAccessFile file" in text


def test_a_file_called_log_may_fail_to_be_written() -> None:
    [text] = safe(
        "  private final OutputStream log;\n  Case(String path) throws IOException {\n    log = new FileOutputStream(path);\n    log.write(1);\n  }\n"
        "  void close() throws IOException {\n    log.close();\n  }"
    )
    assert "log.close();" in text.partition("void close")[0]


def test_a_choice_of_two_calls_goes_into_one_header() -> None:
    texts = safe(
        "  int run(HttpURLConnection to, boolean isGood) throws IOException {\n"
        "    InputStream in = isGood ? to.getInputStream() : to.getErrorStream();\n    return in.readAllBytes().length;\n  }"
    )
    assert len(texts) == 2 and all("try (InputStream in = isGood ? to.getInputStream() : to.getErrorStream()) {" in each for each in texts)


def test_a_choice_of_something_lent_is_not_closed() -> None:
    assert not safe(
        "  private InputStream kept;\n  InputStream lent() { return kept; }\n  int run(String path, boolean isOwn) throws IOException {\n"
        "    InputStream in = isOwn ? new FileInputStream(path) : lent();\n    return in.read();\n  }"
    )


def test_either_of_two_streams_is_closed_where_the_second_fails() -> None:
    """What is assigned by the call that throws still has its first value."""
    texts = safe(
        "  int run(HttpURLConnection to) throws IOException {\n    InputStream in;\n    if (to.getResponseCode() < 400) {\n      in = to.getInputStream();\n"
        "    } else {\n      in = to.getErrorStream();\n    }\n    return in.readAllBytes().length;\n  }"
    )
    assert len(texts) == 2


def test_a_mapping_needs_no_channel() -> None:
    [text] = safe(
        "  java.nio.MappedByteBuffer run(RandomAccessFile of, java.nio.file.Path path) throws IOException {\n"
        "    java.nio.channels.FileChannel channel = java.nio.channels.FileChannel.open(path);\n"
        "    return channel.map(java.nio.channels.FileChannel.MapMode.READ_ONLY, 0, channel.size());\n  }"
    )
    assert "try (java.nio.channels.FileChannel channel" in text


def test_what_reads_from_a_nameless_stream_later_stands_in_its_block() -> None:
    [text] = safe(
        "  List<String> run(java.nio.file.Path path) throws IOException {\n    Iterator<String> lines = java.nio.file.Files.lines(path).iterator();\n"
        "    List<String> found = new ArrayList<>();\n    while (lines.hasNext()) {\n      found.add(lines.next());\n    }\n    return found;\n  }"
    )
    block = text.partition("= java.nio.file.Files.lines(path)) {")[2]
    assert block.index("Iterator<String> lines = stream.iterator();") < block.index("lines.next()") < block.index("\n    }\n  }")


@pytest.mark.parametrize("made", [
    "new Callable<Integer>() {\n      public Integer call() throws Exception { return in.read(); }\n    }",
    "() -> in.read()",
])  # fmt: skip
def test_nothing_is_closed_before_what_still_reads_from_it_is_called(made: str) -> None:
    member = (
        "  int run(String path) throws Exception {\n    final InputStream in = new FileInputStream(path);\n"
        f"    Callable<Integer> later = {made};\n    return later.call();\n  }}"
    )
    for each in answers("Case.java", (HEAD + member + "\n}\n").encode()):
        text = "" if isinstance(each, Declined) else apply((HEAD + member + "\n}\n").encode(), each.edits).decode()
        assert "in.close();\n    return later" not in text.replace("      ", "    ")
