"""A close at the end of a chain stands as the calls of the chain do."""

from __future__ import annotations

from tests.unit.fixers.members import safe

CHAIN = """  void remove(javax.ws.rs.client.WebTarget target) {
    target
        .path("first")
        .request()
        .delete();
  }"""


def test_a_close_has_a_line_of_its_own_where_each_call_has() -> None:
    assert any("        .delete()\n        .close();\n" in text for text in safe(CHAIN))
    assert any(".request().delete().close();\n" in text for text in safe(CHAIN.replace("\n        .", ".")))
