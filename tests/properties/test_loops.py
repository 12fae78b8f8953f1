"""Concrete against abstract: what any run of a small program does, the type and effect system says."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from analyzers import MemoryTree, ir, load, specs
from analyzers.detectors.leakchecker.loop import LoopAnalysis, LoopReport
from analyzers.domains.era import Era, HeapEffect, Site, flows
from analyzers.queries import ProcedureKey
from analyzers.slots import SlotReader
from analyzers.specs.containers import load_containers
from tests.oracles import while_language as language

VARIABLES = st.sampled_from(language.VARIABLES)
FIELDS = st.sampled_from(language.FIELDS)
SIMPLE = (
    st.builds(language.New, VARIABLES)
    | st.builds(language.Assign, VARIABLES, VARIABLES)
    | st.builds(language.Null, VARIABLES)
    | st.builds(language.Read, VARIABLES, VARIABLES, FIELDS)
    | st.builds(language.Write, VARIABLES, FIELDS, VARIABLES)
)
BLOCKS = st.lists(SIMPLE, max_size=3).map(tuple)
STATEMENTS = SIMPLE | st.builds(language.Either, BLOCKS, BLOCKS)
PROGRAMS = st.builds(
    language.Program, st.lists(SIMPLE, min_size=1, max_size=5).map(tuple), st.lists(STATEMENTS, min_size=2, max_size=7).map(tuple)
)
MODELS = load_containers()
KEY = ProcedureKey("Test.java", "Test.run()")


def analysed(source: str) -> tuple[LoopReport, dict[int, Site]]:
    """The report for the one loop of the program, and the site of each `new` by its number."""
    program = load(MemoryTree({KEY.path: source.encode()}), specs.load(("java",)))
    linked = program.linked(KEY)
    assert linked is not None
    analysis = LoopAnalysis(program, SlotReader(program, MODELS), linked, linked.body.loops[0].header)
    report = analysis.check()
    starts = sorted(node.start for node in linked.body.nodes if isinstance(node, ir.Alloc))
    made = {place.node: site for site, place in report.made.items()}
    by_start = {linked.body.nodes[node].start: site for node, site in made.items()}
    return report, {number: by_start[start] for number, start in enumerate(starts) if start in by_start}


@settings(max_examples=150, deadline=None)
@given(PROGRAMS, st.lists(st.booleans(), min_size=1, max_size=7), st.integers(0, 5))
def test_every_concrete_effect_and_leak_is_abstracted(
    program: language.Program, choices: list[bool], iterations: int
) -> None:
    report, sites = analysed(language.java(program))
    assert report.is_complete
    run = language.execute(program, choices, iterations)

    def effect(each: language.Effect) -> HeapEffect:
        return HeapEffect(sites[each.inner.site], each.field, sites[each.outer.site])

    for each in run.stores:
        assert each.iteration == 0 or effect(each) in report.stores
    for each in run.loads:
        assert each.iteration == 0 or effect(each) in report.loads
    back = flows(report.loads)
    for site, field, outer in language.leaking(run):
        edge = HeapEffect(sites[site], field, sites[outer])
        is_matched = edge in back and report.eras[sites[site]] is Era.FUTURE
        assert edge in report.edges or is_matched  # the paper's own cause: some instances come back


@settings(max_examples=40, deadline=None)
@given(PROGRAMS)
def test_what_never_leaves_the_loop_is_current(program: language.Program) -> None:
    report, _ = analysed(language.java(program))
    escaping = {each.inner for each in flows(report.stores)}
    for site, era in report.eras.items():
        assert (era is Era.CURRENT) == (site not in escaping)
