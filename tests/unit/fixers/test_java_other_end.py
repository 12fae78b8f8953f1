"""One end of a pipe is not closed on anybody who has the other end, unless somebody has looked (Java)."""

from __future__ import annotations

import pytest

from fixers import Applicability, Fix
from tests.unit.fixers.patching import answers

PIPE = """import java.io.*;
class Case {
  PipedWriter kept = new PipedWriter();
  int first(PipedWriter given, boolean again) throws IOException {
    OWN
      PipedReader in = new PipedReader();
      %s
      int c = in.read();
      in.close();
      return c;
    }
  }
}
"""
HEADER = "try (PipedWriter own = new PipedWriter()) {"
ABOVE = "PipedWriter own = new PipedWriter(); try (own) {"
FELT = "`%s`, the other end of the pipe, feels that"


def _reasons(text: str, own: str = HEADER) -> str:
    """What is assumed of the fixes for the reader."""
    found = [each for each in answers("Case.java", text.replace("OWN", own).encode()) if isinstance(each, Fix) and "`in`" in each.title]
    assert found
    return "; ".join(check.reason for each in found for check in each.proof if each.applicability is not Applicability.SAFE and check.verdict == "assumed")


@pytest.mark.parametrize("end", ["given", "kept", "this.kept"])
def test_a_writer_of_somebody_else_is_not_cut_off(end: str) -> None:
    assert FELT % end in _reasons(PIPE % f"in.connect({end});")
    assert FELT % end in _reasons(PIPE % f"{end}.connect(in);")


@pytest.mark.parametrize("own", [HEADER, ABOVE])
def test_a_writer_that_the_method_makes_may_be_cut_off(own: str) -> None:
    assert not _reasons(PIPE % "in.connect(own);", own)
