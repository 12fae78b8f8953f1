"""What readers of patches on trees that nobody had seen before would have asked for."""

from __future__ import annotations

from fixers import Fix
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
