"""A class of the repository is closed as safe where its `close` does nothing but close what the object holds."""

from __future__ import annotations

import pytest

from tests.unit.fixers.members import safe

FIRST = """
    int first(File file) throws IOException {
        Line line = new Line(file);
        return line.read();
    }
"""


def _line(members: str, kept: str = "private final FileInputStream in;", made: str = "in = new FileInputStream(file);") -> str:
    return f"""
    static class Line implements Closeable {{
        {kept}
        Line(File file) throws IOException {{ {made} }}
        int read() throws IOException {{ return 1; }}
        {members}
    }}
{FIRST}"""


PLAIN = "public void close() throws IOException { in.close(); }"


@pytest.mark.parametrize(
    ("members", "kept", "made"),
    (
        (PLAIN, "private final FileInputStream in;", "in = new FileInputStream(file);"),
        ("public void close() throws IOException { if (in != null) { in.close(); } }", "private FileInputStream in;", "if (file.exists()) { in = new FileInputStream(file); }"),
        ("public void close() { try { in.close(); } catch (IOException e) { e.printStackTrace(); } }", "private final FileInputStream in;", "in = new FileInputStream(file);"),
        (
            "public void close() { quietly(in); }\n        static void quietly(Closeable c) { try { if (c != null) c.close(); } catch (IOException e) { } }",
            "private FileInputStream in;", "in = new FileInputStream(file);",
        ),
    ),
)  # fmt: skip
def test_a_plain_close_is_safe(members: str, kept: str, made: str) -> None:
    (text,) = safe(_line(members, kept, made))
    assert "        try (Line line = new Line(file)) {\n            return line.read();\n        }\n" in text


@pytest.mark.parametrize(
    ("members", "kept", "made"),
    (
        # What is not there is closed.
        (PLAIN, "private FileInputStream in;", "if (file.exists()) { in = new FileInputStream(file); }"),
        (PLAIN, "private final FileInputStream in;", "in = file.exists() ? new FileInputStream(file) : null;"),
        (PLAIN + "\n        void drop() { in = null; }", "private FileInputStream in;", "in = new FileInputStream(file);"),
        # More happens than that.
        ("public void close() throws IOException { in.close(); file.delete(); }", "private final FileInputStream in; private final File file;", "this.file = file; in = new FileInputStream(file);"),
        ("public void close() throws IOException { in.close(); open--; }", "private final FileInputStream in; static int open;", "in = new FileInputStream(file);"),
        # So does what others gave, or hold.
        (
            "public void close() throws IOException { in.close(); for (Closeable each : ALL) { each.close(); } }",
            "private final FileInputStream in; static final List<Closeable> ALL = new ArrayList<>();", "in = new FileInputStream(file);",
        ),
        ("public void close() throws IOException { in.close(); OUT.close(); }", "private final FileInputStream in; static final OutputStream OUT = other();", "in = new FileInputStream(file);"),
    ),
)  # fmt: skip
def test_a_close_that_does_more_is_not(members: str, kept: str, made: str) -> None:
    assert not [text for text in safe(_line(members, kept, made)) if "try (Line" in text]


def test_somebody_else_s_object_is_not_closed() -> None:
    body = """
    static class Line implements Closeable {
        private FileInputStream in;
        void open(File file) throws IOException { in = new FileInputStream(file); }
        public void close() throws IOException { if (in != null) in.close(); }
    }
    void mixed(File file, Line other, boolean fresh) throws IOException {
        Line line = fresh ? new Line() : other;
        line.open(file);
        System.out.println(line);
    }
"""
    assert not safe(body)


GIVEN = """
    static class Line implements Closeable {
        private final InputStream in;
        private final Closeable more;
        Line(InputStream in) { this.in = in; more = null; }
        Line(InputStream in, Closeable more) { this.in = in; this.more = more; }
        static Line of(File file) throws IOException { return new Line(new FileInputStream(file)); }
        static Line any(File file, InputStream or) throws IOException { return or != null ? new Line(or) : new Line(new FileInputStream(file)); }
        int read() throws IOException { return in.read(); }
        %s
    }
    int first(File file, InputStream other) throws IOException {
        Line line = %s;
        return line.read();
    }
"""


@pytest.mark.parametrize("made", ["new Line(new FileInputStream(file))", "Line.of(file)"])
def test_what_a_constructor_was_given_on_the_path_is_there(made: str) -> None:
    (text,) = safe(GIVEN % (PLAIN, made))
    assert f"        try (Line line = {made}) {{\n            return line.read();\n        }}\n" in text


BOTH = "public void close() throws IOException { try { in.close(); } finally { more.close(); } }"


@pytest.mark.parametrize(
    ("close", "made"),
    [
        (BOTH, "new Line(new FileInputStream(file), other)"),
        (BOTH, "new Line(new FileInputStream(file), null)"),
        (BOTH, "new Line(new FileInputStream(file))"),
        (PLAIN, "Line.any(file, other)"),
    ],
    ids=["somebody else's beside it", "null beside it", "nothing beside it", "perhaps somebody else's"],
)
def test_what_may_be_somebody_else_s_or_missing_is_not_closed(close: str, made: str) -> None:
    assert not [text for text in safe(GIVEN % (close, made)) if "try (Line" in text]
