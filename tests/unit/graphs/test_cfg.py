from __future__ import annotations

from analyzers.graphs.cfg import Cfg, reverse_post_order

DIAMOND = ((3,), (), (), (4, 5), (6,), (6,), (1,))


def _cfg(successors: tuple[tuple[int, ...], ...]) -> Cfg:
    return Cfg(successors, tuple(() for _ in successors))


def test_order_puts_nodes_before_what_they_lead_to() -> None:
    cfg = _cfg(DIAMOND)
    assert cfg.order[0] == 0 and cfg.order[-1] == 1
    assert all(cfg.position[a] < cfg.position[b] for a in cfg.order for b in cfg.successors[a])


def test_unreachable_nodes_have_no_place_and_precede_nothing() -> None:
    cfg = _cfg(((1,), (), (), (1,)))
    assert not cfg.is_reachable(3) and cfg.predecessors[1] == (0,)


def test_both_kinds_of_edges_count_once() -> None:
    cfg = Cfg(((3,), (), (), (1,)), ((), (), (), (2, 1)))
    assert cfg.successors[3] == (1, 2) and cfg.predecessors[2] == (3,)


def test_reachability_both_ways() -> None:
    cfg = _cfg(DIAMOND)
    assert cfg.reachable_from(4) == {4, 6, 1}
    assert cfg.reaching(4) == {0, 3, 4}


def test_deep_graphs_need_no_recursion() -> None:
    deep = [(node + 1,) for node in range(20_000)] + [()]
    assert reverse_post_order(deep, 0)[-1] == 20_000
