from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from analyzers.graphs.callgraph import components

EDGES = st.dictionaries(st.integers(0, 7), st.lists(st.integers(0, 7), max_size=3), max_size=8)


def _reach(edges: dict[int, list[int]], start: int) -> set[int]:
    seen, stack = set(), [start]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            stack += edges.get(node, [])
    return seen


@given(EDGES)
def test_components_hold_those_that_reach_each_other_callees_first(edges: dict[int, list[int]]) -> None:
    found = list(components(sorted(edges), lambda node: edges.get(node, [])))
    place = {node: index for index, members in enumerate(found) for node in members}
    for node in place:
        for other in place:
            together = other in _reach(edges, node) and node in _reach(edges, other)
            assert (place[node] == place[other]) == together
            if other in _reach(edges, node):
                assert place[other] <= place[node]


def test_deep_call_chains_need_no_recursion() -> None:
    assert len(list(components([0], lambda node: [node + 1] if node < 20_000 else []))) == 20_001
