"""A close that is there, but not on all ways, is moved: the code says itself that it has to run."""

from __future__ import annotations

from fixers import Applicability, Fix
from fixers.edits import apply
from tests.unit.fixers.members import HEAD, reasons
from tests.unit.fixers.patching import answers


def _unsafe(body: str) -> list[str]:
    """The texts after each unsafe fix of some members of a class."""
    data = (HEAD + body + "\n}\n").encode()
    return [
        apply(data, each.edits).decode().removeprefix(HEAD)
        for each in answers("Case.java", data)
        if isinstance(each, Fix) and each.applicability is Applicability.UNSAFE
    ]


def test_a_close_of_a_type_that_nobody_knows_is_moved() -> None:
    body = "  void run(Feed source) throws IOException {\n    Exporter target = new Exporter(source);\n    source.pull(target);\n    target.close();\n  }"
    [after] = _unsafe(body)
    assert "    try {\n      source.pull(target);\n    } finally {\n      target.close();\n    }\n  }" in after


def test_a_statement_of_a_pooled_connection_is_closed() -> None:
    body = (
        "  boolean has(javax.sql.DataSource pool, String name) throws java.sql.SQLException {\n    try (java.sql.Connection link = pool.getConnection()) {\n"
        "      java.sql.PreparedStatement asked = link.prepareStatement(\"SELECT 1\");\n      asked.setString(1, name);\n      return asked.execute();\n    }\n  }"
    )
    data = (HEAD + body + "\n}\n").encode()
    [given] = [each for each in answers("Case.java", data) if isinstance(each, Fix)]
    assert "pool.getConnection();\n        java.sql.PreparedStatement asked = link.prepareStatement(" in apply(data, given.edits).decode()
    assert reasons(body) == []


def test_a_final_variable_that_a_try_assigns_is_closed_behind_it() -> None:
    body = (
        "  int read(File file, List<Integer> sizes) throws IOException {\n    final FileInputStream in;\n    try {\n      in = new FileInputStream(file);\n"
        "    } catch (FileNotFoundException e) {\n      return -1;\n    }\n    int found = in.read();\n    in.close();\n    return found;\n  }"
    )
    data = (HEAD + "// release: 8\n" + body + "\n}\n").encode()
    [given] = [each for each in answers("Case.java", data) if isinstance(each, Fix)]
    assert "    } finally {\n      in.close();\n    }\n" in apply(data, given.edits).decode()
