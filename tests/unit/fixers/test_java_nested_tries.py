"""No `try` is put around nothing but one with handlers, which could have the `finally` itself."""

from __future__ import annotations

import pytest

from fixers import Applicability, Fix
from fixers.java.nested_tries import nests_tries
from tests.unit.fixers.patching import answers, mended


def _doubts(text: str) -> list[str]:
    found = [each for each in answers("Case.java", text.encode()) if isinstance(each, Fix) and each.applicability is not Applicability.SAFE]
    return [check.reason for each in found for check in each.proof if check.name == "finding is gone"]


@pytest.mark.parametrize("opened", ["Statement query = line.createStatement();", "Statement query = null;\n      query = line.createStatement();"])
def test_a_close_behind_handlers_moves_into_their_finally(opened: str) -> None:
    text = f"""import java.sql.*;
class Case {{
  // release: 8
  void run(Connection line, String[] all) throws SQLException {{
    for (String each : all) {{
      {opened}
      try {{
        query.execute(each);
      }} catch (SQLException e) {{
        System.out.println("in " + each);
        throw e;
      }}
      query.close();
    }}
  }}
}}
"""
    after = mended("Case.java", text.encode()).decode()
    assert after == text.replace("      }\n      query.close();\n", "      } finally {\n        query.close();\n      }\n")


def test_a_header_goes_around_handlers_and_what_uses_it_behind_them() -> None:
    text = """import java.sql.*;
class Case {
  void run(Connection line, String[] all) throws SQLException {
    Statement query = line.createStatement();
    try {
      query.execute(all[0]);
    } catch (SQLException e) {
      System.out.println("in " + all[0]);
    }
    query.execute(all[1]);
    query.close();
  }
}
"""
    assert "    try (Statement query = line.createStatement()) {\n      try {\n" in mended("Case.java", text.encode()).decode()


def test_a_finally_that_would_begin_right_before_handlers_is_asked_about() -> None:
    text = """import java.io.*;
class Case {
  void write(String path) throws IOException {
    Writer out = null;
    try {
      out = new FileWriter(path);
      out.write("a");
    } catch (IOException e) {
      System.out.println("in " + path);
    }
    out.write("b");
  }
}
"""
    assert _doubts(text) == ["a `try` right inside of a `try`"]


def test_half_of_what_a_handler_closes_does_not_go_into_a_header() -> None:
    text = """import java.io.*;
class Case {
  void copy(File from, File to) {
    InputStream in = null;
    OutputStream out = null;
    try {
      in = new FileInputStream(from);
      out = new FileOutputStream(to);
      out.write(in.read());
    } catch (Exception e) {
      try {
        if (in != null) in.close();
      } catch (IOException e1) {
        e1.printStackTrace();
      }
      try {
        if (out != null) out.close();
      } catch (IOException e1) {
        e1.printStackTrace();
      }
    }
  }
}
"""
    assert "the handler closes more than that" in _doubts(text)


@pytest.mark.parametrize(("ended", "is_doubted"), [("copy.delete()", True), ("all.clear()", False)])
def test_a_header_around_declarations_and_a_finally_is_asked_about(ended: str, is_doubted: bool) -> None:
    text = f"""import java.io.*;
import java.util.*;
class Case {{
  // release: 8
  int count(String at, File copy) throws IOException {{
    RandomAccessFile whole = new RandomAccessFile(at, "r");
    List<String> all = new ArrayList<>();
    int first = whole.read();
    try {{
      all.add(copy.getName());
      whole.seek(first);
      return whole.read();
    }} finally {{
      {ended};
    }}
  }}
}}
"""
    assert (_doubts(text) == ["a `try` right inside of a `try`"]) is is_doubted


AROUND = """class Case {
  int all(Reader in) throws IOException {
    try {
      BufferedReader lines = new BufferedReader(in);
      int all = 0;
      try {
        all = lines.read();
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
      return all;
    } finally {
      in.close();
    }
  }
}
"""


def test_a_try_behind_declarations_could_have_the_finally() -> None:
    assert nests_tries(b"class Case { }", AROUND.encode())
    assert not nests_tries(b"class Case { }", AROUND.replace("return all", "System.out.println(lines.read());\n      return all").encode())
    assert not nests_tries(b"class Case { }", AROUND.replace("int all = 0", "lines.mark(1)").encode())
    handled = AROUND.replace("} finally {\n      in.close();", "} catch (Throwable e) {\n      in.close();\n      throw e;")
    assert not nests_tries(b"class Case { }", handled.encode())
    assert nests_tries(b"class Case { }", handled.replace("      return all;", "      in.close();\n      return all;").encode())


NAMED = """class Case {
  int[] all(String name) throws FileNotFoundException {
    InputStream in = open(name);
    InputStreamReader letters = new InputStreamReader(in);
    BufferedReader lines = new BufferedReader(letters);

    List<Integer> list = new ArrayList<>();
    int number = 0;
    String line;
    try {
      line = lines.readLine();
      while (line != null) {
        list.add(number++);
        line = lines.readLine();
      }
      lines.close();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    return new int[] { list.size(), number };
  }
  private InputStream open(String name) throws FileNotFoundException {
    InputStream in = getClass().getResourceAsStream(name);
    return in == null ? new FileInputStream(name) : in;
  }
}
"""


def test_no_header_names_what_a_wrapper_closes_in_its_block() -> None:
    text = "import java.io.*;\nimport java.util.*;\n" + NAMED
    found = [each for each in answers("Case.java", text.encode()) if isinstance(each, Fix) and each.applicability is Applicability.SAFE]
    assert not any("(in)" in edit.text for each in found for edit in each.edits)
