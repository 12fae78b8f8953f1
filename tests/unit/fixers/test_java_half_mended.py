"""Constructors that hold more than what a patch closes, or whose object somebody has already: offered, not called safe."""

from __future__ import annotations

from fixers import Applicability, Fix
from tests.unit.fixers.patching import answers


def _doubts(text: str) -> list[str]:
    """What is assumed of the fixes of a file that are not safe; of a safe one, nothing."""
    found = [each for each in answers("Case.java", text.encode()) if isinstance(each, Fix)]
    return [
        "" if each.applicability is Applicability.SAFE else next(check.reason for check in each.proof if check.name == "finding is gone")
        for each in found
    ]


def test_a_constructor_that_opens_another_thing_in_a_branch() -> None:
    text = """import java.io.*;
import java.nio.channels.*;
class Case {
  private final ServerSocketChannel door;
  private final Selector selector;
  Case(int port) throws IOException {
    if (port == 0) {
      door = null;
    } else {
      door = %s;
    }
    selector = Selector.open();
    if (door != null) {
      door.register(selector, SelectionKey.OP_ACCEPT);
    }
  }
  void end() throws IOException { selector.close(); }
}
"""
    assert "what is opened before it stays open" in _doubts(text % "ServerSocketChannel.open()")
    assert _doubts(text % "Doors.known()") == [""]


def test_a_constructor_whose_object_is_known_by_then() -> None:
    text = """import java.io.*;
class Case {
  private static Case current;
  private final FileOutputStream out;
  private Case(String path) throws IOException {
    %s
    out = new FileOutputStream(path, true);
    out.write("head".getBytes());
  }
  static void note(String line) throws IOException { current.out.write(line.getBytes()); }
}
"""
    assert _doubts(text % "current = this;") == ["who has the object by then may go on with it"]
    assert _doubts(text % "current = null;") == [""]
