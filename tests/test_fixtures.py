"""Annotated sources: a file in `fixtures/<language>/<detector>/` is a test of that detector.

A comment `leak: RULE` stands on the line of an acquisition that has to be found, witnessed unless `(assumed)` follows;
`lost` on every line where one of them is lost. Nothing else may be found. `.fixed` files beside must be clean.
"""

from __future__ import annotations

import pathlib
import re

import pytest

from analyzers import MemoryTree, analyze, load, specs
from analyzers.detectors import DETECTORS
from analyzers.source import LineIndex

FIXTURES = pathlib.Path(__file__).parent / "fixtures"
LEAK = re.compile(r"leak: ([\w-]+)( \(assumed\))?")
LOST = re.compile(r"(?://|/\*) lost")
NAMES = {detector.name.replace("-", "_"): detector for detector in DETECTORS}
FILES = sorted(path for path in FIXTURES.glob("*/*/*.*") if path.parent.name in NAMES)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(FIXTURES)))
def test_exactly_the_marked_leaks_are_found(path: pathlib.Path) -> None:
    data = path.read_bytes()
    program = load(MemoryTree({path.name: data}), specs.load(("java", "c")))
    findings = analyze(program, None, (NAMES[path.parent.name],)).findings
    index = LineIndex(data)
    found = {(index.line(each.acquired.start), each.rule, each.confidence.value) for each in findings}
    exits = {index.line(span.start) for each in findings for span in each.exits}
    marked, lost = set(), set()
    for number, line in enumerate(data.decode().splitlines(), 1):
        marked |= {(number, rule, "assumed" if doubt else "witnessed") for rule, doubt in LEAK.findall(line)}
        lost |= {number} if LOST.search(line) else set()
    assert found == marked
    assert exits == lost
    for each in findings:
        assert each.witness[0].role == "acquire" and each.witness[-1].role == "exit"
        assert each.message.endswith(".") and "\n" not in each.message
