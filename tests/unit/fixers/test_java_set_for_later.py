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


SHOWN = """\
// release: 8
import java.io.*;
class A {{
    interface Answer {{ void given(String name); }}
    void receive(String path) throws IOException {{
        FileInputStream in = new FileInputStream(path);
        ask(in);
    }}
    void ask(InputStream in) {{
        {asking}
    }}
    void input(Answer answer) {{
        {shown}
    }}
    void save(InputStream in, String name) {{
        try {{
            System.out.println(name + in.read());
        }} catch (IOException e) {{
            System.out.println(name);
        }}
    }}
}}
"""
LAMBDA = "input(name -> save(in, name));"
NAMELESS = "input(new Answer() { public void given(String name) { save(in, name); } });"
DIRECT = "Dialog.show(name -> save(in, name));"


@pytest.mark.parametrize("asking", [LAMBDA, NAMELESS, DIRECT])
@pytest.mark.parametrize("shown", ["Dialog.show(answer);", "Dialog.show(name -> answer.given(name));"])
def test_what_a_dialog_asks_for_later_stays_open(asking: str, shown: str) -> None:
    source = SHOWN.format(asking=asking, shown=shown)
    assert mended("A.java", source.encode()).decode() == source


def test_what_is_asked_for_at_once_ends_behind() -> None:
    source = SHOWN.format(asking='save(in, "a");', shown="Dialog.show(answer);")
    assert "try (FileInputStream in = new FileInputStream(path)) {" in mended("A.java", source.encode()).decode()
