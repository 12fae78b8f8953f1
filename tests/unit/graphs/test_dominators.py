from __future__ import annotations

from hypothesis import given

from analyzers.graphs.cfg import Cfg
from analyzers.graphs.dominators import NONE, dominates, dominators, post_dominators
from tests.graphs import graphs


def _reachable(cfg: Cfg, start: int, without: int) -> set[int]:
    seen, stack = set(), [start] if start != without else []
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            stack += [each for each in cfg.successors[node] if each != without]
    return seen


@given(graphs())
def test_dominators_are_what_every_path_passes(cfg: Cfg) -> None:
    tree = dominators(cfg)
    for above in cfg.order:
        left = _reachable(cfg, 0, above)
        for below in cfg.order:
            assert dominates(tree, above, below) == (below == above or below not in left)


@given(graphs())
def test_post_dominators_are_passed_on_every_way_to_an_exit(cfg: Cfg) -> None:
    tree = post_dominators(cfg)
    for node in cfg.order:
        can_end = {1, 2} & _reachable(cfg, node, NONE)
        assert (tree[node] != NONE) == bool(can_end)
        for after in cfg.order:
            if can_end and after != node:
                assert dominates(tree, after, node) == (not {1, 2} - {after} & _reachable(cfg, node, after))


def test_node_on_an_endless_loop_has_no_post_dominator() -> None:
    assert post_dominators(Cfg(((3,), (), (), (3,)), ((), (), (), ())))[3] == NONE
