"""What a branch opens gets its header there, also where the branch is all that a `try` with handlers holds."""

from __future__ import annotations

from tests.unit.fixers.members import safe

COPY = """  boolean copy(File from, File to) {
    try {
      if (from.isDirectory()) {
        to.mkdirs();
      } else {
        InputStream in = new FileInputStream(from);
        OutputStream out = new FileOutputStream(to);

        out.write(in.read());
        in.close();
        out.close();
      }
    } catch (IOException e) {
      return false;
    }
    return true;
  }"""


def test_both_streams_of_a_branch_come_into_one_header() -> None:
    texts = safe(COPY)
    assert texts and all("try (InputStream in = new FileInputStream(from);\n            OutputStream out = new FileOutputStream(to)) {" in text for text in texts)
    assert not any("finally" in text for text in texts)
