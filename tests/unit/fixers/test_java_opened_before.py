"""What is opened in one call after something else is opened behind it in the patch, too: all of them come into one header."""

from __future__ import annotations

import pytest

from tests.unit.fixers.members import safe
from tests.unit.fixers.patching import mended

SOURCE = """\
import java.io.*;
import java.util.*;
import java.util.zip.*;
class A {{
    private InputStream kept;
    private final List<InputStream> all = new ArrayList<>();
    static long copy(InputStream in, OutputStream out) throws IOException {{ return in.transferTo(out); }}
    static long copy(InputStream in, int size, OutputStream out) throws IOException {{ return in.transferTo(out); }}
    void keep(InputStream in, OutputStream out) throws IOException {{ kept = in; out.write(1); }}
    void note(InputStream in, OutputStream out) throws IOException {{ all.add(in); out.write(1); }}
    InputStream gives(InputStream in, OutputStream out) throws IOException {{ out.write(1); return in; }}
    int size(File a) {{ return 3; }}
    void end() throws IOException {{ kept.close(); for (InputStream in : all) in.close(); }}
    {type_} use(File a, File b) throws IOException {{
        {statement}
    }}
}}
"""
IN, OUT = "new FileInputStream(a)", "new FileOutputStream(b)"


@pytest.mark.parametrize(
    ("type_", "statement", "then"),
    [
        ("void", f"copy({IN}, {OUT});", "copy(in, out);"),
        ("long", f"return copy({IN}, {OUT});", "return copy(in, out);"),
        ("void", f"A.copy({IN}, 3, {OUT});", "A.copy(in, 3, out);"),
    ],
)
def test_both_are_closed(type_: str, statement: str, then: str) -> None:
    after = " ".join(mended("A.java", SOURCE.format(type_=type_, statement=statement).encode()).decode().split())
    assert f"try (FileInputStream in = {IN}; FileOutputStream out = {OUT}) {{ {then} }}" in after


def test_what_a_wrapper_that_throws_is_given_has_a_name_besides() -> None:
    after = " ".join(mended("A.java", SOURCE.format(type_="void", statement=f"copy({IN}, new GZIPOutputStream({OUT}));").encode()).decode().split())
    assert f"try (FileInputStream in = {IN}; FileOutputStream fileOutputStream = {OUT}; GZIPOutputStream out = new GZIPOutputStream(fileOutputStream)) {{ copy(in, out); }}" in after


@pytest.mark.parametrize(
    ("type_", "statement"),
    [("void", f"keep({IN}, {OUT});"), ("void", f"note({IN}, {OUT});"), ("InputStream", f"return gives({IN}, {OUT});")],
    ids=["kept", "noted", "given back"],
)
def test_what_others_have_by_then_stays_open(type_: str, statement: str) -> None:
    source = SOURCE.format(type_=type_, statement=statement)
    assert mended("A.java", source.encode()).decode() == source


def test_nothing_between_them_comes_later() -> None:
    after = mended("A.java", SOURCE.format(type_="void", statement=f"copy({IN}, size(a), {OUT});").encode()).decode()
    assert "FileOutputStream out = " not in after


_COPY = (
    "  static void copy(InputStream in, Writer out) throws IOException {\n    int each;\n    while ((each = in.read()) >= 0) {\n"
    "      out.write(each);\n    }\n  }\n  InputStream kept;\n  InputStream shared(String name) throws IOException {\n    if (kept == null) {\n"
    "      kept = new FileInputStream(name);\n    }\n    return kept;\n  }\n"
)


@pytest.mark.parametrize("opened", ["java.nio.file.Files.newInputStream(one)", "getClass().getResourceAsStream(\"a\")"])
def test_what_a_call_opens_before_comes_into_the_header_too(opened: str) -> None:
    body = f"{_COPY}  void run(java.nio.file.Path one, String two) throws IOException {{\n    copy({opened}, new FileWriter(two));\n  }}"
    texts = safe(body)
    assert texts and all(f"try (InputStream in = {opened};" in each and "FileWriter writer = new FileWriter(two)) {" in each for each in texts)


def test_what_somebody_else_has_stays_open() -> None:
    assert safe(f"{_COPY}  void run(String one, String two) throws IOException {{\n    copy(shared(one), new FileWriter(two));\n  }}") == []
