"""The C front end on any bytes: a unit that is well formed, the same each time."""

from __future__ import annotations

import pathlib

from hypothesis import given, settings
from hypothesis import strategies as st

from analyzers.frontends.c import lower
from analyzers.wellformed import check_procedure

SOURCES = tuple(
    path.read_bytes()
    for path in sorted((pathlib.Path(__file__).parents[1] / "fixtures" / "c").rglob("*.c"))
    if path.stat().st_size < 8_000
)
WORDS = (
    b"{", b"}", b"(", b")", b"[", b"]", b";", b",", b":", b"=", b"*", b"&", b"&&", b"->", b"...", b"?", b"\n", b"int ", b"x ",
    b"FOO", b"FOO(", b"struct s ", b"if ", b"else ", b"for ", b"while ", b"do ", b"switch ", b"case ", b"default:", b"goto ",
    b"return ", b"break;", b"continue;", b"\n#if A\n", b"\n#else\n", b"\n#endif\n", b"\n#define M(x) ", b"typeof", b"asm",
    b"static ", b'"s"', b"'c'", b"0x1", b"/*", b"*/", b"//", b"\\\n", b"TAILQ_FOREACH(", b"__attribute__((", b"\0", b"\xff",
)


def _check(data: bytes) -> None:
    unit = lower(data)
    assert unit == lower(data)
    names = [procedure.name for procedure in unit.procedures]
    assert len(names) == len(set(names))
    for procedure in unit.procedures:
        assert check_procedure(procedure) == ()
        assert 0 <= procedure.start <= procedure.header_end <= procedure.end <= max(1, len(data))
        for node in procedure.nodes:
            assert 0 <= node.start <= node.end <= procedure.end - procedure.start
    for note in unit.notes:
        assert 0 <= note.start <= note.end <= max(1, len(data))


@given(st.binary(max_size=400))
@settings(max_examples=150, deadline=None)
def test_any_bytes_lower(data: bytes) -> None:
    _check(data)


@given(st.lists(st.sampled_from(WORDS), max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_tokens_lower(words: list[bytes]) -> None:
    _check(b"int f(int n) { " + b" ".join(words))


@given(st.sampled_from(SOURCES), st.data())
@settings(max_examples=150, deadline=None)
def test_damaged_sources_lower(source: bytes, data: st.DataObject) -> None:
    damaged = bytearray(source)
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(damaged)))
        end = min(len(damaged), start + data.draw(st.integers(0, 40)))
        damaged[start:end] = data.draw(st.sampled_from(WORDS))
    _check(bytes(damaged))
