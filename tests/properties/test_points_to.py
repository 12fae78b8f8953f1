"""Points-to on demand against exhaustive answers: nothing that happens is missed, and matching calls and fields pays."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from analyzers import MemoryTree, ir, load, specs
from analyzers.detectors.leakchecker.points_to import PointsTo
from analyzers.queries import ProcedureKey
from analyzers.slots import SlotReader
from analyzers.specs.containers import load_containers
from tests.oracles import calling_language as language

MODELS = load_containers()
PATH = "Test.java"
ENTRY = ProcedureKey(PATH, language.name(0))
COUNT = 3

VARIABLES = st.sampled_from(language.VARIABLES)
FIELDS = st.sampled_from(language.FIELDS)
LOCAL = (
    st.builds(language.New, VARIABLES)
    | st.builds(language.Assign, VARIABLES, VARIABLES)
    | st.builds(language.Read, VARIABLES, VARIABLES, FIELDS)
    | st.builds(language.Write, VARIABLES, FIELDS, VARIABLES)
)
STATIC = st.builds(language.Take, VARIABLES) | st.builds(language.Give, VARIABLES)


def calls(procedures: st.SearchStrategy[int]) -> st.SearchStrategy[language.Invoke]:
    return st.builds(language.Invoke, VARIABLES, procedures, VARIABLES, VARIABLES)


def bodies(statements: st.SearchStrategy[language.Statement]) -> st.SearchStrategy[language.Body]:
    return st.builds(language.Body, st.lists(statements, min_size=1, max_size=6).map(tuple), VARIABLES)


RECURSIVE = st.tuples(*(bodies(LOCAL | STATIC | calls(st.integers(0, COUNT - 1))) for _ in range(COUNT)))
LAYERED = st.tuples(*(
    bodies(LOCAL | calls(st.integers(number + 1, COUNT - 1)) if number < COUNT - 1 else LOCAL) for number in range(COUNT)
))


def answers(program: language.Program, steps: int = 10_000_000) -> tuple[set[tuple[int, str, language.Site]], bool]:
    """Per procedure that the entry reaches and variable, the sites of what it may point to."""
    tree = load(MemoryTree({PATH: language.java(program).encode()}), specs.load(("java",)))
    points = PointsTo(tree, SlotReader(tree, MODELS), ENTRY, steps)
    sites: dict[tuple[str, int], language.Site] = {}
    reached = {each.key: each for each in points.fragments()}
    for number, body in enumerate(program):
        linked = tree.linked(ProcedureKey(PATH, language.name(number)))
        assert linked is not None
        made = sorted((node.start, at) for at, node in enumerate(linked.body.nodes) if isinstance(node, ir.Alloc))
        news = [at for at, each in enumerate(body.statements) if isinstance(each, language.New)]
        for (_, node), at in zip(made, news, strict=True):
            sites[language.name(number), node] = (number, at)
    found = set()
    for number in range(len(program)):
        key = ProcedureKey(PATH, language.name(number))
        for variable in language.VARIABLES if key in reached else ():
            for each in points.of(key, variable):
                if not each.path:
                    found.add((number, variable, sites[each.key.name, each.node]))
    return found, points.is_complete


@settings(max_examples=150, deadline=None)
@given(RECURSIVE, st.lists(st.booleans(), min_size=1, max_size=7))
def test_nothing_that_happens_is_missed(program: language.Program, choices: list[bool]) -> None:
    found, is_complete = answers(program)
    assert is_complete
    assert language.run(program, choices) <= found


@settings(max_examples=150, deadline=None)
@given(LAYERED)
def test_without_recursion_it_says_what_cloning_says(program: language.Program) -> None:
    found, is_complete = answers(program)
    assert is_complete
    exact = language.cloned(program, per_path=True)
    assert found == exact
    assert exact <= language.cloned(program, per_path=False)


@settings(max_examples=60, deadline=None)
@given(RECURSIVE)
def test_a_spent_budget_is_said(program: language.Program) -> None:
    full, _ = answers(program)
    found, is_complete = answers(program, steps=12)
    assert found <= full
    assert found == full or not is_complete
