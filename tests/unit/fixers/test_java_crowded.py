"""A patch for many findings that somebody would do in another way is for him to look at."""

from __future__ import annotations

import msgspec
import pytest

from analyzers.finding import Confidence
from fixers.fix import Fix
from fixers.java.crowded import crowded
from tests.unit.fixers.members import offered, safe
from tests.unit.reporters import reports

STATEMENTS = """  void update(java.sql.Connection line) throws java.sql.SQLException {
%s  }"""
ONE = '    line.createStatement().execute("DROP TABLE %s");\n'

END = """  private final Socket one;
  private final Socket two;
  private final Socket three;
  Case(String host) throws IOException {
    one = new Socket(host, 1);
    two = new Socket(host, 2);
    three = new Socket(host, 3);
  }
  void stop(Runnable last) throws IOException {
    last.run();
    one.close();
    two.close();
    three.close();
  }"""


def test_one_statement_would_do_for_all() -> None:
    assert len(safe(STATEMENTS % "".join(ONE % each for each in "ab"))) == 2
    many = STATEMENTS % "".join(ONE % each for each in "abcde")
    assert safe(many) == []
    assert offered(many)


def test_three_of_them_in_one_another_are_too_much_for_what_is_only_feared() -> None:
    assert not any(text.count("finally {") > 2 for text in safe(END))


@pytest.mark.parametrize(("deep", "confidence", "is_crowded"), [
    (3, Confidence.ASSUMED, True), (3, Confidence.WITNESSED, False), (2, Confidence.ASSUMED, False),
])  # fmt: skip
def test_how_deep_a_finally_may_stand(deep: int, confidence: Confidence, is_crowded: bool) -> None:
    finding = msgspec.structs.replace(reports.java_finding(), confidence=confidence)
    inside = "last.run();"
    for each in range(deep):
        inside = f"try {{ {inside} }} finally {{ s{each}.close(); }}"
    before, after = (f"class A {{ void stop() {{ {text} }} }}".encode() for text in ("last.run();", inside))
    assert bool(crowded([Fix(finding, "t", (), ())], before, after)) is is_crowded
    assert crowded([Fix(finding, "t", (), ())], after, after) == ""


def test_rows_whose_close_asks_for_null_stay_no_more_than_others_beside_a_header() -> None:
    body = """  int skip(java.sql.Connection line, int many) throws java.sql.SQLException {
    java.sql.PreparedStatement asked = line.prepareStatement("SELECT 1");
    for (int i = 0; i < many; i++) {
      asked.setObject(i, null);
    }
    java.sql.ResultSet rows = asked.executeQuery();
    int all = 0;
    while (rows.next()) {
      all++;
    }
    if (rows != null) rows.close();
    if (asked != null) asked.close();
    return all;
  }"""
    assert safe(body) == []
    assert safe(body.replace("    if (rows != null) rows.close();\n", ""))
