"""A variable of a patch hides no field that its procedure uses."""

from __future__ import annotations

from tests.unit.fixers.patching import mended

TEXT = """import java.io.*;
import java.util.*;

class Case {
  private Iterator<String> reader;

  int count(File file, boolean all) throws IOException {
    int count = 0;
    if (all) {
      count = first(new FileReader(file), 1);
    }
    reader = List.of("a", "b").iterator();
    while (reader.hasNext()) {
      count += reader.next().length();
    }
    return count;
  }

  static int first(Reader given, int more) throws IOException {
    return given.read() + more;
  }
}
"""


def test_the_name_of_a_field_is_not_taken() -> None:
    after = mended("Case.java", TEXT.encode()).decode()
    assert "      try (FileReader fileReader = new FileReader(file)) {\n        count = first(fileReader, 1);" in after


def test_a_local_of_another_branch_leaves_its_name() -> None:
    there = TEXT.index("    }\n    reader = List")
    text = TEXT[:there] + TEXT[there:].replace("    }\n    reader", "    } else {\n      Iterator<String> reader", 1).replace("    while", "      while", 1)
    text = text.replace("    return count", "    }\n    return count", 1).replace("  private Iterator<String> reader;\n\n", "")
    after = mended("Case.java", text.encode()).decode()
    assert "      try (FileReader reader = new FileReader(file)) {\n" in after
