"""Imports that a patch leaves without a use."""

from __future__ import annotations

from fixers import Applicability, Fix
from fixers.edits import apply
from tests.unit.fixers.patching import answers

READING = """package a;

import static org.apache.commons.io.FileUtils.sizeOf;

import org.apache.commons.io.IOUtils;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;

class Case {
  long read(File file) throws IOException {
    InputStream in = new FileInputStream(file);
    long found = in.read();
    IOUtils.closeQuietly(in);
    return found + sizeOf(file);
  }
}
"""


def _safe(text: str) -> list[str]:
    data = text.encode()
    found = [each for each in answers("Case.java", data) if isinstance(each, Fix) and each.applicability is Applicability.SAFE]
    return [apply(data, each.edits).decode() for each in found]


def test_the_import_of_what_no_longer_closes_goes() -> None:
    [text] = _safe(READING)
    assert "sizeOf;\n\nimport java.io.File;" in text
    assert "IOUtils" not in text


def test_what_a_comment_or_other_code_names_stays_imported() -> None:
    for other in ("/** As {@link IOUtils} has it. */\n  int a;", "Object a = IOUtils.class;"):
        [text] = _safe(READING.replace("class Case {\n", f"class Case {{\n  {other}\n"))
        assert "import org.apache.commons.io.IOUtils;" in text


def test_a_longer_name_is_another_one() -> None:
    [text] = _safe(READING.replace("class Case {\n", "class Case {\n  MyIOUtils a; IOUtils$ b;\n"))
    assert "import org.apache.commons.io.IOUtils;" not in text
