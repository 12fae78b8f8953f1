"""A comment that says that the caller closes a resource, and comments that speak of something else."""

from __future__ import annotations

import pytest

from fixers import Declined
from tests.unit.fixers.members import HEAD, reasons, safe
from tests.unit.fixers.patching import answers

COPY = """  {above}
  void copy(URLConnection from{more}) throws IOException {{
    InputStream in = from.getInputStream();
    int read;
    while ((read = in.read()) >= 0) {{
      System.out.write(read);
    }}
    {behind}
  }}"""
REASON = "a comment says that its caller closes it"


@pytest.mark.parametrize("above, behind", [
    ("", "// Ending the connection is left to the caller, which cleans up (see run)."),
    ("/**\n   * Copies all of it.\n   * The stream is released by the caller.\n   */", ""),
    ("// Callers close the connection, and with it\n  // what was read.", ""),
])
def test_nothing_is_closed_that_the_caller_closes(above: str, behind: str) -> None:
    body = COPY.format(above=above, behind=behind, more="")
    assert reasons(body) == [REASON]
    [answer] = answers("Case.java", (HEAD + body + "\n}\n").encode())
    assert isinstance(answer, Declined) and answer.is_doubted


@pytest.mark.parametrize("above, behind, more", [
    ("", "// The caller prints a line behind it. All is closed by then.", ""),
    ("/** The caller need not close anything. */", "", ""),
    ("/** Callers must close the given writer. */", "", ", Writer into"),
    ("/** Copies. */", "", ""),
])
def test_a_comment_on_something_else_says_nothing(above: str, behind: str, more: str) -> None:
    [text] = safe(COPY.format(above=above, behind=behind, more=more))
    assert "try (InputStream in = from.getInputStream()) {" in text


def test_what_is_returned_is_still_closed_where_it_is_lost() -> None:
    body = """  /** The caller closes what it gets. */
  Reader open(String path, String charset) throws IOException {
    InputStream in = new FileInputStream(path);
    return new InputStreamReader(in, charset);
  }"""
    assert reasons(body) == []


def test_a_comment_in_another_block_speaks_of_that() -> None:
    body = """  void run(String path, boolean first) throws IOException {
    if (first) {
      // closed by the caller
      System.out.println();
    }
    InputStream in = new FileInputStream(path);
    in.read();
  }"""
    [text] = safe(body)
    assert "try (InputStream in" in text
