from __future__ import annotations

from hypothesis import given

from analyzers.graphs.cfg import Cfg
from analyzers.solvers.dataflow import solve_backward, solve_forward
from tests.graphs import graphs


@given(graphs())
def test_forward_union_collects_the_nodes_on_the_ways_there(cfg: Cfg) -> None:
    values = solve_forward(
        cfg,
        {0: frozenset[int]()},
        lambda node, value: dict.fromkeys(cfg.successors[node], value | {node}),
        frozenset.union,
    )
    assert set(values) == set(cfg.order)
    for node in cfg.order:
        through = {each for each in cfg.order if any(node in cfg.reachable_from(s) for s in cfg.successors[each])}
        assert values[node] == through


@given(graphs())
def test_backward_is_forward_on_the_reversed_graph(cfg: Cfg) -> None:
    start = {goal: frozenset[int]() for goal in (1, 2) if cfg.is_reachable(goal)}
    values = solve_backward(
        cfg, start, lambda node, value: dict.fromkeys(cfg.predecessors[node], value | {node}), frozenset.union
    )
    for node, value in values.items():
        for each in value:
            assert any(each in cfg.reachable_from(s) for s in cfg.successors[node])


def test_a_successor_that_is_left_out_is_not_reached() -> None:
    cfg = Cfg(((3,), (), (), (4, 1), (1,)), ((),) * 5)
    values = solve_forward(cfg, {0: 0}, lambda node, value: {1: value} if node == 3 else {s: value for s in cfg.successors[node]}, max)
    assert 4 not in values and 1 in values
