from __future__ import annotations

from analyzers.graphs import cfg
from analyzers.graphs.ssa import SsaView, Version
from analyzers.printing import parse_procedure


def _view(text: str) -> SsaView:
    body = parse_procedure(text)
    return SsaView(body.nodes, cfg.build_unlinked(body))


BRANCHES = """
function f (c)
start: x = =1
    if c -> other, join
other: x = =2 -> join
join: y = x
    return y
"""


def test_version_at_a_join_is_a_phi_of_what_comes_in() -> None:
    view = _view(BRANCHES)
    phi = Version("x", 6, is_phi=True)
    assert view.before("x", 6) == phi
    assert view.operands(phi) == (Version("x", 3), Version("x", 5))
    assert view.after("x", 5) == Version("x", 5)


def test_way_back_from_a_version_to_the_nodes_that_see_it() -> None:
    view = _view(BRANCHES)
    assert view.reach(Version("x", 3)) == (4, 5)
    assert view.reach(Version("x", 6, is_phi=True)) == (6, 7, 1)


def test_loop_without_assignment_needs_no_phi() -> None:
    view = _view("""
function f (c)
    x = =1
head: if c -> inner, done
inner: if c -> head, inner
done: return x
""")
    assert view.before("x", 6) == Version("x", 3)


def test_call_that_throws_assigns_nothing() -> None:
    view = _view("""
function f ()
    x = =1
    x = function g() -> after !> handler
after: return x
handler: e = catch *
    return x
""")
    assert view.before("x", 5) == Version("x", 4)
    assert view.before("x", 6) == Version("x", 3)


def test_unreachable_node_has_no_version() -> None:
    assert _view("function f ()\n    return =0\n    x = =1\n").before("x", 4) is None
