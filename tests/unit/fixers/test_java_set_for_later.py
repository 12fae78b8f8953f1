"""What is set in somebody else's object, and left to be read later, stays open: where the method itself goes on to use that object, it may end."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

SOURCE = """\
import java.io.*;
import java.sql.*;
class A {{
    private PreparedStatement own;
    void bind({parameters}) throws Exception {{
        InputStream in = new FileInputStream(f);
        {statements}
    }}
}}
"""
GIVEN = "PreparedStatement s, File f"


@pytest.mark.parametrize(
    ("parameters", "statements"),
    [(GIVEN, "s.setBinaryStream(1, in);"), ("File f", "own.setBinaryStream(1, in);"), ("File f", "this.own.setBlob(1, in);")],
    ids=["parameter", "field", "field by this"],
)
def test_what_is_left_with_others_stays_open(parameters: str, statements: str) -> None:
    source = SOURCE.format(parameters=parameters, statements=statements)
    assert mended("A.java", source.encode()).decode() == source


@pytest.mark.parametrize(
    ("parameters", "statements"),
    [
        (GIVEN, "s.setBinaryStream(1, in);\n        s.executeUpdate();"),
        ("Connection c, File f", 'try (PreparedStatement s = c.prepareStatement("x")) {\n            s.setBinaryStream(1, in);\n            s.executeUpdate();\n        }'),
    ],
    ids=["used here", "made here"],
)
def test_what_is_used_here_ends_here(parameters: str, statements: str) -> None:
    after = mended("A.java", SOURCE.format(parameters=parameters, statements=statements).encode()).decode()
    assert "try (InputStream in = new FileInputStream(f)" in after
    assert after.index("executeUpdate();") < after.index("        }\n    }\n")
