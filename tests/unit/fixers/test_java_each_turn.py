"""What a loop opens in each turn is closed in each turn, not the last of it behind the loop."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

TEXT = """// release: %d
import java.io.*;

class Lines {
  int count(File[] files) throws IOException {
    BufferedReader in = null;
    int lines = 0;
    try {
      for (File each : files) {
        in = new BufferedReader(new FileReader(each));
        while (in.readLine() != null) {
          lines++;
        }
        in.close();
      }
    } %s {
      System.out.println(lines);%s
    }
    return lines;
  }
}
"""
ENDS = pytest.mark.parametrize(("clause", "behind"), [("finally", ""), ("catch (IOException e)", "\n      throw e;")])


@ENDS
def test_a_finally_ends_each_turn(clause: str, behind: str) -> None:
    text = TEXT % (6, clause, behind)
    after = mended("Lines.java", text.encode()).decode()
    assert after == text.replace(
        "        while (in.readLine() != null) {\n          lines++;\n        }\n        in.close();\n",
        "        try {\n          while (in.readLine() != null) {\n            lines++;\n          }\n        } finally {\n          in.close();\n        }\n",
    )


@ENDS
def test_a_header_stands_in_the_loop(clause: str, behind: str) -> None:
    after = mended("Lines.java", (TEXT % (17, clause, behind)).encode()).decode()
    assert "      for (File each : files) {\n        try (BufferedReader in = new BufferedReader(new FileReader(each))) {\n" in after


def test_what_a_loop_has_found_is_closed_behind_it() -> None:
    text = """// release: 6
import java.io.*;

class Lines {
  int first(File[] files) throws IOException {
    FileInputStream in = null;
    for (File each : files) {
      if (each.isFile()) {
        in = new FileInputStream(each);
        break;
      }
    }
    return in == null ? -1 : in.read();
  }
}
"""
    after = mended("Lines.java", text.encode()).decode()
    assert after.endswith("    } finally {\n      if (in != null) {\n        in.close();\n      }\n    }\n  }\n}\n")
