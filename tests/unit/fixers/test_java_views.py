"""What is returned and reads from a resource by another name of it: closing the resource would end it."""

from __future__ import annotations

import pytest

from fixers import Applicability, Declined
from tests.unit.fixers.members import HEAD
from tests.unit.fixers.patching import answers

_ANSWER = """  static class Answer {
    private InputStream stream;
    private String text = "";
    Answer(InputStream given, InputStream error) {
      this.stream = given;
      if (error != null) {
        quietly(given);
        return;
      }
      if (stream != null) {
        try {
          stream = new PushbackInputStream(stream, 2);
          text += stream.read();
        } catch (IOException x) {
          text = "none";
        }
      }
    }
    static void quietly(InputStream in) {
      if (in != null) {
        try {
          in.close();
        } catch (IOException x) {
        }
      }
    }
    InputStream stream() { return stream; }
  }
"""


@pytest.mark.parametrize("end", ["return new Answer(in, error);", "Answer answer = new Answer(in, error);\n    return answer;"])
def test_a_stream_that_an_answer_may_keep_or_close_stays_open(end: str) -> None:
    body = _ANSWER + (
        "  Answer ask(String name, int code) throws IOException {\n    Socket peer = new Socket(name, code);\n    InputStream in = null;\n"
        "    InputStream error = null;\n    if (code == 200) {\n      in = peer.getInputStream();\n    } else {\n      error = peer.getInputStream();\n    }\n"
        f"    {end}\n  }}\n"
    )
    for each in answers("Case.java", (HEAD + body + "}\n").encode()):
        assert isinstance(each, Declined) or each.applicability is Applicability.UNSAFE


_BOXES = {
    "a field that wraps it": "  static class Box {\n    InputStream in;\n    Box(InputStream given) { in = new BufferedInputStream(given); }\n  }\n",
    "a field of a field": (
        "  static class Inner {\n    InputStream in;\n    Inner(InputStream given) { in = new BufferedInputStream(given); }\n  }\n"
        "  static class Box {\n    Inner inner;\n    Box(InputStream given) { inner = new Inner(given); }\n  }\n"
    ),
    "a field of a field that has it": (
        "  static class Inner {\n    InputStream in;\n    Inner(InputStream given) { in = given; }\n  }\n"
        "  static class Box {\n    Inner inner;\n    Box(InputStream given) { inner = new Inner(given); }\n  }\n"
    ),
}


@pytest.mark.parametrize("end", ["return box;", "held = box;\n    return null;", "all.add(box);\n    return box;"])
@pytest.mark.parametrize("boxes", _BOXES.values(), ids=_BOXES)
def test_what_wraps_the_stream_of_a_socket_and_lives_on_keeps_it_open(boxes: str, end: str) -> None:
    body = boxes + (
        "  Box held;\n  List<Box> all = new ArrayList<>();\n  Box ask(String name, int code) throws IOException {\n    Socket peer = new Socket(name, code);\n"
        f"    InputStream in = peer.getInputStream();\n    Box box = new Box(in);\n    {end}\n  }}\n"
    )
    for each in answers("Case.java", (HEAD + body + "}\n").encode()):
        assert isinstance(each, Declined) or each.applicability is Applicability.UNSAFE or not any("try (" in edit.text for edit in each.edits)


def test_what_wraps_the_stream_of_a_socket_here_alone_needs_it_no_longer() -> None:
    body = _BOXES["a field that wraps it"] + (
        "  int ask(String name, int code) throws IOException {\n    Socket peer = new Socket(name, code);\n    Box box = new Box(peer.getInputStream());\n"
        "    return box.in.read();\n  }\n"
    )
    [answer] = answers("Case.java", (HEAD + body + "}\n").encode())
    assert not isinstance(answer, Declined) and answer.applicability is Applicability.SAFE


_LINES = """  static class Lines implements Iterator<String> {
    private final BufferedReader in;
    private String next;
    Lines(Reader given) throws IOException { in = new BufferedReader(given); next = in.readLine(); }
    public boolean hasNext() { return next != null; }
    public String next() { String old = next; try { next = in.readLine(); } catch (IOException x) { throw new IllegalStateException(x); } return old; }
    Reader all() { return in; }
    Runnable later() { return () -> { next(); }; }
    Reader more() { return new PushbackReader(in); }
    void hand(List<Object> to) { to.add(in); }
  }
  static class Node {
    Lines lines;
    Node next;
    Node(Lines lines, Node next) { this.lines = lines; this.next = next; }
    Lines first() { return next.lines; }
  }
  List<Object> everything = new ArrayList<>();
  Object held;
"""

_OPENINGS = (
    "Reader in = new FileReader(name);",
    "Socket peer = new Socket(name, 3);\n    Reader in = new InputStreamReader(peer.getInputStream());",
)


@pytest.mark.parametrize("opening", _OPENINGS, ids=("a file", "a socket"))
@pytest.mark.parametrize("end", [
    "return lines;", "return lines.all();", "return lines.later();", "return lines.more();", "lines.hand(everything);\n    return null;",
    "held = lines;\n    return null;", "held = lines.all();\n    return null;", "Lines[] all = {lines};\n    return all[0];",
    "Lines[][] all = {{lines}};\n    Lines[] row = all[0];\n    return row[0];", "Node two = new Node(null, new Node(lines, null));\n    return two.first();",
    "Node two = new Node(null, new Node(lines, null));\n    return two.next.lines;", "everything.add(lines);\n    return null;",
    "java.util.function.Supplier<Object> given = () -> lines;\n    return given.get();", "new Thread(() -> lines.next()).start();\n    return null;",
])  # fmt: skip
def test_what_a_class_of_the_code_wraps_stays_open_while_its_object_lives_on(opening: str, end: str) -> None:
    body = f"{_LINES}  Object read(String name) throws IOException {{\n    {opening}\n    Lines lines = new Lines(in);\n    {end}\n  }}\n"
    for each in answers("Case.java", (HEAD + body + "}\n").encode()):
        is_safe = not isinstance(each, Declined) and each.applicability is Applicability.SAFE
        assert not is_safe or any("catch (Throwable " in edit.text for edit in each.edits)  # type: ignore[union-attr]


def test_what_a_class_of_the_code_wraps_is_closed_where_its_object_ends() -> None:
    body = (
        f"{_LINES}  List<String> read(String name) throws IOException {{\n    List<String> found = new ArrayList<>();\n"
        "    Lines lines = new Lines(new FileReader(name));\n    while (lines.hasNext()) {\n      found.add(lines.next());\n    }\n    return found;\n  }\n"
    )
    [answer] = answers("Case.java", (HEAD + body + "}\n").encode())
    assert not isinstance(answer, Declined) and answer.applicability is Applicability.SAFE
    assert any("try (FileReader " in edit.text and "new Lines(reader)" not in edit.text for edit in answer.edits)
