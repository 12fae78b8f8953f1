"""What a method without source gives is a number or a text where only such a thing can take it: what it was read from is closed."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

SOURCE = """\
import android.content.Context;
import android.database.Cursor;
import android.database.sqlite.SQLiteDatabase;
import java.util.*;
class A {{
    private String kept;
    private Object any;
    private final List<String> names = new ArrayList<>();
    private final List<Object> all = new ArrayList<>();
    static class Row {{
        Row(long id, String name) {{ part = name; }}
        final Object part;
        Row(long id, Object part, int more) {{ this.part = part; }}
    }}
    Object read(SQLiteDatabase db) {{
        Cursor c = db.rawQuery("select 1", null);
        {statement}
        return {value};
    }}
}}
"""


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        ("kept = c.getString(0);", "kept"),
        ("names.add(c.getString(0));", "names"),
        ("Row row = new Row(c.getLong(0), c.getString(1));", "row"),
        ("String[] each = {c.getString(0)};", "each"),
        ("Object text = (String) c.getExtra(0);", "text"),
    ],
    ids=["field", "list", "constructor", "array", "cast"],
)
def test_it_stands_alone(statement: str, value: str) -> None:
    after = mended("A.java", SOURCE.format(statement=statement, value=value).encode()).decode()
    assert "try (Cursor c = " in after or "c.close();" in after


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        ("any = c.getExtra(0);", "any"),
        ("all.add(c.getExtra(0));", "all"),
        ("Row row = new Row(c.getLong(0), c.getExtra(1), 2);", "row"),
        ("Object[] each = {c.getExtra(0)};", "each"),
        ("Object view = c.getExtra(0);", "view"),
    ],
    ids=["field", "list", "constructor", "array", "variable"],
)
def test_what_may_be_anything_may_need_it(statement: str, value: str) -> None:
    source = SOURCE.format(statement=statement, value=value)
    assert mended("A.java", source.encode()).decode() == source


STORE = """\
import java.util.*;
import org.h2.mvstore.MVStore;
class A {{
    {type_} read(String path) {{
        MVStore store = MVStore.open(path);
        {statement}
    }}
}}
"""


@pytest.mark.parametrize(
    "statement",
    ['return store.openMap("x");', 'Map<String, String> found = store.openMap("x");\n        return found;', "return store.asMap();", "return store.getTreeMap();"],
)
def test_a_collection_may_lie_in_a_store(statement: str) -> None:
    source = STORE.format(type_="Map<String, String>", statement=statement)
    assert mended("A.java", source.encode()).decode() == source


def test_a_list_that_was_read_does_not() -> None:
    after = mended("A.java", STORE.format(type_="List<String>", statement="return store.readNames();").encode()).decode()
    assert "try (MVStore store = " in after
