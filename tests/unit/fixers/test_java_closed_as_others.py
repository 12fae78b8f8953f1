"""What a `finally` closes as it closes others, and what is closed beside what a header takes."""

from __future__ import annotations

import pytest

from fixers import Applicability, Fix
from fixers.edits import apply
from tests.unit.fixers.members import safe
from tests.unit.fixers.patching import answers

HELPED = """// release: 6
import java.io.*;
import org.apache.commons.io.IOUtils;

class Case {
  static void closeQuietly(Closeable resource) {
    if (resource != null) {
      try {
        resource.close();
      } catch (IOException e) {
        System.err.println(e);
      }
    }
  }

  int read(File file) {
    InputStream in = null;
    Reader reader = null;
    try {
      in = new BufferedInputStream(new FileInputStream(file));
      int found = in.read();
      reader = new FileReader(file);
      found += reader.read();
      return found;
    } catch (IOException e) {
      throw new RuntimeException("no", e);
    } finally {
      CLOSE(reader);
    }
  }
}
"""

BESIDE = """  void copy(InputStream given, File file) {
    try {
      var in = new BufferedInputStream(given);
      var out = new BufferedOutputStream(new FileOutputStream(file));
      var bytes = new byte[16];
      int found;
      while ((found = in.read(bytes)) != -1)
        out.write(bytes, 0, found);
      out.flush();
      out.close();
      in.close();
    } catch (IOException e) {
      System.err.println(e);
      return;
    }
    System.err.println(file);
  }"""

BARE = """  int size(String path) throws IOException {
    Object found = path;
    {
      found = path + found;
    }
    found = "b";
    {
      found = path + found;
    }
    found = "c";
    {
      found = path + found;
    }
    FileInputStream in = new FileInputStream(path);
    int size = in.read() + found.hashCode();
    in.close();
    return size;
  }"""


def _patches(data: bytes) -> list[str]:
    return [apply(data, each.edits).decode() for each in answers("Case.java", data) if isinstance(each, Fix) and each.applicability is Applicability.SAFE]


@pytest.mark.parametrize("helper", ["IOUtils.closeQuietly", "closeQuietly"])
def test_a_finally_closes_as_it_closes_others(helper: str) -> None:
    text = HELPED.replace("CLOSE", helper)
    [patched] = _patches(text.encode())
    assert patched == text.replace(f"      {helper}(reader);", f"      {helper}(in);\n      {helper}(reader);")


def test_a_helper_for_others_is_not_asked() -> None:
    text = HELPED.replace("closeQuietly(Closeable", "closeQuietly(Reader").replace("CLOSE", "closeQuietly")
    assert not any("closeQuietly(in)" in each for each in _patches(text.encode()))


def test_what_wraps_a_parameter_is_closed_with_what_is_opened() -> None:
    assert not any("try (var out" in each for each in safe(BESIDE))


def test_a_block_of_its_own_does_not_show_where_braces_stand() -> None:
    [text] = safe(BARE)
    assert "    try (FileInputStream in = new FileInputStream(path)) {\n" in text


def test_a_comment_stays_above_the_close_that_it_speaks_of() -> None:
    text = HELPED.replace("      CLOSE(", "      // the second one\n      closeQuietly(")
    [patched] = _patches(text.encode())
    assert "      // the second one\n      closeQuietly(reader);\n      closeQuietly(in);\n" in patched
