"""What a statement reads before something is opened is read before it, too, where a patch opens sooner."""

from __future__ import annotations

import pytest

from tests.unit.fixers.members import reasons, safe

HEAD = """
    int total; static int count; int[] counts = new int[3]; File file;
    static int merge(int n, InputStream in) throws IOException { return in.read() + n; }
    InputStream open() throws IOException { total++; count++; counts[0]++; return new FileInputStream(file); }
"""


@pytest.mark.parametrize(
    ("statement", "first"),
    (
        ("return merge(total, open());", "total"),
        ("return merge(this.total, open());", "this.total"),
        ("return merge(Case.count, open());", "Case.count"),
        ("return merge(counts[0], open());", "counts[0]"),
        ("total += open().read();\n        return 0;", "total"),
        ("return total - new DataInputStream(new BufferedInputStream(open())).readInt();", "total"),
    ),
)
def test_what_opening_changes_comes_first(statement: str, first: str) -> None:
    body = HEAD + f"    int first() throws IOException {{\n        {statement}\n    }}"
    assert not safe(body)
    assert reasons(body) == [f"`{first}` comes first"]


@pytest.mark.parametrize(
    "statement",
    (
        "return open().read() - total;",
        "this.total = open().read(); return 0;",
        "int total = 1; return total - open().read();",
        "return total - new FileInputStream(file).read();",
    ),
)
def test_what_it_leaves_alone_does_not_matter(statement: str) -> None:
    lines = statement.replace("; return", ";\n        return")
    (text,) = safe(HEAD + f"    int first() throws IOException {{\n        {lines}\n    }}")
    assert "        try (" in text
