"""Parameters that a method closes when it returns, and not when something throws: only where it does close them."""

from __future__ import annotations

import pytest

from analyzers import MemoryTree, analyze, load, specs
from analyzers.finding import LEFT_OPEN

WRAPPED = """import java.io.*;

class Stamped extends FilterOutputStream {
  private boolean ended;

  Stamped(OutputStream out) {
    super(out);
  }

  @Override
  public void close() throws IOException {
    if (!ended) {
      ended = true;
      write('.');
      %s
    }
  }
}

class Stamps {
  static void stamp(InputStream in, OutputStream out) throws IOException {
    Stamped stamped = new Stamped(out);
    in.transferTo(stamped);
    stamped.close();
    %s
  }
}
"""


def _told(ending: str, behind: str) -> list[str]:
    tree = MemoryTree({"Stamps.java": (WRAPPED % (ending, behind)).encode()})
    return [each.message for each in analyze(load(tree, specs.load(("java",)))).findings if each.detail == LEFT_OPEN]


@pytest.mark.parametrize(("ending", "behind"), [("super.close();", ""), ("out.close();", ""), ("flush();", "out.close();")])
def test_what_a_wrapper_closes_is_closed_else(ending: str, behind: str) -> None:
    assert _told(ending, behind) == ["`out` is not closed when `in.transferTo(stamped)` throws, as it is else."]


def test_a_wrapper_that_leaves_open_what_it_wraps_closes_nothing() -> None:
    assert _told("flush();", "") == []
