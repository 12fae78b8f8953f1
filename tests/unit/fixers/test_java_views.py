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
