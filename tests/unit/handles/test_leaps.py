"""Leaps over code that does not concern a handle change no finding."""

from __future__ import annotations

import pathlib

import pytest

from analyzers import MemoryTree, analyze, load, specs
from analyzers.detectors import DETECTORS
from analyzers.domains.obligation import Fact
from analyzers.graphs.cfg import Cfg
from analyzers.handles.leaps import Leaps
from analyzers.solvers import ifds

FIXTURES = pathlib.Path(__file__).parents[2] / "fixtures"
FILES = sorted((*FIXTURES.glob("c/tracker/**/*.c"), *FIXTURES.glob("java/tracker/**/*.java")))
LIBRARY = specs.load(("java", "c"))


def told(paths: list[pathlib.Path]) -> list[object]:
    """What is said of some files, each by itself."""
    return [analyze(load(MemoryTree({path.name: path.read_bytes()}), LIBRARY), None, DETECTORS).findings for path in paths]


@pytest.mark.parametrize("part", range(4))
def test_findings_are_those_of_the_way_step_by_step(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    some = FILES[part::4]
    leapt = told(some)
    monkeypatch.setattr(Leaps, "over", lambda self, node, fact: None)
    assert leapt == told(some)


def nodes_stepped(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Filled with the nodes that are not leapt over from now on."""
    stepped: list[int] = []
    leap = Leaps.over

    def counted(self: Leaps, node: int, fact: Fact) -> tuple[int, list[tuple[int, Fact]]] | None:
        found = leap(self, node, fact)
        if found is None:
            stepped.append(node)
        return found

    monkeypatch.setattr(Leaps, "over", counted)
    return stepped


def test_most_of_the_way_is_leapt_over(monkeypatch: pytest.MonkeyPatch) -> None:
    tests = "".join(f"  if (flags & {1 << bit}) n += weight({bit});\n" for bit in range(20))
    text = f"int f(int flags) {{\n  int n = 0;\n  char *p = malloc(3);\n{tests}  free(p);\n  return n;\n}}\n"
    stepped = nodes_stepped(monkeypatch)
    assert not analyze(load(MemoryTree({"f.c": text.encode()}), LIBRARY), None, DETECTORS).findings
    assert 0 < len(stepped) < 10


def test_a_leap_may_end_in_the_midst_of_a_stretch() -> None:
    met: list[int] = []

    class Graph:
        """0 -> 1 -> 2 -> 3, where 3 is met from 0 too."""

        normal = ((1, 3), (2,), (3,), ())
        raised = ((), (), (), ())

    cfg = Cfg(Graph.normal, Graph.raised)

    def stop(fact: int) -> list[tuple[int, int]]:
        met.append(fact)
        return [(2, fact + 10)]

    def leap(node: int, fact: int) -> tuple[int, list[tuple[int, int]]] | None:
        return (1, [(3, fact), (1, fact + 1)]) if node == 0 else None

    crowding: ifds.Crowding[int] = ifds.Crowding(lambda fact: fact, 1, max, 100, lambda fact: 0, max)
    seen: list[int] = []

    def end(fact: int) -> list[tuple[int, int]]:
        seen.append(fact)
        return []

    flows: list[ifds.Flow[int] | None] = [None, stop, None, end]
    assert ifds.tabulate(cfg, flows, [(0, 0)], crowding, 100, None, None, leap)
    assert (met, sorted(seen)) == ([1], [0, 11])


def test_other_members_of_its_object_do_not_concern_a_handle(monkeypatch: pytest.MonkeyPatch) -> None:
    uses = "".join(f"  job->count{n} = job->size{n} + weight(job->kind{n});\n" for n in range(20))
    text = f"void f(struct job *job) {{\n  job->text = malloc(3);\n{uses}  free(job->text);\n}}\n"
    stepped = nodes_stepped(monkeypatch)
    assert not analyze(load(MemoryTree({"f.c": text.encode()}), LIBRARY), None, DETECTORS).findings
    assert len(stepped) < 20


def test_a_stretch_is_followed_once_whatever_is_known_beyond_it(monkeypatch: pytest.MonkeyPatch) -> None:
    asks = "".join(f"  if (flags & {1 << bit}) n += weight({bit});\n" for bit in range(6))
    text = (
        "int f(int flags, int kind) {\n  int n = 0, mode;\n  char *p;\n  if (kind) { mode = 3; p = malloc(3); }\n"
        f"  else {{ mode = 4; p = malloc(4); }}\n{asks}"
        "  if (mode == 3) n++;\n  if (mode == 4) n--;\n  free(p);\n  return n;\n}\n"
    )
    followed: list[int] = []
    follow = Leaps._follow

    def counted(self: Leaps, node: int, environment: int, looking: int, is_over: bool) -> object:
        followed.append(node)
        return follow(self, node, environment, looking, is_over)

    monkeypatch.setattr(Leaps, "_follow", counted)
    assert not analyze(load(MemoryTree({"f.c": text.encode()}), LIBRARY), None, DETECTORS).findings
    apart = len(followed)
    monkeypatch.setattr(Leaps, "_find", counted)
    followed.clear()
    analyze(load(MemoryTree({"f.c": text.encode()}), LIBRARY), None, DETECTORS)
    assert apart < len(followed)
