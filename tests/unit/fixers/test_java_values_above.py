"""What is used behind a new block comes above that with its value, where that may be made somewhat earlier."""

from __future__ import annotations

from tests.unit.fixers.patching import mended


def test_a_statement_in_a_comment_speaks_of_no_value() -> None:
    text = """import java.io.*;

class Case {
  String last(File file) throws IOException {
    BufferedReader in = new BufferedReader(new FileReader(file));
    String each = in.readLine();

    //StringBuilder all = new StringBuilder();
    String last = null;
    while (each != null) {
      last = each;
      each = in.readLine();
    }
    in.close();

    if (last == null) {
      throw new EOFException();
    }
    return last.trim();
  }
}
"""
    after = mended("Case.java", text.encode()).decode()
    assert "    String last = null;\n    try (BufferedReader in = new BufferedReader(new FileReader(file))) {\n" in after
    assert "\n      last = null;" not in after


def test_a_comment_of_words_speaks_of_it() -> None:
    text = """import java.io.*;

class Case {
  int count(File file) throws IOException {
    BufferedReader in = new BufferedReader(new FileReader(file));
    String each = in.readLine();

    // how many are empty
    int count = 0;
    while (each != null) {
      count += each.isEmpty() ? 1 : 0;
      each = in.readLine();
    }
    in.close();
    if (count == 0) {
      throw new EOFException();
    }
    return count;
  }
}
"""
    after = mended("Case.java", text.encode()).decode()
    assert "      // how many are empty\n      count = 0;\n" in after
