"""What is read is closed before something may write its file anew, where it is to get a block."""

from __future__ import annotations

from tests.unit.fixers.patching import mended

TEXT = """import java.io.*;
import java.util.*;

class Case {
  private final String path = "all";

  void remove(String line) {
    try {
      List<String> lines = lines(new FileInputStream(path));
      saveLines(lines);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private void saveLines(List<String> lines) throws IOException {
    try (FileWriter out = new FileWriter(path)) {
      out.write(String.join(",", lines));
    }
  }

  private static List<String> lines(InputStream in) throws IOException {
    return List.of(String.valueOf(in.read()));
  }
}
"""


def test_the_block_ends_where_the_file_is_read() -> None:
    after = mended("Case.java", TEXT.encode()).decode()
    assert "        lines = lines(in);\n      }\n      saveLines(lines);\n" in after


def test_what_only_counts_comes_into_the_header_of_the_try() -> None:
    text = TEXT.replace("      saveLines(lines);\n", "      System.out.println(lines.size());\n")
    after = mended("Case.java", text.encode()).decode()
    assert "    try (FileInputStream in = new FileInputStream(path)) {\n      List<String> lines = lines(in);\n" in after
