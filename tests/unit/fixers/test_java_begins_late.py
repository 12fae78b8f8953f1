"""A new block begins where something is open, not above that."""

from __future__ import annotations

from tests.unit.fixers.patching import mended


def test_it_begins_behind_the_second_that_may_give_it() -> None:
    text = """import java.io.*;

class Case {
  int next(File given, String other) throws IOException {
    InputStream in = null;
    try {
      in = new FileInputStream(given);
    } catch (Exception e) {
      // the next will do
    }
    if (in == null) {
      in = getClass().getResourceAsStream(other);
    }
    int first = Integer.parseInt(other);
    return in == null ? first : in.read();
  }
}
"""
    after = mended("Case.java", text.encode()).decode()
    assert after == text.replace(
        "    int first = Integer.parseInt(other);\n    return in == null ? first : in.read();\n",
        "    try {\n      int first = Integer.parseInt(other);\n      return in == null ? first : in.read();\n    } finally {\n"
        "      if (in != null) {\n        in.close();\n      }\n    }\n",
    )


def test_it_begins_behind_the_loop_that_finds_it() -> None:
    text = """import java.io.*;

class Case {
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
    after = mended("Case.java", text.encode()).decode()
    assert after == text.replace(
        "    return in == null ? -1 : in.read();\n",
        "    try {\n      return in == null ? -1 : in.read();\n    } finally {\n      if (in != null) {\n        in.close();\n      }\n    }\n",
    )


def test_what_stands_above_all_uses_stays_outside() -> None:
    text = """import java.io.*;

class Case {
  int first(File[] files, String name) throws IOException {
    FileInputStream in = null;
    int found = -1;
    System.out.println(name);
    for (File each : files) {
      if (in == null) {
        in = new FileInputStream(each);
      }
      found = in.read();
    }
    return found;
  }
}
"""
    after = mended("Case.java", text.encode()).decode()
    assert "    System.out.println(name);\n    try {\n      for (File each : files) {\n" in after and after.endswith("    }\n    return found;\n  }\n}\n")


def test_what_holds_the_answer_stays_above_with_the_comment_that_speaks_of_it() -> None:
    head = """import java.io.*;
import java.util.*;

class Case {
  int[] all(String name, boolean isWhole) throws IOException {
    BufferedReader reader;
    if (isWhole) {
      reader = new BufferedReader(new FileReader(name));
    } else {
      reader = new BufferedReader(new FileReader(name + ".txt"));
    }

    // what is found
    int[] found = new int[0];

"""
    tail = """
    if (found.length > 7) {
      throw new IllegalArgumentException("too many");
    }
    for (int i = 0; i < found.length; i++) {
      found[i] += i;
    }
    System.out.println(found.length);
    System.out.println(found[0]);
    return found;
  }
}
"""
    text = head + """    // line by line
    while (reader.ready()) {
      found = Arrays.copyOf(found, found.length + 1);
      found[found.length - 1] = Integer.parseInt(reader.readLine());
    }

    reader.close();
""" + tail
    assert mended("Case.java", text.encode()).decode() == head + """    try {
      // line by line
      while (reader.ready()) {
        found = Arrays.copyOf(found, found.length + 1);
        found[found.length - 1] = Integer.parseInt(reader.readLine());
      }
    } finally {
      reader.close();
    }
""" + tail
