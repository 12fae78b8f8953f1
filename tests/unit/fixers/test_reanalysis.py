"""Which procedures the detectors are asked about again, on a patched text."""

from __future__ import annotations

from analyzers import analyze
from analyzers.source import Span
from fixers.fix import Edit
from fixers.reanalysis import reanalyse
from tests.unit.fixers.patching import program

_OPENS = b"""import java.io.*;
class Store {
    static InputStream open(String name) throws IOException { return new FileInputStream(name); }
}
class Reader {
    int first(String name) throws IOException { return Store.open(name).read(); }
}
class Door {
    static void open(String name) { }
    void pass(String name) throws IOException { open(name); new FileReader(name).read(); }
}
"""


def _found_again(before: bytes, old: bytes, new: bytes, name: str = "Reader.first(String)") -> tuple[list[str], list[str]]:
    """The procedures with findings before and after, of those that are asked again for the sake of the finding in one of them."""
    start = before.index(old)
    edits = (Edit(Span("Case.java", start, start + len(old)), new.decode()),)
    after = before.replace(old, new, 1)
    known = program("Case.java", before)
    finding = next(each for each in analyze(known).findings if each.procedure == name)
    again = reanalyse(known, program("Case.java", after), "Case.java", edits, None, finding)
    return [each.procedure for each in again.before], [each.procedure for each in again.after]


def test_callers_are_asked_again_where_what_they_call_does_something_else() -> None:
    before, after = _found_again(_OPENS, b"new FileInputStream(name)", b"new ByteArrayInputStream(new byte[0])")
    assert before == ["Reader.first(String)"]
    assert after == []


def test_callers_of_another_method_of_the_name_are_not_asked() -> None:
    before, after = _found_again(_OPENS, b"new FileInputStream(name)", b"new ByteArrayInputStream(new byte[0])")
    assert not any(each.startswith("Door") for each in (*before, *after))


def test_nobody_else_is_asked_where_the_changed_procedure_keeps_its_leak() -> None:
    text = _OPENS.replace(b"{ return new", b"{ new FileReader(name).read(); return new")
    before, after = _found_again(text, b"new FileInputStream(name)", b"new ByteArrayInputStream(new byte[0])", "Store.open(String)")
    assert before == after == ["Store.open(String)"]
