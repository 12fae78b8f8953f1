"""What a reader of the code around a patch knows makes somebody look at it first; blocks begin where a variable is surely there."""

from __future__ import annotations

from fixers import Applicability, Fix
from fixers.edits import apply
from tests.unit.fixers.members import HEAD, safe
from tests.unit.fixers.patching import answers


def _reasons(text: str, path: str = "Case.java") -> set[str]:
    """What is assumed of the fixes of a file."""
    found = [each for each in answers(path, text.encode()) if isinstance(each, Fix) and each.applicability is not Applicability.SAFE]
    return {check.reason for each in found for check in each.proof if check.verdict == "assumed"}


def _of(body: str) -> set[str]:
    return _reasons(HEAD + body + "\n}\n")


GUARDED = """// release: 6
import java.io.*;
class Case {
  int load(String name) throws IOException {
    InputStream in = Case.class.getResourceAsStream(name);
    %s
    int first = in.read();
    return first;
  }
}
"""
THROWN = "if (in == null) {\n      throw new FileNotFoundException(name);\n    }"
AGAIN = 'if (in == null) {\n      in = Case.class.getResourceAsStream("/" + name);\n    }'
OTHER = "if (in == null) {\n      in = new FileInputStream(name);\n    }"


def test_a_block_begins_behind_what_leaves_or_opens_another_for_null() -> None:
    for guard in (THROWN, OTHER, AGAIN + "\n    " + THROWN):
        text = GUARDED % guard
        for each in answers("Case.java", text.encode()):
            assert isinstance(each, Fix)
            after = apply(text.encode(), each.edits).decode()
            assert guard + "\n    try {\n      int first = in.read();\n      return first;\n    } finally {\n      in.close();\n    }\n" in after
    [first, *_] = answers("Case.java", (GUARDED % AGAIN).encode())
    assert isinstance(first, Fix) and "if (in != null) {" in apply((GUARDED % AGAIN).encode(), first.edits).decode()


def test_a_comment_that_says_that_it_is_meant_to_stay_open_is_believed() -> None:
    body = """  void look(String path) throws IOException {
    %s
    FileInputStream in = new FileInputStream(path);
    in.read();
  }"""
    reason = "a comment says that it is meant to stay open"
    assert reason in _of(body % "// Intentionally not closing the stream that is read")
    assert reason in _of(body % "// not closing this one on purpose")
    assert reason not in _of(body % "// intentionally slow")


def test_a_comment_that_asks_who_closes_it_has_somebody_look() -> None:
    body = """  void look(String path) throws IOException {
    %s
    FileInputStream in = new FileInputStream(path);
    in.read();
  }"""
    reason = "a comment asks who closes it, or when"
    for asking in ("// TODO: is this a leak?", "// who closes this one, and when?", "/* Do we have\n     to close it here? */"):
        assert reason in _of(body % asking)
    for other in ("// what is close to the end? Read it", "// a leak. Or is it?", "// close it"):
        assert reason not in _of(body % other)


def test_what_a_test_asserts_to_be_closed_is_closed_by_something_else() -> None:
    text = """import java.sql.*;
class CaseTest {
  void reuse(javax.sql.PooledConnection pool) throws SQLException {
    Connection one = pool.getConnection();
    one.createStatement();
    pool.getConnection().close();
    %s;
  }
}
"""
    reason = "a test asserts that something else has closed it"
    assert reason in _reasons(text % "assertTrue(one.isClosed())", "CaseTest.java")
    assert reason not in _reasons(text % "assertTrue(one.isReadOnly())", "CaseTest.java")


def test_no_block_goes_around_a_loop_that_never_ends_for_what_is_feared() -> None:
    text = """class Case {
  static void run(android.database.sqlite.SQLiteDatabase all) throws Exception {
    android.database.Cursor rows = all.query(null, null, null, null, null, null, null);
    while (%s) {
      System.out.println(rows.getCount());
      load(rows);
    }
  }
  static native void load(Object each) throws java.io.IOException;
}
"""
    assert "a block goes around a loop that never ends" in _reasons(text % "true")
    assert "a block goes around a loop that never ends" not in _reasons(text % "rows.moveToNext()")


def test_a_block_goes_no_further_than_the_branch_that_opens() -> None:
    text = """// release: 6
import java.io.*;
class Case {
  byte[] load(java.net.URL from, byte[] known) throws IOException {
    InputStream in;
    byte[] data = new byte[9];
    if (known == null) {
      in = from.openStream();
      in.read(data);
      in.close();
    } else {
      data = known;
    }
    return data;
  }
}
"""
    [found] = [apply(text.encode(), each.edits).decode() for each in answers("Case.java", text.encode()) if isinstance(each, Fix)]
    assert "      in = from.openStream();\n      try {\n        in.read(data);\n      } finally {\n        in.close();\n      }\n    } else {" in found


def test_nothing_is_closed_before_code_in_a_comment_that_uses_it() -> None:
    body = """  void look(URL place) throws IOException {
    InputStream in = place.openStream();
    // %s
  }"""
    reason = "code in a comment goes on to use `in`"
    assert reason in _of(body % "in.read();")
    assert reason not in _of(body % "place.read();")


def test_an_empty_test_for_null_gets_no_second_one() -> None:
    text = """// release: 6
import java.sql.*;
class Case {
  PreparedStatement made(Connection all, String q) throws SQLException {
    PreparedStatement one = null;
    try {
      one = all.prepareStatement(q);
      one.setInt(1, 1);
    } catch (SQLException e) {
      if (one != null) {%s
      }
      throw e;
    }
    return one;
  }
}
"""
    reason = "a test for null of `one` that does nothing stands there already"
    assert reason in _reasons(text % "")
    assert reason not in _reasons(text % "\n        System.out.println(q);")


def test_a_block_that_goes_on_for_long_behind_the_last_use_is_looked_at_first() -> None:
    text = """// release: 6
import java.io.*;
class Case {
  void look(String path) {
    try {
      InputStream in = Case.class.getResourceAsStream(path);
      if (in == null) {
        in = new FileInputStream(path);
      }
      String there = System.getProperty("there");
      OutputStream out = new FileOutputStream(there + "/out");
      org.apache.commons.io.IOUtils.copy(in, out);
      out.close();
%s    } catch (Exception e) {
      System.out.println(path);
    }
  }
}
"""
    reason = "the block goes on for long behind its last use"
    rows = [f"      System.out.println(there + {n});\n" for n in range(30)]
    assert reason in _reasons(text % "".join(rows))
    assert reason not in _reasons(text % "".join(rows[:3]))


def test_what_only_a_store_that_goes_used_is_not_left_without_a_word() -> None:
    text = """import java.util.ArrayList;
import java.util.List;
class Marks {
    private static final List<Integer> seen = new ArrayList<>();
    int turn(int number) {
        Integer next = Integer.valueOf(number);
        seen.add(next);
        return number%s;
    }
}
"""
    reason = "that what `next` names is asked for though nobody uses it any more"
    assert reason in _reasons(text % "", "Marks.java")
    assert reason not in _reasons(text % " + next", "Marks.java")
    assert safe("  int one() { return 1; }") == []


def test_a_loop_over_the_elements_uses_what_has_them_to_its_end() -> None:
    lines = "".join(f'      if (each.endsWith("{size}")) {{\n        counts.merge("{size}", 1, Integer::sum);\n      }}\n' for size in range(7))
    body = """  Map<String, Integer> counted(java.nio.file.Path place) throws IOException {
    java.nio.file.DirectoryStream<java.nio.file.Path> all = java.nio.file.Files.newDirectoryStream(place);
    System.out.println(all.hashCode());
    Map<String, Integer> counts = new TreeMap<>();
    for (java.nio.file.Path each : LOOPED) {
LINES    }
    return counts;
  }
"""
    [after] = safe(body.replace("LOOPED", "all").replace("LINES", lines))
    assert "    try (java.nio.file.DirectoryStream<java.nio.file.Path> all =" in after
    assert not safe(body.replace("LOOPED", "place").replace("LINES", lines))
