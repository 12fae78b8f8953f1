"""`expectNew(FileWriter.class, name).andReturn(writer);`: a test that plays what a class makes, and fails of every call that it was not told of.

Goes by the words of the files that name both classes: it may doubt a patch that is right. Misses tests of other libraries; most take a `close`
that nobody spoke of.
"""

from __future__ import annotations

from analyzers import Program
from fixers.leak import Leak

_PLAYING = "expectNew"
"""How tests say what a constructor gives, and what may be asked of it."""


def is_played(leak: Leak, program: Program) -> bool:
    """Whether such a test names the class that makes a resource, and what it makes."""
    files = set(program.mentioning(_PLAYING))
    for name in (leak.linked.body.owner, leak.finding.resource.partition("<")[0]):
        simple = name.replace("$", ".").rpartition(".")[2]
        files &= set(program.mentioning(simple)) if files and simple else set()
    return bool(files)
