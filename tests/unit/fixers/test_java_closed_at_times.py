"""A close that the code makes only behind a test is meant so, but for one whose other branch throws: there it is forgotten."""

from __future__ import annotations

import pytest

from fixers import Fix
from fixers.fix import Applicability
from tests.unit.fixers.patching import answers

BODY = """import java.io.*;
import java.util.zip.*;
class Case {
  void run(File file, String wanted) throws IOException {
    ZipFile archive = new ZipFile(file);
    ZipEntry entry = archive.getEntry(wanted);
    if (entry != null) {
      System.out.println(archive.getInputStream(entry).read());
      archive.close();
    }%s
  }
}
"""


@pytest.mark.parametrize(
    ("other", "is_safe"),
    [
        (' else {\n      throw new FileNotFoundException(wanted);\n    }', True),
        (' else\n      throw new FileNotFoundException(wanted);', True),
        (' else {\n      System.out.println(wanted);\n    }', False),
        ("", False),
    ],
)  # fmt: skip
def test_what_is_closed_at_times_is_closed_always_only_where_the_other_way_throws(other: str, is_safe: bool) -> None:
    found = [each for each in answers("Case.java", (BODY % other).encode()) if isinstance(each, Fix) and each.applicability is Applicability.SAFE]
    assert bool(found) is is_safe
    assert all("try (ZipFile archive = new ZipFile(file))" in "".join(edit.text for edit in each.edits) for each in found)
