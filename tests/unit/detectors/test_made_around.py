"""What is asked for through an object that the procedure has made around another, whose kind a spec knows."""

from __future__ import annotations

import pytest

from analyzers import analyze
from tests.unit.fixers.patching import program

TEXT = """import java.sql.*;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.*;

class Catalogs {
  String catalog(Connection given, JdbcTemplate other) throws SQLException {
    %s
    return line.getCatalog();
  }
}
"""
SINGLE = "new SingleConnectionDataSource(given, true)"
NEW_EACH_TIME = 'new DriverManagerDataSource("jdbc:h2:mem")'


@pytest.mark.parametrize(
    "asked",
    [
        "SingleConnectionDataSource one = %s;\n    Connection line = one.getConnection();",
        "DataSource one = %s;\n    Connection line = one.getConnection();",
        "Connection line = new JdbcTemplate(%s).getDataSource().getConnection();",
        "DataSource one = %s;\n    JdbcTemplate all = new JdbcTemplate(one);\n    DataSource again = all.getDataSource();\n    Connection line = again.getConnection();",
    ],
)
def test_the_only_connection_of_a_source_is_no_leak(asked: str) -> None:
    assert _found(asked % SINGLE) == 0
    assert _found(asked.replace("SingleConnectionDataSource one", "DataSource one") % NEW_EACH_TIME) == 1


def test_another_object_says_nothing_of_the_source_of_this_one() -> None:
    assert _found(f"JdbcTemplate all = new JdbcTemplate({SINGLE});\n    Connection line = other.getDataSource().getConnection();") == 1


def _found(asked: str) -> int:
    return len(analyze(program("Catalogs.java", (TEXT % asked).encode())).findings)
