"""Obligations and the facts about them: who names the object, and what is still to be called on it.

Algorithm 1 of the paper. Its pair of aliases and expression is here a triple: what remains to be called is kept with
the aliases instead of in a type of each, so that a call on one path tells nothing about another.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from analyzers.summaries import AccessPath

Kind = Literal["result", "created", "parameter", "field", "ensured", "alias"]

STORED: AccessPath = ("@stored",)
"""Among the names of what a constructor stored in an owning field: settled once the constructor returns."""


class Obligation(msgspec.Struct, frozen=True):
    """Something that has to happen to an object.

    kind    "result": of a call; "created": by a call for a variable that had none; "parameter": an owning formal; "field": what a field held before it is overwritten;
            "ensured": what a postcondition promises; "alias": a formal that has to become part of the result
    node    where it begins
    place   the variable or field that it is about
    full    all methods that have to be called
    type    the type of the object
    first   where it is followed from, if not from what comes after `node`
    """

    kind: Kind
    node: int
    place: AccessPath
    full: frozenset[str]
    type: str = ""
    first: int = -1


Fact: TypeAlias = tuple[int, frozenset[AccessPath], frozenset[str]]
"""(number of the obligation, its names, what remains to be called)"""


class Loss(msgspec.Struct, frozen=True):
    """An obligation that nobody can meet any more: where, how, and what was still to be called."""

    obligation: Obligation
    node: int
    exit: Literal["return", "throw", "scope", "overwrite"]
    remaining: frozenset[str]

