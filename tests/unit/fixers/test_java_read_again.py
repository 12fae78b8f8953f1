"""What readers of patches on trees that nobody had seen before would have asked for."""

from __future__ import annotations

from fixers import Declined, Fix
from fixers.edits import apply
from tests.unit.fixers.patching import answers

_ROWS = """class Rows {
  private BufferedReader reader;
  Rows(String path) {
    try {
      reader = new BufferedReader(new FileReader(path));
    } catch (IOException e) {
      throw new IllegalArgumentException(path, e);
    }
  }
  String row() {
    try {
      return reader.readLine();
    } catch (IOException e) {
      return null;
    }
  }
  void close() {
    try {
      reader.close();
    } catch (IOException e) {
      System.err.println(e);
    }
  }
}
"""


def texts(body: str, imports: str = "") -> list[str]:
    """The file after each patch."""
    data = f"import java.io.*;\n{imports}{body}".encode()
    return [apply(data, each.edits).decode() for each in answers("Case.java", data) if isinstance(each, Fix)]


def test_a_test_declares_nothing_for_an_object_that_closes_without_a_word() -> None:
    [text] = texts(
        _ROWS + "class Case {\n  @Test\n  public void reads() {\n    Rows rows = new Rows(\"a\");\n    check(rows.row());\n  }\n"
        "  private void check(String row) {\n    row.hashCode();\n  }\n}\n", "import org.junit.Test;\n"
    )
    assert "public void reads() {\n" in text
    assert "} finally {\n      rows.close();\n    }\n" in text


def test_a_test_declares_nothing_for_what_it_closes_already() -> None:
    [text] = texts(
        "class Case {\n  @Test\n  public void stores() {\n    Bucket bucket = cluster.openBucket(\"a\");\n    bucket.upsert(\"key\");\n"
        "    bucket.close();\n  }\n}\n", "import com.couchbase.client.java.Bucket;\nimport org.junit.Test;\n"
    )
    assert "public void stores() {\n" in text
    assert "} finally {\n      bucket.close();\n    }\n" in text


def test_no_blank_line_stays_where_a_comment_goes_with_the_last_close() -> None:
    body = """class Case {
  void write(String path) {
    try {
      FileOutputStream out = new FileOutputStream(path);
      out.write(1);

      // Done: close it
      out.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
"""
    [text] = texts(body)
    assert "      out.write(1);\n    } catch" in text
    behind = body.replace("      FileOutputStream", "      System.out.println(path);\n      FileOutputStream")
    [text] = texts(behind)
    assert "        out.write(1);\n      }\n    } catch" in text
    for gap in ("", "\n"):
        [text] = texts(behind.replace("    } catch", f"{gap}      new File(path).delete();\n    }} catch"))
        assert f"        out.write(1);\n      }}\n{gap}      new File" in text


def test_a_declaration_right_above_the_assignment_keeps_no_try_from_getting_a_header() -> None:
    body = """class Case {
  int lines(String path) {
    try {
      BufferedReader reader;
      reader = new BufferedReader(new FileReader(path));
      int lines = 0;
      while (reader.readLine() != null)
        lines++;
      reader.close();
      return lines;
    } catch (Exception e) {
      return -1;
    }
  }
}
"""
    [text] = texts(body)
    assert "    try (BufferedReader reader = new BufferedReader(new FileReader(path))) {\n      int lines = 0;\n" in text
    assert "        lines++;\n      return lines;\n    } catch" in text
    [text] = texts(body.replace("      BufferedReader reader;", "      // what is read\n      BufferedReader reader;"))
    assert "// what is read\n" in text


def test_what_is_only_compared_is_not_closed_but_should_not_be_opened() -> None:
    data = b"""import java.io.*;
class Theme {
  private final File file;
  Theme(File file) { this.file = file; }
  InputStream stream() throws IOException { return new FileInputStream(file); }
  boolean isLike(Theme other) throws IOException {
    return stream() != other.stream();
  }
  boolean isAlike(Theme other) throws IOException {
    if (stream() == other.stream()) {
      return true;
    }
    return false;
  }
}
"""
    found = answers("Theme.java", data)
    assert found and all(isinstance(each, Declined) for each in found)
    assert "nobody reads it: it should not be opened" in [each.reason for each in found if isinstance(each, Declined)]


_FOUND = """class CaseTest extends Above {
  public void testAll() {
    check(CaseTest.class.getResourceAsStream("/all"));
    check(CaseTest.class.getResourceAsStream("/some"));
  }
  private void check(InputStream in) {
    in.hashCode();
  }
}
"""


def test_a_test_that_is_found_by_its_name_declares_what_closing_throws() -> None:
    [text, *_] = texts(_FOUND.replace("Above", "junit.framework.TestCase"))
    assert "  public void testAll() throws IOException {\n" in text and "catch" not in text


def test_handlers_behind_one_another_bear_the_same_name() -> None:
    [text, *_] = texts(_FOUND)
    assert text.count("} catch (IOException e) {") == text.count("try (") == 2
