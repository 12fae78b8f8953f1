"""The loop analysis with the paper's own examples: ERA values, relations, leaks."""

from __future__ import annotations

import pathlib

import pytest

from analyzers import MemoryTree, Program, analyze, ir, load, specs
from analyzers.detectors.leakchecker import LeakChecker
from analyzers.detectors.leakchecker.events import Events, missing
from analyzers.detectors.leakchecker.loop import LoopAnalysis, LoopReport, pivots
from analyzers.domains.era import HeapEffect, Site, flows
from analyzers.finding import NoteKind
from analyzers.queries import ProcedureKey
from analyzers.slots import SlotReader
from analyzers.specs.containers import load_containers
from bot.errors import CannotRun
from bot.pipeline import check_events
from fixers import Applicability, Fix, fix

FIGURE = pathlib.Path(__file__).parents[2] / "fixtures" / "java" / "leakchecker" / "Orders.java"


def tree(*sources: str) -> Program:
    return load(MemoryTree({f"F{n}.java": source.encode() for n, source in enumerate(sources)}), specs.load(("java",)))


def report(program: Program, path: str, name: str, loop: int | None = 0) -> LoopReport:
    linked = program.linked(ProcedureKey(path, name))
    assert linked is not None
    header = None if loop is None else linked.body.loops[loop].header
    return LoopAnalysis(program, SlotReader(program, load_containers()), linked, header).check()


def types(program: Program, found: LoopReport) -> dict[Site, str]:
    """What each site makes."""
    made = {}
    for site, place in found.made.items():
        body = program.procedure(place.key)
        assert body is not None
        node = body.nodes[place.node]
        made[site] = node.type if isinstance(node, ir.Alloc) else ""
    return made


def named(program: Program, found: LoopReport, effects: tuple[HeapEffect, ...]) -> set[tuple[str, str, str]]:
    made = types(program, found)
    return {(made.get(e.inner, ""), e.field, made.get(e.outer, e.outer.name)) for e in effects}


def test_figure_1() -> None:
    program = tree(FIGURE.read_text())
    found = report(program, "F0.java", "shop.Shop.main(String[])")
    made = types(program, found)
    assert {made[site]: era.value for site, era in found.eras.items()} == {"Order": "f"}
    outside = {made[site] for site in found.made if site.is_outside}
    assert outside >= {"Desk", "Customer[]", "Customer", "Order[]"}
    assert named(program, found, tuple(flows(found.stores))) == {("Order", "current", "Desk"), ("Order", "[]", "Order[]")}
    assert named(program, found, tuple(flows(found.loads))) == {("Order", "current", "Desk")}
    assert named(program, found, found.edges) == named(program, found, found.growing) == {("Order", "[]", "Order[]")}
    stored = found.stored[found.edges[0]]
    assert stored.key.name == "shop.Customer.add(Order)" and len(stored.context) == 2


def test_figure_1_the_loop_that_fills_the_customers() -> None:
    program = tree(FIGURE.read_text())
    found = report(program, "F0.java", "shop.Desk.<init>()")
    # the array of orders, which the paper leaves out, is made by the constructor and goes with its customer
    parts = {("Customer", "[]", "Customer[]"), ("Order[]", "[]", "Customer[]")}
    assert named(program, found, tuple(flows(found.stores))) == parts


def test_the_example_of_section_3() -> None:
    program = tree(
        "class O1 { O3 g; } class O2 {} class O3 { O4 h; } class O4 {}\n"
        "class Example { void run(boolean p, boolean q, boolean r) {\n"
        "O1 b = new O1(); while (p) { O2 c = new O2(); O3 d = new O3(); O4 e = new O4();\n"
        "O3 m = b.g; if (q) { O4 n = m.h; } if (r) { b.g = d; d.h = e; } } } }\n"
    )
    found = report(program, "F0.java", "Example.run(boolean,boolean,boolean)")
    made = types(program, found)
    assert {made[site]: era.value for site, era in found.eras.items()} == {"O2": "c", "O3": "f", "O4": "T"}
    relations = {("O3", "g", "O1"), ("O4", "h", "O3")}
    assert named(program, found, found.stores) == relations == named(program, found, found.loads)
    assert named(program, found, found.edges) == {("O4", "g", "O1")}
    assert not found.growing  # each turn replaces the one object


def test_a_region_is_the_body_of_an_artificial_loop() -> None:
    program = tree(
        "import java.util.*; class History { static final List<Object> SHOWN = new ArrayList<>();\n"
        "void compare() { Object entry = new Object(); SHOWN.add(entry); } }\n"
    )
    found = report(program, "F0.java", "History.compare()", None)
    assert [era.value for era in found.eras.values()] == ["T"]
    assert len(found.growing) == 1


def test_an_update_that_destroys_leaves_nothing() -> None:
    program = tree(
        "class Slot { Object held; void run(boolean p) { while (p) { held = new Object(); held = null; } } }\n"
    )
    found = report(program, "F0.java", "Slot.run(boolean)")
    assert found.edges and not found.growing


def test_a_chain_grows_through_one_field() -> None:
    program = tree(
        "class Link { Link next; } class Chain { Link head; void run(boolean p, Link first) { head = first;\n"
        "while (p) { Link one = new Link(); one.next = head; head = one; } } }\n"
    )
    found = report(program, "F0.java", "Chain.run(boolean,Link)")
    assert [effect.field for effect in flows(found.stores)] == ["head"]


THREADS = (
    "class Worker extends Thread { Object job; public void run() { BODY } }\n"
    "class Starter { void run(boolean p) { while (p) { Worker one = new Worker(); Object[] jobs = new Object[1];\n"
    "jobs[0] = new Object(); one.job = jobs; one.start(); } } }\n"
)


@pytest.mark.parametrize(("body", "leaks"), [("while (true) { Thread.yield(); }", True), ("System.out.println();", False)])
def test_started_threads_are_outside_unless_they_end(body: str, leaks: bool) -> None:
    program = tree(THREADS.replace("BODY", body))
    found = report(program, "F0.java", "Starter.run(boolean)")
    assert bool(found.edges) == leaks


def test_pivot_mode_tells_the_root_only() -> None:
    inner, outer, kept = Site("inner", False), Site("outer", False), Site("kept", True)
    edges = (HeapEffect(inner, "list", kept), HeapEffect(outer, "list", kept))
    stores = (HeapEffect(inner, "value", outer), HeapEffect(outer, "list", kept))
    assert pivots(edges, stores) == edges[1:]


def test_named_loops_and_regions() -> None:
    source = (
        "package p; import java.util.*; class Batch { void run(int n) { List<Object> all = new ArrayList<>();\n"
        "for (int i = 0; i < n; i++) { all.add(new Object()); } } }\n"
    )
    program = tree(source)
    assert not analyze(program, None, (LeakChecker(),)).findings
    for name in ("p.Batch.run", "p.Batch.run#loop1"):
        assert missing(program, name) is None
        found = analyze(tree(source), None, (LeakChecker(Events(check=(name,))),)).findings
        assert [each.detail for each in found] == ["loop"]
    assert missing(program, "p.Batch.run#loop2") == "p.Batch.run#loop1"
    assert missing(program, "p.Batch.runs") == "p.Batch.run"
    assert missing(program, "q.Nothing.at") == ""


def test_recursion_and_size_end_in_a_note() -> None:
    calls = " ".join(f"f{(each + 1) % 12}(list); f{(each + 5) % 12}(list);" for each in range(3))
    methods = "\n".join(
        f"void f{n}(java.util.List<Object> list) {{ list.add(new Object()); {calls} f{n}(list); }}" for n in range(12)
    )
    program = tree(f"class Deep {{ {methods}\n void run(java.util.List<Object> list, boolean p) {{ while (p) {{ f0(list); f1(list); }} }} }}")
    analysis = analyze(program, None, (LeakChecker(Events(check=("Deep.run",))),))
    assert not analysis.findings
    assert [note.kind for note in analysis.notes] in ([], [NoteKind.BUDGET])


def test_a_named_loop_that_does_not_exist_is_an_error_with_the_nearest_name() -> None:
    program = tree("package p; class Batch { void run(int n) { while (n > 0) { n--; } } }\n")
    check_events(program, Events(check=("p.Batch.run#loop1",), regions=("p.Batch.run",)))
    with pytest.raises(CannotRun, match=r"`p\.Batch\.rum`, did you mean `p\.Batch\.run`"):
        check_events(program, Events(regions=("p.Batch.rum",)))
    with pytest.raises(CannotRun, match=r"`q\.None\.at`$"):
        check_events(program, Events(check=("q.None.at",)))


def test_a_loop_that_is_too_large_ends_in_a_note() -> None:
    turns = " ".join(f"if (p) {{ o{n}.next = new Link(); l.next = o{n}.next; l = o{n}; }}" for n in range(900))
    links = " ".join(f"Link o{n} = new Link();" for n in range(900))
    program = tree(f"class Link {{ Link next; void run(boolean p, Link l) {{ {links} while (p) {{ {turns} }} }} }}")
    analysis = analyze(program, None, (LeakChecker(Events(check=("Link.run",))),))
    assert not analysis.findings
    assert [note.kind for note in analysis.notes] == [NoteKind.BUDGET]


@pytest.mark.parametrize("annotation", ["", "@Inject "])
def test_what_a_framework_may_fill_or_read_by_annotation_is_no_finding(annotation: str) -> None:
    program = tree(
        f"import java.util.*; class Events {{ {annotation}private final List<Object> seen = new ArrayList<>();\n"
        "@Subscribe void on(Object event) { seen.add(event); } }\n"
    )
    assert len(analyze(program, None, (LeakChecker(),)).findings) == (not annotation)


def test_a_field_that_reflection_names_is_no_finding() -> None:
    source = (
        "import java.util.*; class Seen { private final List<Object> seen = new ArrayList<>();\n"
        "void on(Object event) { seen.add(event); } BODY }\n"
    )
    reading = 'Object all() throws Exception { return Seen.class.getDeclaredField("seen").get(this); }'
    assert len(analyze(tree(source.replace("BODY", "")), None, (LeakChecker(),)).findings) == 1
    assert not analyze(tree(source.replace("BODY", reading)), None, (LeakChecker(),)).findings


@pytest.mark.parametrize(
    ("name", "says"),
    [("CaseStudies", "who else walks the chain"), ("CaseStudies", "Remove `storage`, which nobody reads"),
     ("Bounds", "Give `results` the bound that it has on the other branch")],
)  # fmt: skip
def test_every_form_has_a_patch_or_says_why_it_has_none(name: str, says: str) -> None:
    program = tree((FIGURE.parent / f"{name}.java").read_text())
    answers = [fix(each, program) for each in analyze(program).findings]
    assert any(says in (each.title if isinstance(each, Fix) else each.reason) for each in answers)
    assert all(each.applicability is Applicability.UNSAFE for each in answers if isinstance(each, Fix))


def test_elements_of_which_nobody_knows_what_they_are_may_be_kept_alive() -> None:
    program = tree(
        "import java.util.*; import org.some.*; class Parts { private final ArrayList<Part> seen = new ArrayList<>();\n"
        "void on(Part all) { for (var each : all.parts()) { seen.add(each); each.note(); } } }\n"
    )
    [answer] = [fix(each, program) for each in analyze(program).findings if each.rule == "retained-by-loop"]
    assert isinstance(answer, Fix) and answer.applicability is Applicability.UNSAFE, answer


@pytest.mark.parametrize(("type_name", "count"), [("org.springframework.util.ConcurrentReferenceHashMap", 0), ("java.util.HashMap", 1)])
def test_a_map_that_lets_go_by_itself_does_not_grow(type_name: str, count: int) -> None:
    program = tree(
        f"import {type_name}; import java.util.Map;\n"
        f"class Registry {{ private static final Map<ClassLoader, String> NAMES = new {type_name.rpartition('.')[2]}<>();\n"
        "static void note(ClassLoader loader, String name) { NAMES.put(loader, name); }\n"
        "static String name(ClassLoader loader) { return NAMES.get(loader); } }\n"
    )
    assert len(analyze(program).findings) == count


def test_what_lives_is_named() -> None:
    program = tree((FIGURE.parent / "Registries.java").read_text())
    said = [each.message for each in analyze(program).findings if each.detail == "keyed-by-thread"]
    assert any("holds threads as strong keys" in each for each in said) and any("`names` holds class loaders" in each for each in said)


@pytest.mark.parametrize(("loop", "count"), [("for (String each : names)", 0), ("while (next() instanceof String each)", 1)])
def test_a_loop_of_main_over_an_array_keeps_no_more_than_that(loop: str, count: int) -> None:
    program = tree(
        "import java.util.*; class Words { static Object next() { return new Scanner(System.in).nextLine(); }\n"
        'public static void main(String[] all) { String[] names = {"a", "b"}; List<byte[]> kept = new ArrayList<>();\n'
        + loop + " { byte[] made = new byte[each.length()]; kept.add(made); } while (true); } }\n"
    )
    assert sum(each.rule == "retained-by-loop" for each in analyze(program).findings) == count
