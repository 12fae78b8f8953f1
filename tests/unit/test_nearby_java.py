"""A patched method of Java is lowered without the bodies of others, and the file is what lowering all of it gives."""

from __future__ import annotations

import msgspec
import pytest

from analyzers import MemoryTree, Program, ir
from analyzers.engine import StandardEngine
from analyzers.incremental.blobs import Stored, Symbols, lower_blob
from analyzers.incremental.nearby import Nearby
from analyzers.incremental.nearby_java import Around, lower_nearby
from tests.reach import ReachEngine

FILE = """\
package shop;
import java.io.*;
class Till {
    private final int drawers = 3;
    private int opened;
    static final Runnable BELL = new Runnable() { public void run() { System.out.println("ding"); } };
    { opened = drawers; }
    Till(String name) { this(); label = name; }
    Till() { watch(new Thread() { @Override public void run() { count(null); } }); }
    private String label = "Zähler";
    int count(File receipts) {
        Runnable later = new Runnable() {
            int left = 2;
            public void run() { try { new Object() { void go() { opened--; } }.go(); } finally { left = 0; } }
        };
        later.run();
        return receipts == null ? 0 : (int) receipts.length();
    }
    String first(File receipts) throws IOException {
        BufferedReader reader = new BufferedReader(new FileReader(receipts));
        Runnable told = () -> System.out.println(reader);
        Object key = new Object() { public String toString() { return label; } };
        return reader.readLine() + key + told;
    }
    void watch(Thread thread) { class Log { void add() { } } new Log().add(); thread.start(); }
    static int kinds() { return 4; }
    static { BELL.run(); }
    void write(Writer out) throws IOException { try { out.write(1); } finally { out.close(); } }
    enum Coin { ONE { int worth() { return 1; } }, TWO; int worth() { return 2; } }
    record Sum(int whole, int cents) { Sum { if (cents > 99) { throw new IllegalArgumentException(); } } }
    Object last() { return new Object() { }; }
}
""".encode()

PATCHES: list[tuple[bytes, bytes]] = [
    (b"return reader.readLine() + key + told;", b"try { return reader.readLine() + key + told; } finally { reader.close(); }"),
    (b"BufferedReader reader = new BufferedReader(new FileReader(receipts));", b"try (BufferedReader reader = new BufferedReader(new FileReader(receipts))) { reader.mark(1); }\n        BufferedReader reader = null;"),
    (b"later.run();", b"if (opened > 0) {\n            later.run();\n        }"),
    (b"left = 0;", b"left = 0; System.gc();"),
    (b"this(); label = name;", b"this(); label = name; count(null);"),
    (b"return 4;", b"return 4 ;"),
    (b"return 4;", b"int n = 5; return n;"),
    (b"out.write(1);", b"out.write(1); out.flush();"),
]


def lowered(data: bytes) -> Nearby:
    found = lower_blob(StandardEngine(), "java", data)
    stored = msgspec.msgpack.decode(found.unit, type=Stored)
    unit = msgspec.msgpack.decode(stored.skeleton, type=ir.Unit)
    return Nearby(data, unit, stored, msgspec.msgpack.decode(found.symbols, type=Symbols))


def same(found: Nearby, whole: Nearby) -> None:
    assert msgspec.structs.replace(found.skeleton, mentions=()) == msgspec.structs.replace(whole.skeleton, mentions=())
    assert set(whole.skeleton.mentions) <= set(found.skeleton.mentions)
    assert [bytes(each) for each in found.stored.bodies] == [bytes(each) for each in whole.stored.bodies]
    assert found.symbols == whole.symbols
    assert list(found.symbols.procedures) == list(whole.symbols.procedures)


@pytest.mark.parametrize(("old", "new"), PATCHES)
def test_gives_what_lowering_all_gives(old: bytes, new: bytes) -> None:
    data = FILE.replace(old, new)
    assert data != FILE
    found = lower_nearby(StandardEngine(), lowered(FILE), data, {})
    assert found is not None
    same(found, lowered(data))


def test_remembers_what_is_beside_a_method() -> None:
    known: dict[int, Around | None] = {}
    old = lowered(FILE)
    for before, after in PATCHES:
        data = FILE.replace(before, after)
        found = lower_nearby(StandardEngine(), old, data, known)
        assert found is not None
        same(found, lowered(data))
    assert len(known) < len(PATCHES)


@pytest.mark.parametrize(("old", "new"), [
    pytest.param(b"later.run();", b"later.run(); new Thread() { }.start();", id="another class, which takes a number"),
    pytest.param(b"later.run();", b"later.run(); opened = 0;", id="a field that was constant, or may be"),
    pytest.param(b"later.run();", b"later.run(;", id="an error"),
    pytest.param(b"later.run();", b"later.run(); } void more() {", id="another method"),
    pytest.param(b"later.run();", b"later.run(); }", id="a brace"),
    pytest.param(b"later.run();", b"later.run(); /*", id="a comment without an end"),
    pytest.param(b"import java.io.*;", b"import java.io.*;\nimport java.util.*;", id="an import"),
    pytest.param(b"label", b"name", id="two places"),
    pytest.param(b"int count(", b"long count(", id="a header"),
    pytest.param(b"class Log {", b"class Log { int n = 1;", id="a field of a class in a method"),
])
def test_leaves_to_the_whole_what_others_would_see(old: bytes, new: bytes) -> None:
    data = FILE.replace(old, new)
    assert data != FILE
    found = lower_nearby(StandardEngine(), lowered(FILE), data, {})
    if found is not None:
        same(found, lowered(data))


def test_a_patched_file_is_not_lowered_as_a_whole() -> None:
    engine = ReachEngine()
    program = Program(MemoryTree({"Till.java": FILE}), engine=engine)
    count = len(program.procedures_of("Till.java"))
    engine.lowered.clear()
    data = FILE.replace(b"out.write(1);", b"out.write(1); out.flush();")
    patched = program.beside_with({"Till.java": data})
    [key] = [each for each in patched.procedures_of("Till.java") if each.name == "shop.Till.write(Writer)"]
    body = patched.procedure(key)
    assert body is not None
    assert "flush" in [each.name for each in body.nodes if isinstance(each, ir.Call)]
    assert len(patched.procedures_of("Till.java")) == count
    assert engine.lowered
    assert all(b"Object key" not in text and data != text for text in map(bytes, engine.lowered))
    assert patched.source("Till.java") == data
