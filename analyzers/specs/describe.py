"""What `leakmend specs` lists: a row per resource, exempt type and call, with what it does in words.

Calls whose names a convention makes (`%_new`) have no row of their own: they stand with their resource.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from analyzers.specs.library import SpecLibrary
from analyzers.summaries import AccessPath, Condition, Effects, Outcome, Transfer

_SHOWN = 6
"""Calls of a resource that its row names."""


class Row(msgspec.Struct, frozen=True, order=True):
    """One model. `origin` is the file that it came from (`java/io.toml`, or the repository's own)."""

    language: str
    kind: Literal["resource", "call", "exempt"]
    name: str
    effect: str
    origin: str


def describe(library: SpecLibrary) -> tuple[Row, ...]:
    """All models in force, sorted."""
    return tuple(sorted({*_resource_rows(library), *_exempt_rows(library), *_call_rows(library)}))


def _resource_rows(library: SpecLibrary) -> Iterator[Row]:
    for resource in library.resources():
        acquired = _listed(resource.acquires)
        released = _listed(release.call for release in resource.releases)
        text = f"{resource.title} (CWE-{resource.cwe}), acquired by {acquired}, released by {released}"
        off = "" if resource.is_enabled else "; off"
        yield Row(resource.language, "resource", resource.name, text + off, resource.origin)


def _listed(names: Iterable[str]) -> str:
    """Names, the first few of them."""
    different = list(dict.fromkeys(names))
    shown = ", ".join(different[:_SHOWN])
    return f"{shown} and {len(different) - _SHOWN} more" if len(different) > _SHOWN else shown or "none"


def _exempt_rows(library: SpecLibrary) -> Iterator[Row]:
    for name, reason, origin in library.exempt_types():
        yield Row("java", "exempt", name, reason, origin)


def _call_rows(library: SpecLibrary) -> Iterator[Row]:
    for binding in library.bindings():
        if binding.owner.is_conventional:
            continue
        pattern = "" if binding.pattern is None else f"({', '.join(binding.pattern)})"
        effect = describe_effects(binding.expand(library))
        yield Row(binding.owner.language, "call", binding.name + pattern, effect, binding.source.path)


def describe_effects(effects: Effects) -> str:
    """Effects in words: «acquires heap-memory in result if result != null»."""
    parts = [_transfer_words(transfer) for transfer in effects.transfers]
    if effects.returns != "normal":
        parts.append("never returns" if effects.returns == "never" else "may not return")
    if effects.invokes:
        parts.append("invokes " + ", ".join(_root_words(root) for root in effects.invokes))
    if effects.aliases:
        parts.append("result is or lies in " + ", ".join(_root_words(root) for root in effects.aliases))
    if effects.is_fresh:
        parts.append("makes a new object")
    if not effects.is_known:
        parts.append("assumed")
    return "; ".join(part for part in parts if part) or "borrows"


def _transfer_words(transfer: Transfer) -> str:
    if not transfer.entry:
        return "; ".join(
            f"acquires {transfer.resource} in {_paths_words(o.paths)}{_when_words(o)}" for o in transfer.outcomes
        )
    kind = f" ({transfer.resource})" if transfer.resource else ""
    return "; ".join(
        f"{_fate_words(outcome)} {_path_words(transfer.entry)}{kind}{_places(outcome)}{_when_words(outcome)}"
        for outcome in transfer.outcomes
        if outcome.fate != "held" or outcome.paths != (transfer.entry,)
    )


def _fate_words(outcome: Outcome) -> str:
    match outcome.fate:
        case "released":
            return "releases"
        case "retained":
            return "retains"
        case "lost":
            return "loses"
        case "held":
            return "moves" if outcome.paths else "removes"


def _places(outcome: Outcome) -> str:
    return f" to {_paths_words(outcome.paths)}" if outcome.paths else ""


def _when_words(outcome: Outcome) -> str:
    conditions = [_condition_words(condition) for condition in outcome.when]
    if outcome.exit == "throw":
        conditions.append("it throws")
    return " if " + " and ".join(conditions) if conditions else ""


def _condition_words(condition: Condition) -> str:
    return f"{_path_words(condition.path)} {condition.operator} {condition.value.removeprefix('=')}"


def _paths_words(paths: tuple[AccessPath, ...]) -> str:
    return ", ".join(_path_words(path) for path in paths)


def _path_words(path: AccessPath) -> str:
    return ".".join((_root_words(path[0]), *path[1:]))


def _root_words(root: str) -> str:
    return "result" if root == "$ret" else root
