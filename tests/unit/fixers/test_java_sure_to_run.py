"""What a `finally` does is sure to run: a close that may throw, and was not there, keeps none of it from that."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

TEXT = """import java.io.*;

class Copies {
  int first(String path, File copy, Reader beside) throws IOException {
    Reader letters = null;
    if (path != null) {
      letters = new FileReader(path);
    }
    try {
      return letters == null ? 0 : letters.read();
    } finally {
      %s
    }
  }
}
"""
CLOSE = """      if (letters != null) {
        letters.close();
      }
"""


@pytest.mark.parametrize("other", ["copy.delete();", "beside.close();", "// Nobody needs it now.\n      copy.delete();"])
def test_what_was_sure_to_run_goes_into_a_finally_of_its_own(other: str) -> None:
    after = mended("Copies.java", (TEXT % other).encode()).decode()
    inside = "".join(f"  {line}\n" for line in CLOSE.splitlines())
    below = other.replace("\n      ", "\n        ")
    assert f"    }} finally {{\n      try {{\n{inside}      }} finally {{\n        {below}\n      }}\n    }}\n" in after


def test_what_only_tells_of_it_comes_before() -> None:
    after = mended("Copies.java", (TEXT % 'System.out.println("done");').encode()).decode()
    assert f'    }} finally {{\n      System.out.println("done");\n{CLOSE}    }}\n' in after


def test_a_close_that_throws_nothing_may_come_first() -> None:
    text = """import android.database.Cursor;

class Names {
  String first(android.content.ContentResolver all, android.net.Uri uri, java.io.File copy) {
    Cursor rows = null;
    if (uri != null) {
      rows = all.query(uri, null, null, null, null);
    }
    try {
      return rows == null ? "" : rows.getString(0);
    } finally {
      copy.delete();
    }
  }
}
"""
    after = mended("Names.java", text.encode()).decode()
    assert "finally {\n      if (rows != null) {\n        rows.close();\n      }\n      copy.delete();\n" in after


def test_a_close_behind_the_try_moves_into_its_finally() -> None:
    text = """import java.io.*;

class Copies {
  int first(String path, File copy) throws IOException {
    Reader letters = null;
    if (path != null) {
      letters = new FileReader(path);
    }
    int first = 0;
    try {
      if (letters != null) {
        first = letters.read();
      }
    } finally {
      copy.delete();
    }

    if (letters != null) {
      letters.close();
    }
    return first;
  }
}
"""
    after = mended("Copies.java", text.encode()).decode()
    inside = "".join(f"  {line}\n" for line in CLOSE.splitlines())
    before, closed = "      copy.delete();\n    }\n", "\n    if (letters != null) {\n      letters.close();\n    }\n"
    assert after == text.replace(before + closed, f"      try {{\n{inside}      }} finally {{\n        copy.delete();\n      }}\n    }}\n")


def test_what_the_variable_is_given_next_is_closed_where_it_was() -> None:
    text = """import java.io.*;

class Copies {
  int first(String path, String next, File copy) throws IOException {
    Reader letters = new FileReader(path);
    int first = 0;
    try {
      first = letters.read();
    } finally {
      copy.delete();
    }
    letters.close();
    letters = new FileReader(next);
    letters.close();
    return first;
  }
}
"""
    after = mended("Copies.java", text.encode()).decode()
    assert after.count("letters.close();") == 2 and after.endswith("    letters = new FileReader(next);\n    letters.close();\n    return first;\n  }\n}\n")
