from __future__ import annotations

from analyzers.graphs import cfg, liveness
from analyzers.printing import parse_procedure

LOOP = """
function f (n)
    p = =0
head: if n -> body, done
body: p = op + p, n -> head
done: return p
"""


def test_variable_lives_from_assignment_to_last_read_round_the_loop() -> None:
    body = parse_procedure(LOOP)
    live = liveness.solve(body.nodes, cfg.build_unlinked(body), ("n", "p"))
    assert not live.is_live_before("p", 3)
    assert live.is_live_after("p", 3) and live.is_live_before("p", 4) and live.is_live_after("p", 5)
    assert not live.is_live_before("n", 6) and not live.is_live_after("p", 6)


def test_unknown_variable_is_never_live() -> None:
    body = parse_procedure(LOOP)
    assert not liveness.solve(body.nodes, cfg.build_unlinked(body), ("n",)).is_live_before("p", 6)


THROWING = """
function f (a)
    v = =0
open: v = function open(a) -> done !> failed
done: return v
failed: e = catch *
    function close(v)
    throw e
"""


def test_what_throws_has_assigned_nothing() -> None:
    body = parse_procedure(THROWING)
    live = liveness.solve(body.nodes, cfg.build_unlinked(body), ("v",))
    at = next(number for number, node in enumerate(body.nodes) if getattr(node, "name", "") == "open")
    assert body.raises[at] and live.is_live_before("v", at)
