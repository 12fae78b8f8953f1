"""A close that stands in a comment becomes code again; what nobody uses, or has to hear of, is asked about."""

from __future__ import annotations

import pytest

from fixers import Applicability, Fix
from tests.unit.fixers.patching import answers, mended

TEXT = """import java.io.*;
class Case {
  int read(String path) throws IOException {
    InputStream in = null;
    try {
      in = new FileInputStream(path);
      return in.read();
    } finally {
      if (in != null) {
        %s
      }
    }
  }
}
"""


@pytest.mark.parametrize("comment", ["// in.close();", "//in.close();", "/* in.close(); */"])
def test_a_close_in_a_comment_is_code_again(comment: str) -> None:
    assert mended("Case.java", (TEXT % comment).encode()).decode() == TEXT % "in.close();"


def test_a_test_for_null_goes_around_where_none_stands_there() -> None:
    text = (TEXT % "// in.close();").replace("      if (in != null) {\n        // in.close();\n      }\n", "      // in.close();\n")
    assert mended("Case.java", text.encode()).decode() == TEXT % "in.close();"


@pytest.mark.parametrize("comment", ["// in.close(); // closes the socket, too", "// TODO in.close();"])
def test_what_was_taken_out_for_a_reason_stays_out(comment: str) -> None:
    assert comment in mended("Case.java", (TEXT % comment).encode()).decode()


def test_a_comment_that_does_not_mend_it_stays_one() -> None:
    text = """import java.io.*;
class Case {
  int read(String path) throws IOException {
    InputStream in = new FileInputStream(path);
    int first = in.read();
    // in.close();
    return first;
  }
}
"""
    assert "try (InputStream in" in mended("Case.java", text.encode()).decode()


def _doubts(text: str) -> list[str]:
    found = [each for each in answers("Case.java", text.encode()) if isinstance(each, Fix) and each.applicability is not Applicability.SAFE]
    return [check.reason for each in found for check in each.proof if check.name == "finding is gone"]


def test_what_is_opened_for_nothing_gets_no_finally() -> None:
    text = """import java.util.jar.JarFile;
class Case {
  boolean isThere(String path) {
    JarFile all = null;
    try {
      all = new JarFile(path);
    } catch (java.io.IOException e) {
      return false;
    }
    return true;
  }
}
"""
    assert len(_doubts(text)) == 1


def test_a_handler_that_tells_of_a_close_is_no_sign_that_files_swallow() -> None:
    text = """// release: 6
import java.io.*;
class Case {
  String copy(InputStream in, File to) {
    FileOutputStream out = null;
    try {
      out = new FileOutputStream(to);
      out.write(in.read());
    } catch (Exception e) {
      return e.toString();
    } finally {
      try {
        in.close();
        if (out != null) {
          out.flush();
          out.close();
        }
      } catch (Exception e) {
        return e.toString();
      }
    }
    return "";
  }
}
"""
    assert "nobody has to hear of a close that fails" in _doubts(text)
