"""What the annotations of a method promise, checked against its body and the methods that it overrides.

Sections 3.1 (overriding), 3.2 (postconditions), 4.3 (`@MustCallAlias` is verified, not trusted) and 5 (who may create
obligations). Reports too much when a field is released by a method that its class does not declare.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from analyzers import ir
from analyzers.detectors.resource_leak_checker import vocabulary
from analyzers.detectors.resource_leak_checker.consistency import Outcome, actual
from analyzers.detectors.resource_leak_checker.contracts import Contract, Contracts
from analyzers.detectors.resource_leak_checker.declarations import Declarations, Method
from analyzers.detectors.resource_leak_checker.obligations import Loss, Obligation
from analyzers.detectors.resource_leak_checker.scene import Scene
from analyzers.summaries import AccessPath


class Problem(msgspec.Struct, frozen=True):
    """A promise that is not kept: the key, the node that breaks it (-1: the declaration), and the sentence."""

    detail: str
    node: int
    message: str
    variable: str = ""


DECLARATION = -1


def promised(scene: Scene) -> Iterator[Obligation]:
    """The obligations that stand for what the annotations of a method promise about its formals and fields."""
    own = scene.own
    for path, methods in own.ensured:
        place = _local(path, scene)
        if place is not None and methods:
            yield Obligation("ensured", ir.ENTRY, place, frozenset(methods))
    if not own.aliases:
        return
    for root in own.aliases:
        if root[:1] == "$":
            place = _local((root,), scene)
            if place is not None:
                yield Obligation("alias", ir.ENTRY, place, frozenset(("@alias",)))


def broken(losses: list[Loss], scene: Scene) -> Iterator[Problem]:
    """The promises that some path does not keep."""
    told: set[tuple[str, AccessPath]] = set()
    for loss in losses:
        place = loss.obligation.place
        shown = ".".join(ir.source_name(each) for each in place)
        if loss.obligation.kind == "alias" and ("alias", place) not in told:
            told.add(("alias", place))
            text = f"`{shown}` is annotated @MustCallAlias, but does not become part of the result on every path."
            yield Problem("mustcallalias.out.of.scope", DECLARATION, text, shown)
        elif loss.obligation.kind == "ensured":
            is_raised = loss.exit == "throw"
            if is_raised and not _is_destructor(scene, place):
                continue
            detail = "contracts.exceptional.postcondition" if is_raised else "contracts.postcondition"
            if (detail, place) not in told:
                told.add((detail, place))
                methods = " and ".join(f"`{name}()`" for name in sorted(loss.remaining))
                when = "when it throws" if is_raised else "when it returns"
                yield Problem(detail, DECLARATION, f"{methods} may not have been called on `{shown}` {when}, as promised.")


def _is_destructor(scene: Scene, place: AccessPath) -> bool:
    """Whether it is this method's business to release an owning field."""
    if scene.method is None or len(place) != 2 or place[0] != "this":
        return False
    field = scene.declarations.field(scene.body.owner, place[1])
    return field is not None and field.is_owning and scene.method.name in scene.declarations.must_call(scene.body.owner)


def _local(path: AccessPath, scene: Scene) -> AccessPath | None:
    if path[0] == "this":
        return path
    position = path[0][1:].rstrip("+")
    if not position.isdecimal() or int(position) >= len(scene.body.parameters) or path[0].endswith("+"):
        return None
    return (scene.body.parameters[int(position)], *path[1:])


# --- new obligations


def creations(scene: Scene, outcome: Outcome) -> Iterator[Problem]:
    """Obligations that are created where the annotations of the method do not say so."""
    own = {path for each in scene.own.created if (path := _local(each, scene)) is not None}
    if not scene.is_constructor:
        yield from _assignments(scene, own, outcome)
    for node in scene.cfg.order:
        call = scene.nodes[node]
        if not isinstance(call, ir.Call) or (call.kind == "new" and call.name == "<init>"):
            continue
        for created in scene.contract(node).created:
            path = actual(call, created)
            if path is not None and not _is_owned(path, node, scene, own, outcome):
                text = f"`{call.name}()` creates an obligation for `{_shown(path)}`, which nobody here owns."
                yield Problem("reset.not.owning", node, text)


def unprepared(outcome: Outcome) -> Iterator[Problem]:
    """Calls before which something had to be called on what they are passed (`@RequiresCalledMethods`)."""
    for node, path, method in sorted(outcome.unmet):
        yield Problem("contracts.precondition", node, f"`{method}()` may not have been called on `{_shown(path)}` before, as required.")


def untracked(scene: Scene, outcome: Outcome) -> Iterator[Obligation]:
    """Obligations that calls create for local variables that had none before."""
    local = {each.name for each in scene.body.variables if each.kind == "local"}
    for node in scene.cfg.order:
        call = scene.nodes[node]
        if isinstance(call, ir.Call):
            for created in scene.contract(node).created:
                path = actual(call, created)
                if path is not None and len(path) == 1 and path[0] in local and (node, path) not in outcome.targets:
                    type_name = scene.type_of(path[0])
                    full = frozenset(scene.declarations.must_call(type_name))
                    if full:
                        yield Obligation("created", node, path, full, type_name)


def _is_owned(path: AccessPath, node: int, scene: Scene, own: set[AccessPath], outcome: Outcome) -> bool:
    if path in own or (node, path) in outcome.targets or len(path) > 1:
        return True
    variable = next((each for each in scene.body.variables if each.name == path[0]), None)
    if variable is None or variable.kind not in ("parameter", "receiver"):
        return True
    if variable.kind == "receiver":
        return scene.is_constructor or scene.method is None
    return vocabulary.find(vocabulary.read(variable.attributes), vocabulary.OWNING) is not None


def _assignments(scene: Scene, own: set[AccessPath], outcome: Outcome) -> Iterator[Problem]:
    if scene.method is None:
        return
    for node in scene.cfg.order:
        store = scene.nodes[node]
        if not isinstance(store, ir.Store) or not scene.is_overwriting(node) or ir.is_literal(store.src):
            continue
        if (store.base,) in own or not _is_seen_by_caller(store.base, scene):
            continue
        name = ir.source_name(store.base) or "the class"
        if own:
            text = f"It assigns an owning field of `{name}`, but creates obligations for something else."
            yield Problem("incompatible.creates.mustcall.for", DECLARATION, text)
        else:
            text = f"It assigns an owning field of `{name}` and does not say @CreatesMustCallFor."
            yield Problem("missing.creates.mustcall.for", DECLARATION, text)
        return


def _is_seen_by_caller(base: str, scene: Scene) -> bool:
    return base in ("", "this") or base in scene.body.parameters


# --- declarations


def declared(method: Method, declarations: Declarations) -> Iterator[Problem]:
    """What is wrong with the annotations of a method by themselves, or against what it overrides."""
    contracts = Contracts(declarations)
    own = contracts.of_method(method)
    yield from _alias_pair(method)
    for path in own.created:
        if len(path) == 1 and not _has_obligations(path, method, declarations):
            text = "It creates an obligation for something on which nothing must ever be called."
            yield Problem("creates.mustcall.for.invalid.target", DECLARATION, text)
    if method.name != "<init>" and "static" not in method.attributes:
        yield from _overriding(method, own, declarations, contracts)


def _alias_pair(method: Method) -> Iterator[Problem]:
    result = vocabulary.find(method.annotations, vocabulary.ALIAS) is not None
    formal = any(vocabulary.find(each, vocabulary.ALIAS) is not None for each in method.formals)
    if result and not formal and method.name != "<init>" and "static" not in method.attributes:
        return  # a fluent method: the receiver may be the other half
    if result != formal:
        there, missing = ("result", "parameter") if result else ("parameter", "result")
        text = f"The {there} is annotated @MustCallAlias, and no {missing} is."
        yield Problem("mustcallalias.method.return.and.param", DECLARATION, text)


def _has_obligations(path: AccessPath, method: Method, declarations: Declarations) -> bool:
    if path[0] == "this":
        return bool(declarations.must_call(method.owner))
    position = int(path[0][1:].rstrip("+"))
    if position >= len(method.parameters):
        return True
    written = method.parameters[position]
    resolved = declarations.queries.resolve_type(method.path, method.owner, written)
    return not resolved or bool(declarations.must_call_of(resolved, method.formals[position]))


def _overriding(
    method: Method, own: Contract, declarations: Declarations, contracts: Contracts
) -> Iterator[Problem]:
    for above in declarations.queries.supertypes(method.owner):
        for other in declarations.methods(above):
            if other.name == method.name and len(other.parameters) == len(method.parameters):
                yield from _against(method, own, other, contracts.of_method(other))
                return
        if any(each.owner == above for each in declarations.queries.methods(above, method.name)):
            if own.created:
                yield _more_created(above)
            return


def _against(method: Method, own: Contract, other: Method, theirs: Contract) -> Iterator[Problem]:
    if set(theirs.owned) - set(own.owned):
        text = f"The method that it overrides in {other.owner} takes ownership of a parameter, this one does not."
        yield Problem("owning.override.param", DECLARATION, text)
    if own.is_owning and not theirs.is_owning and method.name == other.name:
        text = f"The method that it overrides in {other.owner} keeps what it returns, this one gives it away."
        yield Problem("owning.override.return", DECLARATION, text)
    if set(own.created) - set(theirs.created):
        yield _more_created(other.owner)


def _more_created(owner: str) -> Problem:
    text = f"It creates an obligation that the method it overrides in {owner} does not create."
    return Problem("creates.mustcall.for.override.invalid", DECLARATION, text)


def _shown(path: AccessPath) -> str:
    return ".".join(ir.source_name(each) for each in path)
