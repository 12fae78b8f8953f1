"""Claims of tests that a call makes nothing: `CHECK_NULL(parse("{"))`, `ok(parse("{") == NULL, "no name")`.

A test that names its claim so is there to see that nothing is made; where something is, the test fails, and nobody cares for
that, nor for what it has when it says that it has failed. Nor does one make anything that claims that a block is another one. Misses what such a call makes on purpose, and what is lost by tests that fail.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from analyzers import ir
from analyzers.domains.obligation import RETAINED, Fact
from analyzers.graphs.operands import operands
from analyzers.handles.flows import Flow, Flows
from analyzers.handles.scene import Scene
from analyzers.handles.unknown import words_of

_CLAIMING = frozenset(("assert", "check", "expect", "require", "verify"))
_DENYING = frozenset(("not", "non", "no", "notnull"))
_FAILING = frozenset(("fail", "failed", "failure", "fails"))
_SAME = frozenset(("eq", "equal", "equals", "same"))
_TOLD = frozenset(("CHECK", "EXPECT", "REQUIRE", "VERIFY", "ok", "fail_unless"))
"""Claims of libraries for tests whose names say nothing else."""

_ASKING = _CLAIMING | {"cond", "condition", "ok", "true"}
"""Words that stand beside `test` in the name of a claim: `test_cond(made == NULL)`."""

_OF_POINTERS = frozenset(("pointer", "pointers", "ptr"))
_POINTER = "void_ptr"
"""What a claim is told that what it compares are pointers: `ASSERT_ARE_EQUAL(void_ptr, block, given)`."""

_SAME_AS_NULL = re.compile(r"^\w+\s*\([^;]*,\s*==\s*,\s*(?:\(void \*\)\s*)?(?:NULL|0)\s*[,)]")
"""A macro that is passed what is compared, and how: `tt_ptr_op(made, ==, NULL)`."""

_NOTHING = frozenset(("=null", "=0", "=-1"))


def is_claimed(scene: Scene, call: ir.Call, *, is_block: bool) -> bool:
    """Whether a test claims that a call of C makes nothing, or that a block is one that it does not make."""
    return (is_block and is_of_double(scene, call)) or is_denied(scene, call) or is_first_denied(scene, call)


def is_denied(scene: Scene, call: ir.Call) -> bool:
    """Whether the result of a call of C is wanted for nothing but the claim that it is null."""
    if scene.is_java or not ir.is_temporary(call.dst):
        return False
    readers = scene.readers.of(call.dst)
    return bool(readers) and all(_is_claim(_asking(scene, call, node)) for node in readers)


def is_first_denied(scene: Scene, call: ir.Call) -> bool:
    """Whether the first that a test does with the result of a call of C is to compare it with null, and to claim that they are the same."""
    if scene.is_java or not call.dst:
        return False
    following = itertools.dropwhile(lambda node: node is not call, scene.nodes)
    match next((node for node in itertools.islice(following, 1, None) if call.dst in operands(node)), None):
        case ir.Op(operator="==", operands=(_, _) as compared, dst=answer) if not _NOTHING.isdisjoint(compared):
            return _is_only_claimed(scene, answer)
        case ir.Branch(operator="==", left=left, right=right) as branch if left == call.dst and right in _NOTHING:
            at = next(n for n, node in enumerate(scene.nodes) if node is branch)
            match scene.nodes[scene.linked.next[at][1]]:
                case ir.Copy(dst=answer, src="=0") if "%" in answer:
                    return _is_only_claimed(scene, answer)
            return False
        case ir.Call(args=(_, _) as compared, name=name) if not _NOTHING.isdisjoint(compared):
            return _claims_same(frozenset(words_of(name.lower() if name.isupper() else name)))
        case ir.Copy() as copy if copy.dst in scene.variables:
            return _SAME_AS_NULL.search(scene.queries.text(scene.linked.key, copy.start, copy.end)) is not None
        case _:
            return False


def is_of_double(scene: Scene, call: ir.Call) -> bool:
    """Whether the first that a test does with a block is to claim that it is the one at an address that the test has thought of, or that was there
    before: then a double of the allocator has given it. What is compared may be a text as well, where nothing says that it is a pointer."""
    if scene.is_java or not call.dst:
        return False
    following = itertools.dropwhile(lambda node: node is not call, scene.nodes)
    first = next((node for node in itertools.islice(following, 1, None) if call.dst in operands(node)), None)
    if not isinstance(first, ir.Call) or call.dst not in first.args:
        return False
    words = frozenset(words_of(first.name.lower() if first.name.isupper() else first.name))
    kinds = {each for each in first.args if any(isinstance(node := scene.nodes[at], ir.Load) and node.field == _POINTER for at in scene.definitions.get(each, ()))}
    others = [each for each in first.args if each != call.dst and each not in kinds]
    if not _claims_same(words) or len(others) != 1 or not (kinds or not words.isdisjoint(_OF_POINTERS)):
        return False
    return others[0][1:].isdecimal() if ir.is_literal(others[0]) else others[0] not in {each.dst for each in scene.copies.get(call.dst, ())}


def _claims_same(words: frozenset[str]) -> bool:
    """Whether the name of a claim says that two things are the same: `ck_assert_ptr_eq`, `FAIL_IF_NOT_EQUAL`, `fail_unless_equal`."""
    if _SAME.isdisjoint(words):
        return False
    if "fail" in words:
        return ("if" in words and "not" in words) or ("unless" in words and _DENYING.isdisjoint(words))
    return not _CLAIMING.isdisjoint(words) and _DENYING.isdisjoint(words)


def _is_only_claimed(scene: Scene, answer: str) -> bool:
    """Whether the answer to a comparison goes nowhere but into the claim of a test that it holds."""
    askers = scene.readers.of(answer)
    return bool(askers) and all(isinstance(each, ir.Call) and each.args[:1] == (answer,) and _is_test(each.name) for each in askers)


def _is_test(name: str) -> bool:
    words = frozenset(words_of(name.lower() if name.isupper() else name))
    return name in _TOLD or ("test" in words and not _ASKING.isdisjoint(words) and _DENYING.isdisjoint(words))


def _denied(scene: Scene, call: ir.Call) -> tuple[str, ...]:
    """What the claim of a test says is null: nobody cares for the test, nor for what it has, if that is not so."""
    if scene.is_java or call.kind != "function" or not call.args or not _is_test(call.name):
        return ()
    claimed = [scene.nodes[at] for at in scene.definitions.get(call.args[0], ())]
    return tuple(
        each for node in claimed if isinstance(node, ir.Op) and node.operator == "==" and not _NOTHING.isdisjoint(node.operands)
        for each in node.operands if not ir.is_literal(each)
    )


def given_up(flows: Flows, node: int, call: ir.Call, flow: Flow | None) -> Flow | None:
    """The flow function of a call that says of a test that it has failed, or would if what a handle lies in were not null: what is lost
    from there on is nobody's loss."""
    is_failure = _is_failure(flows.scene, node, call)
    denied = [(each,) for each in _denied(flows.scene, call)]
    if not is_failure and not denied:
        return flow
    successors = flows.scene.cfg.successors[node]
    flows.notice(node, [(name,) for name in sorted(flows.scene.holders)] if is_failure else denied)

    def failed(fact: Fact) -> Sequence[tuple[int, Fact]]:
        paths, environment, marks = fact
        if paths and (is_failure or any(paths & flows.table.starting_with(each) for each in denied)):
            fact = (0, environment, marks | RETAINED)
        return flow(fact) if flow is not None else [(successor, fact) for successor in successors]

    return failed


def _is_failure(scene: Scene, node: int, call: ir.Call) -> bool:
    if scene.is_java or call.kind != "function":
        return False
    if _tells_of_failure(call.name):
        return True
    target = scene.linked.targets.get(node)
    if target is None or len(target.procedures) != 1 or frozenset(words_of(call.name)).isdisjoint(_FAILING):
        return False
    body = scene.queries.procedure(target.procedures[0])
    return body is not None and any(isinstance(each, ir.Call) and _tells_of_failure(each.name) for each in body.nodes)


def _tells_of_failure(name: str) -> bool:
    words = frozenset(words_of(name))
    return "test" in words and not _FAILING.isdisjoint(words)


def _asking(scene: Scene, call: ir.Call, node: ir.Instruction) -> str:
    """What a value is passed to: the macro of a call, or of a test that has been written out around the call."""
    if isinstance(node, ir.Call):
        return node.name if len(node.args) == 1 else ""
    is_around = isinstance(node, ir.Branch) and node.start < call.start and call.end < node.end
    return scene.queries.text(scene.linked.key, node.start, call.start).partition("(")[0].strip() if is_around else ""


def _is_claim(name: str) -> bool:
    words = words_of(name.lower()) if name.isupper() else ()
    return words[-1:] == ("null",) and not _CLAIMING.isdisjoint(words) and _DENYING.isdisjoint(words)
