"""A handler names what closing throws only where that is known of the type itself: javac takes no other."""

from __future__ import annotations

from analyzers import MemoryTree, analyze, load, specs
from fixers import fix
from fixers.edits import apply
from fixers.fix import Fix

CURSOR = """import android.content.ContentResolver;
import android.database.Cursor;

class Counts {
    int rows(ContentResolver resolver) {
        Cursor cursor = resolver.query(null, null, null, null, null);
        if (cursor != null) {
            int count = cursor.getCount();
            return count;
        } else {
            return 0;
        }
    }
}
"""


def test_what_throws_nothing_needs_no_handler() -> None:
    program = load(MemoryTree({"Counts.java": CURSOR.encode()}), specs.load(("java",)))
    (leak,) = analyze(program).findings
    found = fix(leak, program)
    assert isinstance(found, Fix)
    assert "catch" not in apply(CURSOR.encode(), found.edits).decode()
