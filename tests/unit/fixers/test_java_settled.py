"""What is returned behind the code's own close was given without the resource before: a patch may close it there, too."""

from __future__ import annotations

import pytest

from fixers import Fix
from tests.unit.fixers.patching import answers

TEXT = """import java.sql.*;
import java.util.*;
class Case {
  static %s rows(javax.sql.DataSource from, String query) throws SQLException {
    Connection link = from.getConnection();
    PreparedStatement asked = link.prepareStatement(query);
    ResultSet rows = asked.executeQuery();
    List<Object> all = new ArrayList<>();
    while (rows.next()) {
      all.add(rows.getObject(1));
      %s
    }
    link.close();
    %s
  }
}
"""


@pytest.mark.parametrize(
    ("result", "inside", "end", "is_safe"),
    [
        ("List<Object>", "", "return all;", True),
        ("List<Object>", "if (all.size() > 9) return all;", "return null;", False),
        ("ResultSet", "", "return rows;", False),
        ("int", "if (all.size() > 9) return 9;", "return all.size();", True),
    ],
    ids=["behind", "before", "what reads from it", "numbers"],
)
def test_a_list_may_go_out_behind_the_close_of_the_code(result: str, inside: str, end: str, is_safe: bool) -> None:
    data = (TEXT % (result, inside, end)).encode()
    found = [each for each in answers("Case.java", data) if each.finding.acquired.start == data.index(b"from.getConnection")]
    assert [isinstance(each, Fix) and each.applicability.value == "safe" for each in found] == [is_safe]
