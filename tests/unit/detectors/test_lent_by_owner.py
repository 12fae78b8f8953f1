"""What an object of the tree gives by the contract of a library's type without `close`, and has a `close` itself."""

from __future__ import annotations

import pytest

from analyzers import analyze
from analyzers.finding import Confidence
from fixers import Applicability, Fix
from tests.unit.fixers.patching import answers, program

TEXT = """import java.sql.*;
import javax.sql.DataSource;

interface Lease extends DataSource%s {
  %s
}

class Names {
  private Lease lease() {
    return null;
  }

  String name() throws SQLException {
    %s
  }
}
"""
GIVEN = "return lease.getConnection().getMetaData().getDatabaseProductName();"


def _confidences(text: str) -> list[Confidence]:
    return [each.confidence for each in analyze(program("Names.java", text.encode())).findings]


def test_what_is_lent_is_closed_with_its_owner() -> None:
    closed = f"try (Lease lease = lease()) {{\n      {GIVEN}\n    }}"
    assert _confidences(TEXT % (", AutoCloseable", "void close() throws SQLException;", closed)) == []


@pytest.mark.parametrize(
    ("above", "member", "found"),
    [("", "", Confidence.WITNESSED), (", AutoCloseable", "void close() throws SQLException;", Confidence.ASSUMED)],
)
def test_an_owner_that_others_close_may_close_it_too(above: str, member: str, found: Confidence) -> None:
    text = (TEXT % (above, member, GIVEN)).replace("name()", "name(Lease lease)")
    assert _confidences(text) == [found]
    [answer] = answers("Names.java", text.encode())
    assert isinstance(answer, Fix) and (answer.applicability is Applicability.SAFE) == (not member)
