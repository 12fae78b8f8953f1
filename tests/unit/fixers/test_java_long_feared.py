"""A block that is too long to move into a header for what is only feared is too long for a `finally`, too."""

from __future__ import annotations

import pytest

from fixers.fix import Applicability, Fix
from fixers.java.feared import MAX_MOVED
from tests.unit.fixers.patching import answers

SOURCE = """package far;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

class Catalogs {{
    private Connection connection;

    void read(List<String> all) throws SQLException {{
        DatabaseMetaData data = connection.getMetaData();
        ResultSet rows = data.getCatalogs();
        while (rows.next()) {{
{lines}
        }}
        all.add("end");
    }}
}}
"""


@pytest.mark.parametrize("beyond", [0, 1, 2])
def test_neither_form_moves_more_lines_than_the_other(beyond: int) -> None:
    inside = MAX_MOVED - 2 + beyond  # beside the lines of the loop itself
    lines = "\n".join(f"            all.add(rows.getString({number}));" for number in range(inside))
    fixes = [each for each in answers("Catalogs.java", SOURCE.format(lines=lines).encode()) if isinstance(each, Fix)]
    assert len(fixes) == 1
    assert "try-with-resources" in fixes[0].title
    assert (fixes[0].applicability is Applicability.SAFE) == (beyond == 0)
