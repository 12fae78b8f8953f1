"""What library calls acquire, release, wrap, own: TOML data (java/, c/) and its loader.

A model is looked up by name and becomes Effects, the same form as that of a procedure with a body.
Reports too much when a model lacks a transfer of ownership; misses what no model acquires.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from analyzers.specs.describe import Row, describe, describe_effects
from analyzers.specs.errors import SpecError
from analyzers.specs.library import SpecLibrary, SpecSource, built_in, own
from analyzers.specs.resources import Release, Resource

__all__ = [
    "Release", "Resource", "Row", "SpecError", "SpecLibrary", "describe", "describe_effects", "load",
]


def load(languages: Sequence[str], extra: Sequence[tuple[str, str]] = ()) -> SpecLibrary:
    """The built-in models of some languages and a repository's own files, given as (path, text).

    SpecError where one of those cannot be used.
    """
    sources = [source for language in languages for source in _built_in(language)]
    return SpecLibrary([*sources, *(own(path, text) for path, text in extra)])


def _built_in(language: str) -> list[SpecSource]:
    folder = Path(__file__).parent / language
    return [built_in(f"{language}/{file.name}", file.read_text("utf-8")) for file in sorted(folder.glob("*.toml"))]
