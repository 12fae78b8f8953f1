"""What is set once something has been written and closed is still set behind the close that a patch writes."""

from __future__ import annotations

import re

import pytest

from tests.unit.fixers.members import safe

BODY = """  boolean saved;
  int count;
  {type} run(File file, List<File> all) {{
    {before}
    try {{
      BufferedWriter out = new BufferedWriter(new FileWriter(file));
      out.write(1);
      out.close();
      {mark}
    }} {handler}
    {after}
  }}"""

CATCH = 'catch (IOException e) {\n      System.err.println("not written");\n    }'
FINALLY = "catch (IOException e) {\n      return;\n    } finally {\n      if (!ok)\n        file.delete();\n    }"


@pytest.mark.parametrize(
    "type_, before, mark, handler, after",
    [
        ("boolean", "boolean ok = false;", "ok = true;", CATCH, "return ok;"),
        ("int", "int left = 3;", "left--;", CATCH, "return left;"),
        ("String", 'String told = "failed";', "told = null;", CATCH, "return told;"),
        ("void", "", "saved = true;", CATCH, ""),
        ("void", "", "count++;", CATCH, ""),
        ("void", "boolean ok = false;", "ok = true;", FINALLY, ""),
        ("void", "", "all.add(file);", CATCH, ""),
    ],
)
def test_a_mark_of_success_stays_behind_the_close(type_: str, before: str, mark: str, handler: str, after: str) -> None:
    [text] = safe(BODY.format(type=type_, before=before, mark=mark, handler=handler, after=after))
    block = re.search(r"try \(BufferedWriter out[^{]*\{\n(.*?)\n( *)\}", text, re.DOTALL)
    assert block is not None
    assert mark not in block[1]
    assert text.index(mark) > block.end()


def test_what_nobody_sees_after_a_failure_may_be_set_before() -> None:
    [text] = safe(BODY.format(type="int", before="int size = 0;", mark="size = 1;\n      return size;", handler=CATCH, after="return -1;"))
    assert "try (BufferedWriter out" in text


def test_an_input_has_nothing_left_to_write() -> None:
    body = BODY.format(type="boolean", before="boolean ok = false;", mark="ok = true;", handler=CATCH, after="return ok;")
    body = body.replace("BufferedWriter out = new BufferedWriter(new FileWriter(file))", "FileReader out = new FileReader(file)").replace("out.write(1)", "out.read()")
    [text] = safe(body)
    assert re.search(r"try \(FileReader out = new FileReader\(file\)\) \{\n\s*out\.read\(\);\n\s*ok = true;", text)
