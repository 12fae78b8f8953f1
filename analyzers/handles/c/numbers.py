"""Handles of C that are numbers: a table whose element is stored at the number of a handle knows the handle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzers import ir
from analyzers.domains.obligation import RETAINED, Fact

if TYPE_CHECKING:
    from analyzers.handles.flows import After, Flow, Flows


def indexed(flows: Flows, index: str, store: Flow | None) -> Flow | None:
    """The flow function of a store to an element, where the index may be a handle."""
    if flows.scene.is_java or store is None or ir.is_literal(index) or index not in flows.scene.holders:
        return store

    def flow(fact: Fact) -> After:
        is_known = bool(fact[0] & flows.table.exact((index,))) and not flows.is_entry
        return list(store((0, fact[1], fact[2] | RETAINED) if is_known else fact))

    return flow
