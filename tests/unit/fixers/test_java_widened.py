"""A `try` that is there begins earlier; names, handlers and listeners as a reviewer would want them."""

from __future__ import annotations

from fixers import Applicability, Fix
from tests.unit.fixers.members import HEAD, reasons, safe
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
    assert "FileInputStream in2 = " in texts and "FileInputStream in = " not in texts


def test_what_calls_back_later_stays_open() -> None:
    body = (
        "  void listen(String path, Runnable done) throws IOException {\n    Feed feed = new Feed(path);\n    feed.setListener(done);\n  }\n"
        "  static class Feed extends FileInputStream {\n    Feed(String path) throws IOException {\n      super(path);\n    }\n    void setListener(Runnable each) {\n      each.run();\n    }\n  }"
    )
    assert any("calls back later" in each or "has it call back later" in each for each in reasons(body))


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


def test_a_method_that_is_not_known_to_be_there_is_not_called() -> None:
    body = (
        "  void show(Words words) {\n    PageReader reader = words.reader();\n    System.out.println(reader.next());\n  }\n"
        "  void other(PageReader given) {\n    given.close();\n  }"
    )
    data = (HEAD + body + "\n}\n").encode()
    assert not [each for each in answers("Case.java", data) if isinstance(each, Fix) and each.applicability is not Applicability.SAFE]
