"""An argument that stands below the parenthesis of what comes into a header stands so there, too, where nothing has to move for that."""

from __future__ import annotations

from tests.unit.fixers.members import safe

BODY = """  static String told() {
    try {
      return Objects.toString(new InputStreamReader(Case.class.getResourceAsStream("/all the words of a.txt"),
                                                    "UTF-8").read());
    } catch (IOException e) {
      return "unknown";
    }
  }"""


def test_an_argument_stays_below_its_parenthesis() -> None:
    [text] = safe(BODY)
    lines = text.splitlines()
    at = next(n for n, each in enumerate(lines) if "try (" in each)
    assert lines[at + 1].index('"UTF-8"') == lines[at].index("new InputStreamReader(") + len("new InputStreamReader(")
