"""What a connection gives is not closed before somebody who is handed the connection asks it for the same."""

from __future__ import annotations

from tests.unit.fixers.members import reasons, safe

BODY = """  void send(HttpURLConnection connection, boolean isTold) throws IOException {
    try {
      if (isTold) {
        System.out.println(new String(connection.getInputStream().readAllBytes()));
      }
    } finally {
      drain(connection);
    }
  }

  private void drain(HttpURLConnection connection) throws IOException {
    finish(connection);
  }

  private void finish(HttpURLConnection connection) throws IOException {
    try (InputStream in = connection.getInputStream()) {
      in.readAllBytes();
    }
  }"""


def test_a_callee_asks_the_connection_for_the_same_stream() -> None:
    assert safe(BODY) == []
    assert any("may give the same again" in each for each in reasons(BODY))


def test_a_callee_asks_for_another_stream_or_another_connection() -> None:
    assert safe(BODY.replace("in = connection.getInputStream()", "in = connection.getErrorStream()"))
    assert safe(BODY.replace("      drain(connection);", "      drain(null);"))
