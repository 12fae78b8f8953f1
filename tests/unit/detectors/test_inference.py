"""Annotations inferred for plain code: what each pattern gives, where it is written, and that it then holds."""

from __future__ import annotations

import pytest

from analyzers import MemoryTree, analyze, load, specs
from analyzers.detectors.resource_leak_checker import ResourceLeakChecker
from analyzers.detectors.resource_leak_checker.annotate import insertions

OWNER = """\
import java.io.*;

class Owner {
    private final InputStream in;
    private final String name;

    Owner(InputStream in, String name) {
        this.in = in;
        this.name = name;
    }

    InputStream lend() {
        return in;
    }

    void shutdown() throws IOException {
        in.close();
    }
}
"""


def annotated(source: str, name: str = "A.java") -> str:
    data = source.encode()
    program = load(MemoryTree({name: data}), specs.load(("java",)))
    for each in reversed(insertions(program, name, data)):
        data = data[: each.offset] + each.text.encode() + data[each.offset :]
    return data.decode()


def test_an_owner_is_annotated_whole() -> None:
    after = annotated(OWNER)
    assert "    @Owning private final InputStream in;\n    private final String name;\n" in after
    assert '@InheritableMustCall("shutdown")\nclass Owner {' in after
    assert "    @MustCallAlias\n    Owner(@MustCallAlias InputStream in, String name) {" in after
    assert "    @NotOwning\n    InputStream lend()" in after
    assert '    @EnsuresCalledMethods(value = "this.in", methods = "close")\n    void shutdown()' in after
    imports = [line for line in after.splitlines() if line.startswith("import ")]
    assert imports[0] == "import java.io.*;" and len(imports) == 6


@pytest.mark.parametrize("source", [OWNER, OWNER.replace("\n", "\r\n")])
def test_what_is_inferred_holds_and_is_inferred_once(source: str) -> None:
    after = annotated(source)
    assert after.count("\n") - after.count("\r\n") in (0, after.count("\n"))
    assert annotated(after) == after
    program = load(MemoryTree({"A.java": after.encode()}), specs.load(("java",)))
    assert analyze(program, None, (ResourceLeakChecker(),)).findings == ()


@pytest.mark.parametrize(
    ("member", "expected"),
    [
        ("static void quiet(Reader r) { try { r.close(); } catch (IOException e) { } }", "quiet(@Owning Reader r)"),
        ("static Reader same(int n, Reader r) { return r; }", "@MustCallAlias static Reader same(int n, @MustCallAlias Reader r)"),
        ("static void some(Reader r, boolean b) throws IOException { if (b) r.close(); }", None),
        ("static Reader fresh() throws IOException { return new FileReader(\"x\"); }", None),
        ("static void generic(java.util.Map<String, Reader> m, Reader r) throws IOException { r.close(); }",
         "m, @Owning Reader r)"),
        ("static void settled(@NotOwning Reader r) throws IOException { r.close(); }", None),
    ],
)  # fmt: skip
def test_methods(member: str, expected: str | None) -> None:
    source = f"import java.io.*; class A {{ {member} }}"
    after = " ".join(annotated(source).split())
    assert expected in after if expected is not None else after == source


def test_two_owned_fields_make_their_parameters_owning() -> None:
    source = """\
import java.io.*;
class Pair implements Closeable {
    private Reader one, other;
    private final Writer third;
    private final Writer fourth;
    Pair(Writer a, Writer b) { third = a; fourth = b; }
    public void close() throws IOException { third.close(); fourth.close(); }
}
"""
    after = annotated(source)
    assert "Pair(@Owning Writer a, @Owning Writer b)" in after
    assert '@EnsuresCalledMethods(value = {"this.fourth", "this.third"}, methods = "close")' in after
    assert "InheritableMustCall" not in after, "it is closeable already"


def test_a_field_that_is_renewed_creates_obligations() -> None:
    source = """\
import java.io.*;
class Log {
    private Writer out;
    void open(String name) throws IOException { out = new FileWriter(name); }
    void dispose() throws IOException { if (out != null) out.close(); }
}
"""
    assert '@CreatesMustCallFor("this")\n    void open' in annotated(source)


def test_a_helper_that_closes_a_field_is_followed() -> None:
    source = """\
import java.io.*;
class Log {
    private final Writer out = new StringWriter();
    private final Writer file;
    Log(String name) throws IOException { file = new FileWriter(name); }
    void dispose() { quiet(file); }
    static void quiet(Closeable c) { try { c.close(); } catch (IOException e) { } }
}
"""
    after = annotated(source)
    assert "@Owning private final Writer file;" in after and "quiet(@Owning Closeable c)" in after
    assert '@InheritableMustCall("dispose")' in after


def test_broken_files_and_other_languages_get_nothing() -> None:
    assert annotated("class {{{ void") == "class {{{ void"
    assert annotated("int f(void) { return 1; }", "a.c") == "int f(void) { return 1; }"
