"""A connection that a field keeps goes on without the statement that it made; what it made may lie in a field itself."""

from __future__ import annotations

from tests.unit.fixers.patching import mended

TEXT = """import java.sql.*;

class Case {
  private Connection connection;
  private Statement kept;

  private Connection connected(String place) throws SQLException {
    if (connection == null || connection.isClosed()) {
      connection = DriverManager.getConnection(place);
    }
    return connection;
  }

  void log(String place, String name) throws SQLException {
    Connection found = connected(place);
    PreparedStatement statement = found.prepareStatement("INSERT");
    statement.setString(1, name);
    statement.executeUpdate();
  }

  void close() throws SQLException {
    connection.close();
  }
}
"""


def test_a_statement_is_closed_though_its_connection_stays() -> None:
    after = mended("Case.java", TEXT.encode()).decode()
    assert '    try (PreparedStatement statement = found.prepareStatement("INSERT")) {\n      statement.setString(1, name);\n' in after


def test_one_that_a_field_keeps_stays_open() -> None:
    text = TEXT.replace("    statement.setString", "    kept = statement;\n    statement.setString")
    assert mended("Case.java", text.encode()).decode() == text
