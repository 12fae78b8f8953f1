from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from analyzers.graphs.cfg import Cfg
from analyzers.solvers.ifds import Crowding, Trace, shortcuts, shortest_path, tabulate
from tests.graphs import graphs

FACTS = range(4)
APART: Crowding[int] = Crowding(lambda fact: fact, 9, max, 99, lambda fact: 0, max)


@st.composite
def problems(draw: st.DrawFn) -> tuple[Cfg, dict[int, dict[int, list[tuple[int, int]]] | None]]:
    """A graph with a flow function per node: a fact to facts at successors. None is the identity."""
    cfg = draw(graphs())
    flows: dict[int, dict[int, list[tuple[int, int]]] | None] = {}
    for node in range(len(cfg.successors)):
        following = cfg.successors[node]
        if not following or draw(st.booleans()):
            flows[node] = None
        else:
            pair = st.tuples(st.sampled_from(following), st.sampled_from(FACTS))
            flows[node] = {fact: draw(st.lists(pair, max_size=3)) for fact in FACTS}
    return cfg, flows


def _naive(cfg: Cfg, flows: dict[int, dict[int, list[tuple[int, int]]] | None]) -> set[tuple[int, int]]:
    """Reachability in the exploded graph."""
    seen: set[tuple[int, int]] = set()
    stack = [(0, 0)]
    while stack:
        node, fact = stack.pop()
        if (node, fact) not in seen:
            seen.add((node, fact))
            table = flows[node]
            stack += [(s, fact) for s in cfg.successors[node]] if table is None else table[fact]
    return seen


@given(problems())
def test_tabulation_reaches_what_the_exploded_graph_reaches(
    problem: tuple[Cfg, dict[int, dict[int, list[tuple[int, int]]] | None]],
) -> None:
    cfg, tables = problem
    seen: set[tuple[int, int]] = set()

    def function(node: int) -> object:
        table = tables[node]

        def flow(fact: int) -> list[tuple[int, int]]:
            seen.add((node, fact))
            return [(s, fact) for s in cfg.successors[node]] if table is None else table[fact]

        return flow

    flows = [function(node) for node in range(len(cfg.successors))]
    assert tabulate(cfg, flows, [(0, 0)], APART, 100_000)
    assert seen == _naive(cfg, tables)


@given(problems())
def test_shortcuts_change_nothing_at_nodes_that_do_something(
    problem: tuple[Cfg, dict[int, dict[int, list[tuple[int, int]]] | None]],
) -> None:
    cfg, tables = problem
    seen: set[tuple[int, int]] = set()

    def flow_of(node: int) -> object:
        table = tables[node]

        def flow(fact: int) -> list[tuple[int, int]]:
            seen.add((node, fact))
            assert table is not None
            return table[fact]

        return None if table is None else flow

    flows = [flow_of(node) for node in range(len(cfg.successors))]
    tabulate(cfg, flows, [(0, 0)], APART, 100_000, None, shortcuts(cfg, flows))
    assert seen == {(node, fact) for node, fact in _naive(cfg, tables) if tables[node] is not None}


def _collect(seen: set[int]) -> object:
    def flow(fact: int) -> list[tuple[int, int]]:
        seen.add(fact)
        return []

    return flow


DIAMOND = Cfg(((3,), (), (), (4, 5), (6,), (6,), (1,)), ((),) * 7)


def test_spent_budget_is_told() -> None:
    assert not tabulate(DIAMOND, [None] * 7, [(0, 0)], APART, 2)


def test_facts_of_a_full_group_are_merged() -> None:
    seen: set[int] = set()
    flows = [None] * 7
    flows[3] = lambda fact: [(4, 1), (5, 2)]
    flows[6] = _collect(seen)
    crowding = Crowding(lambda fact: 0, 1, lambda one, other: one | other, 9, lambda fact: 0, max)
    tabulate(DIAMOND, flows, [(0, 0)], crowding, 100)
    assert seen == {3}


def test_too_many_groups_are_joined_by_kind() -> None:
    seen: set[int] = set()
    flows = [None] * 7
    flows[3] = lambda fact: [(4, 1), (5, 2)]
    flows[6] = _collect(seen)
    crowding = Crowding(lambda fact: fact, 1, max, 1, lambda fact: 0, lambda one, other: 7)
    tabulate(DIAMOND, flows, [(0, 0)], crowding, 100)
    assert 7 in seen


def test_shortest_path_takes_the_fewest_nodes() -> None:
    cfg = Cfg(((3,), (), (), (4, 6), (5,), (6,), (1,)), ((),) * 7)
    trace: Trace[int] = {}
    tabulate(cfg, [None] * 7, [(0, 0)], APART, 100, trace)
    assert [node for node, _ in shortest_path(trace, [(0, 0)], lambda node, fact: node == 1)] == [0, 3, 6, 1]
    assert shortest_path(trace, [(0, 0)], lambda node, fact: node == 2) == []


def _line(length: int) -> Cfg:
    """A straight way from the entry to the exit."""
    edges = [(3,), (), (), *((each + 1,) for each in range(3, length + 2)), (1,)]
    return Cfg(tuple(edges), tuple(() for _ in edges))


def test_facts_that_become_the_same_on_one_way_do_not_double() -> None:
    cfg, asked = _line(60), [0]

    def flow_of(node: int) -> object:
        def flow(fact: int) -> list[tuple[int, int]]:
            asked[0] += 1
            return [(cfg.successors[node][0], each) for each in (0, 1, 1)]

        return flow

    flows = [flow_of(node) if cfg.successors[node] else None for node in range(len(cfg.successors))]
    assert tabulate(cfg, flows, [(0, 0)], APART, 100_000)
    assert asked[0] < 2 * len(flows)


def test_one_way_cannot_spend_more_than_the_budget() -> None:
    cfg, asked = _line(60), [0]

    def flow_of(node: int) -> object:
        def flow(fact: int) -> list[tuple[int, int]]:
            asked[0] += 1
            return [(cfg.successors[node][0], 2 * fact + each) for each in (0, 1)]

        return flow

    flows = [flow_of(node) if cfg.successors[node] else None for node in range(len(cfg.successors))]
    assert not tabulate(cfg, flows, [(0, 1)], APART, 1000)
    assert asked[0] <= 1001
