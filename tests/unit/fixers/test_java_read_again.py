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


def test_what_a_font_is_read_from_is_closed_behind_that() -> None:
    body = """class Fonts {
  private java.awt.Font font;
  private java.nio.channels.ReadableByteChannel channel;
  void load(File file) throws Exception {
    InputStream in = new FileInputStream(file);
    font = java.awt.Font.createFont(0, in);
  }
  void open(File file) throws Exception {
    InputStream in = new FileInputStream(file);
    channel = java.nio.channels.Channels.newChannel(in);
  }
}
"""
    [text] = texts(body)
    assert "    try (InputStream in = new FileInputStream(file)) {\n      font = java.awt.Font.createFont(0, in);\n    }\n" in text


def test_the_writer_of_a_pipe_is_closed_before_its_end_is_waited_for() -> None:
    body = """class Pipes {
  void check(Page page) {
    try {
      PipedReader in = new PipedReader();
      PrintWriter out = new PrintWriter(new PipedWriter(in));
      page.write(out);
      out.flush();
      out.close();
      BufferedReader reader = new BufferedReader(in);
      String line = null;
      while ((line = reader.readLine()) != null) {
        System.out.println(line);
      }
      reader.close();
    } catch (IOException e) {
      System.err.println(e);
    }
  }
}
"""
    assert not texts(body)
    [text] = texts(body.replace("      out.close();\n", "").replace("reader.close();", "reader.close();\n      out.close();"))
    assert "try (PipedReader in = new PipedReader();" in text


def test_no_blank_line_stays_above_several_closes_that_go() -> None:
    body = """class Case {
  int first(String path) {
    int first = 0;
    try {
      FileReader file = new FileReader(path);
      BufferedReader reader = new BufferedReader(file);
      first = reader.read();

      reader.close();
      file.close();
    } catch (IOException e) {
      System.err.println(e);
    }
    return first;
  }
}
"""
    [text] = texts(body)
    assert "      first = reader.read();\n    } catch" in text
    [text] = texts(body.replace("    } catch", "\n    } catch"))
    assert "      first = reader.read();\n\n    } catch" in text


def test_a_comment_on_several_closes_stays_with_the_one_that_stays() -> None:
    body = """class Case {
  void copy(Source source, File to) throws IOException {
    try {
      FileOutputStream out = new FileOutputStream(to);
      out.write(source.next());
      // close resources
      out.close();
      source.stop.close();

      to.setReadOnly();
    } catch (IOException e) {
      System.err.println(e);
      throw e;
    }
  }
}
"""
    [text] = texts(body)
    assert "        out.write(source.next());\n      }\n      // close resources\n      source.stop.close();\n" in text


def test_five_openings_of_one_variable_get_a_header_each() -> None:
    head = "class Case {\n  int all(File file) throws IOException {\n    int found = 0;\n    BufferedReader in = new BufferedReader(new FileReader(file));\n"
    turn = "    found += in.read();\n    in.close();\n"
    more = "    in = new BufferedReader(new FileReader(file));\n" + turn
    [text, *_] = texts(head + turn + 4 * more + "    return found;\n  }\n}\n")
    assert text.count("try (BufferedReader in = new BufferedReader(new FileReader(file))) {") == 5
