"""A `try` that is there begins earlier; names, handlers and listeners as a reviewer would want them."""

from __future__ import annotations

from fixers import Fix
from fixers.edits import apply
from tests.unit.fixers.members import HEAD, offered, reasons, safe
from tests.unit.fixers.patching import answers

WIDENED = (
    "  int size(String path) throws IOException {\n    RandomAccessFile file = new RandomAccessFile(path, \"r\");\n    int first = file.read();\n    // from the start\n"
    "    file.seek(0);\n\n    try {\n      return file.read();\n    } finally {\n      file.close();\n    }\n  }"
)


def test_a_try_whose_finally_closes_begins_at_once() -> None:
    [after] = safe(WIDENED)
    assert after == WIDENED.replace("    try {\n      return", "      return").replace(
        "    int first = file.read();\n    // from the start\n    file.seek(0);\n",
        "    try {\n      int first = file.read();\n      // from the start\n      file.seek(0);\n",
    ) + "\n}\n"


def test_a_try_with_handlers_does_not_begin_earlier() -> None:
    handled = WIDENED.replace("    } finally", "    } catch (EOFException e) {\n      return 0;\n    } finally")
    for after in safe(handled):
        assert "    int first = file.read();\n    // from" not in after or "try (" in after


def test_what_is_needed_behind_a_try_does_not_come_into_it() -> None:
    [after] = safe(WIDENED.replace("      return file.read();\n    } finally {\n      file.close();\n    }\n", "      file.read();\n    } finally {\n      file.close();\n    }\n    return first;\n"))
    assert "    int first;\n    try {\n      first = file.read();\n" in after and after.count("try {") == 1


def test_blocks_that_know_nothing_of_each_other_use_the_same_name() -> None:
    body = (
        "  int read(String a, String b) throws IOException {\n    int one = new FileInputStream(a).read();\n    int other = new FileInputStream(b).read();\n"
        "    return one + other;\n  }"
    )
    data = (HEAD + body + "\n}\n").encode()
    texts = "".join(edit.text for each in answers("Case.java", data) if isinstance(each, Fix) for edit in each.edits)
    assert "FileInputStream in = new FileInputStream(b)" in texts and "in2" not in texts
    used = body.replace("String b", "String in").replace("FileInputStream(b)", "FileInputStream(in)")
    data = (HEAD + used + "\n}\n").encode()
    texts = "".join(edit.text for each in answers("Case.java", data) if isinstance(each, Fix) for edit in each.edits)
    assert "FileInputStream fileInputStream = " in texts and "FileInputStream in = " not in texts


def test_what_calls_back_later_stays_open() -> None:
    body = (
        "  void listen(String path, Runnable done) throws IOException {\n    Feed feed = new Feed(path);\n    feed.setListener(done);\n  }\n"
        "  static class Feed extends FileInputStream {\n    Feed(String path) throws IOException {\n      super(path);\n    }\n    void setListener(Runnable each) {\n      each.run();\n    }\n  }"
    )
    assert any("calls back later" in each or "has it go on or call back later" in each for each in reasons(body))


def test_what_a_thread_that_is_started_was_given_stays_open() -> None:
    body = (
        "  void serve(ServerSocket server) throws IOException {\n    Socket taken = server.accept();\n    taken.setSoTimeout(10);\n    Thread worker = new Worker(taken);\n    worker.start();\n  }\n"
        "  static class Worker extends Thread {\n    private final Socket socket;\n    Worker(Socket socket) {\n      this.socket = socket;\n    }\n    public void run() {\n      System.out.println(socket);\n    }\n  }"
    )
    data = (HEAD + body + "\n}\n").encode()
    given = [each for each in answers("Case.java", data) if isinstance(each, Fix)]
    assert not any("try (" in edit.text for each in given for edit in each.edits)


def test_a_choice_of_two_new_objects_is_not_null() -> None:
    [after] = safe(
        "  int read(boolean packed, String path) throws IOException {\n    InputStream in = packed ? new java.util.zip.GZIPInputStream(new FileInputStream(path)) : new FileInputStream(path);\n"
        "    int found = in.read();\n    return found;\n  }"
    )
    assert "if (in != null)" not in after


def test_a_cast_stays_in_the_header() -> None:
    [after] = safe(
        "  int read(String name) throws Exception {\n    BufferedInputStream in = (BufferedInputStream) getClass()\n        .getResourceAsStream(name);\n    return in.read();\n  }"
    )
    assert "    try (BufferedInputStream in = (BufferedInputStream) getClass().getResourceAsStream(name)) {\n" in after


def test_a_patch_is_no_evidence_for_the_method_that_it_calls() -> None:
    body = "  void show(Words words) {\n    PageReader reader = words.newReader();\n    System.out.println(reader.next());\n  }"
    data = (HEAD + body + "\n}\n").encode()
    assert not [each for each in answers("Case.java", data) if isinstance(each, Fix)]


def test_handlers_of_the_code_do_not_keep_a_header_away() -> None:
    [after] = safe(
        "  void run(int port) {\n    try {\n      ServerSocket server = new ServerSocket(port);\n      server.accept().close();\n      server.setSoTimeout(3);\n"
        "    } catch (InterruptedIOException e) {\n      System.out.println(1);\n    } catch (IOException e) {\n      System.out.println(2);\n    }\n  }"
    )
    assert "    try (ServerSocket server = new ServerSocket(port)) {\n" in after


def test_what_a_collection_of_others_holds_stays_open() -> None:
    body = (
        "  private final List<Socket> clients = new ArrayList<>();\n  void serve(ServerSocket server) throws IOException {\n    Socket client = server.accept();\n"
        "    client.setSoTimeout(10);\n    if (clients.size() < 3) {\n      clients.add(client);\n    } else {\n      client.close();\n    }\n  }"
    )
    data = (HEAD + body + "\n}\n").encode()
    assert not [each for each in answers("Case.java", data) if isinstance(each, Fix) and any("try (" in edit.text or "finally" in edit.text for edit in each.edits)]


def test_an_object_with_a_body_stands_in_no_header() -> None:
    [after] = safe(
        "  int run(String path) throws IOException {\n    InputStream in = new FileInputStream(path) {\n      @Override\n      public int available() {\n        return 1;\n      }\n    };\n"
        "    return in.read();\n  }"
    )
    assert "try (" not in after and "finally {\n      in.close();" in after


def test_an_import_of_another_group_stands_apart() -> None:
    data = (
        b"package cases;\n\nimport org.elsewhere.Words;\n\nclass Case {\n  void run(Words words) throws Exception {\n"
        b"    words.read(getClass().getResourceAsStream(\"a\"));\n  }\n}\n"
    )
    [given] = [each for each in answers("Case.java", data) if isinstance(each, Fix)]
    assert "import java.io.InputStream;\n\n" in [edit.text for edit in given.edits]


def test_a_close_that_reports_comes_into_a_finally_of_its_own() -> None:
    close = "        try {\n          {0}.close();\n        } catch (IOException e) {\n          throw new IllegalStateException(e);\n        }\n"
    body = (
        "  int copy(String a, String b) throws IOException {\n    InputStream in = null;\n    OutputStream out = null;\n    try {\n      in = new FileInputStream(a);\n"
        "      out = new FileOutputStream(b);\n      return in.read();\n    } finally {\n      if (out != null) {\n" + close.replace("{0}", "out")
        + "      }\n      if (in != null) {\n" + close.replace("{0}", "in") + "      }\n    }\n  }"
    )
    [after] = offered(body)
    assert safe(body) == []  # Blocks in a block of a `finally`: for somebody to look at.
    assert after.count("} finally {") == 2 and after.index("out.close()") < after.rindex("} finally {") < after.index("in.close()")


def test_a_wrapper_of_a_parameter_goes_into_the_header() -> None:
    body = (
        "  int sum(InputStream given) throws IOException {\n    BufferedInputStream in = new BufferedInputStream(given);\n    int found = in.read();\n"
        "    in.close();\n    return found;\n  }"
    )
    data = (HEAD + body + "\n}\n").encode()
    texts = [edit.text for each in answers("Case.java", data) if isinstance(each, Fix) for edit in each.edits]
    assert any("try (BufferedInputStream in = new BufferedInputStream(given)) {" in each for each in texts)


def test_what_came_from_something_is_not_closed_behind_it() -> None:
    body = (
        "  int run(Maker maker) throws IOException {\n    Closeable made = maker.make();\n    Runnable task = () -> System.out.println(1);\n    task.run();\n    made.close();\n"
        "    maker.close();\n    return 1;\n  }\n  interface Maker extends Closeable {\n    Closeable make() throws IOException;\n  }"
    )
    data = (HEAD + body + "\n}\n").encode()
    for each in answers("Case.java", data):
        after = [edit.text for edit in each.edits] if isinstance(each, Fix) else []
        assert not any("made.close()" in text for text in after)


def test_what_is_asked_of_somebody_unknown_may_be_nothing() -> None:
    body = (
        "  // release: 6\n  int size(Settings settings, String name) throws IOException {\n    InputStream in = settings.GIVES(name);\n"
        "    int size = in.read();\n    in.close();\n    return size;\n  }"
    )
    for verb, is_guarded in (("findStream", True), ("createStream", False)):
        data = (HEAD + body.replace("GIVES", verb) + "\n}\n").encode()
        texts = "".join(edit.text for each in answers("Case.java", data) if isinstance(each, Fix) for edit in each.edits)
        assert "finally" in texts
        assert ("if (in != null)" in texts) is is_guarded


def test_a_close_that_tells_of_its_failure_moves_as_it_is() -> None:
    [after] = safe(
        "  // release: 8\n  int read(String path) throws IOException {\n    FileInputStream in;\n    try {\n      in = new FileInputStream(path);\n    } catch (IOException e) {\n"
        "      return 1;\n    }\n    int found = in.read();\n    found += in.read();\n    try {\n      in.close();\n    } catch (IOException e) {\n      e.printStackTrace();\n    }\n"
        "    return found;\n  }"
    )
    assert "      } catch (IOException e) {\n        e.printStackTrace();" in after and "nothing more" not in after


def test_a_broken_declaration_is_split_for_a_header() -> None:
    [after] = safe(
        "  java.util.Properties load(String path) throws IOException {\n    java.util.Properties made =\n        read(new FileInputStream(path), null);\n    return made;\n  }\n"
        "  static java.util.Properties read(InputStream in, String name) throws IOException {\n    in.read();\n    return new Properties();\n  }"
    )
    assert "    java.util.Properties made;\n    try (FileInputStream in = new FileInputStream(path)) {\n      made = read(in, null);\n    }\n" in after


def test_the_innermost_of_three_is_named_beside_the_one_that_may_fail() -> None:
    [after] = safe(
        "  void run(String path) throws IOException {\n    ObjectOutputStream out = new ObjectOutputStream(new BufferedOutputStream(new FileOutputStream(path)));\n"
        "    out.writeObject(path);\n    out.close();\n  }"
    )
    assert "try (FileOutputStream fileOutputStream = new FileOutputStream(path);\n" in after
    assert "ObjectOutputStream out = new ObjectOutputStream(new BufferedOutputStream(fileOutputStream))) {\n" in after


def test_what_is_asked_of_it_behind_its_close_is_not_asked_before() -> None:
    body = (
        "  static class Pages extends FilterOutputStream {\n    private long length;\n    Pages(String path) throws IOException {\n      super(new FileOutputStream(path));\n    }\n"
        "    long length() {\n      return length;\n    }\n    @Override\n    public void close() throws IOException {\n      length = 3;\n      super.close();\n    }\n  }\n"
        "  long run(String path) throws IOException {\n    Pages pages = new Pages(path);\n    pages.write(1);\n    pages.close();\n    return pages.length();\n  }"
    )
    data = (HEAD + body + "\n}\n").encode()
    for each in answers("Case.java", data):
        assert not isinstance(each, Fix) or "return pages.length();\n    }" not in apply(data, each.edits).decode()


def test_what_a_field_wraps_stays_open() -> None:
    body = (
        "  private ListeningExecutorService tasks;\n  Case(int count) {\n    ExecutorService pool = Executors.newFixedThreadPool(count);\n"
        "    tasks = MoreExecutors.listeningDecorator(pool);\n    if (count < 3) {\n      throw new IllegalArgumentException();\n    }\n  }"
    )
    data = ("import com.google.common.util.concurrent.*;\n" + HEAD + body + "\n}\n").encode()
    for each in answers("Case.java", data):
        assert not isinstance(each, Fix) or "finally" not in apply(data, each.edits).decode()


def test_a_type_of_the_same_project_that_is_not_there_is_not_closed_on_a_hint() -> None:
    body = (
        "class Case {\n  void show() {\n    Box box = new Box();\n    System.out.println(box.next());\n  }\n  void other(Box given) {\n    given.close();\n  }\n}\n"
    )
    own = ("package org.fields.tests;\nimport org.fields.main.Box;\n" + body).encode()
    assert not [each for each in answers("Case.java", own) if isinstance(each, Fix)]
    library = ("package com.other;\nimport org.fields.main.Box;\n" + body).encode()
    assert [each for each in answers("Case.java", library) if isinstance(each, Fix)]


def test_a_pool_whose_task_has_no_end_is_not_ended() -> None:
    body = (
        "  static class Pump implements Runnable {\n    private final BlockingQueue<String> from = new LinkedBlockingQueue<>();\n    public void run() {\n      while (true) {\n"
        "        try {\n          System.out.println(from.take());\n        } catch (InterruptedException e) {\n          System.out.println(1);\n        }\n      }\n    }\n  }\n"
        "  void begin() {\n    ExecutorService pool = Executors.newFixedThreadPool(1);\n    pool.submit(new Pump());\n  }"
    )
    assert reasons(body) == ["`Pump` runs as long as the program"]
    assert safe(body.replace("while (true)", "while (!from.isEmpty())"))


def test_a_use_on_another_way_is_not_behind_a_close() -> None:
    body = (
        "  int run(String path) throws IOException {\n    InputStream in = new FileInputStream(path);\n    if (path.isEmpty()) {\n      in.close();\n      throw new IOException();\n    }\n"
        "    return in.read();\n  }"
    )
    [after] = safe(body)
    assert "try (InputStream in = new FileInputStream(path)) {" in after


UNPACKED = (
    "  String text(File f, boolean packed) throws IOException {\n    InputStream in = new FileInputStream(f);\n    if (packed) {\n"
    "      in = new java.util.zip.GZIPInputStream(in);\n    }\n"
)


def test_a_try_begins_before_what_wraps_the_resource_in_place() -> None:
    body = UNPACKED + '    try {\n      return new String(in.readAllBytes(), "UTF-8");\n    } finally {\n      in.close();\n    }\n  }'
    [after] = safe(body)
    assert "    try {\n      if (packed) {\n        in = new java.util.zip.GZIPInputStream(in);\n      }\n      return" in after
    assert after.count("try {") == after.count("in.close();") == 1


def test_what_exchanges_the_resource_comes_into_the_try_with_a_close_before_it() -> None:
    body = UNPACKED.replace("GZIPInputStream(in)", "GZIPInputStream(new FileInputStream(f))") + (
        '    try {\n      return new String(in.readAllBytes(), "UTF-8");\n    } finally {\n      in.close();\n    }\n  }'
    )
    [after] = safe(body)
    assert "    try {\n      if (packed) {\n        in.close();\n        in = new java.util.zip.GZIPInputStream(new FileInputStream(f));\n" in after


def test_a_resource_that_is_wrapped_in_place_and_returned_is_closed_where_that_fails() -> None:
    body = UNPACKED.replace("String text", "InputStream open") + "    return in;\n  }"
    [after] = safe(body)
    assert "    try {\n      if (packed) {\n" in after and "      return in;\n    } catch (Throwable" in after


def test_handlers_in_blocks_that_know_nothing_of_each_other_use_the_same_names() -> None:
    part = "      FileInputStream in = new FileInputStream(PATH);\n      in.skip(2);\n      return new Kept(in);\n"
    body = (
        "  Kept open(boolean first, String a, String b) throws IOException {\n    if (first) {\n" + part.replace("PATH", "a") + "    } else {\n"
        + part.replace("PATH", "b") + "    }\n  }\n  static class Kept {\n    final InputStream in;\n    Kept(InputStream in) {\n      this.in = in;\n    }\n  }"
    )
    data = (HEAD + body + "\n}\n").encode()
    given = [each for each in answers("Case.java", data) if isinstance(each, Fix)]
    assert apply(data, given[0].edits).count(b"} catch (Throwable e) {") == 2


def test_a_value_of_many_lines_does_not_come_into_a_header_as_it_is() -> None:
    def body(lines: int) -> str:
        value = "".join(f'\n            + "part (of {number} "' for number in range(lines))
        return (
            f'  int read() throws IOException {{\n    InputStream in = new FileInputStream("a"{value});\n    int first = in.read();\n    return first + in.read();\n  }}'
        )

    assert "try (" in safe(body(4))[0]
    [after] = safe(body(14))
    assert "try (" not in after and "    try {\n      int first" in after
