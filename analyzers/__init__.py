"""Source text in, Findings out: the door.

Pure: no files, git, network or clock; trees, stores, executors and deadlines are handed in.
"""

from __future__ import annotations

from analyzers.driver import Analysis, analyze, prepare
from analyzers.engine import Specs
from analyzers.finding import Finding, Note
from analyzers.incremental.evaluation import Detector
from analyzers.incremental.program import Options, Program
from analyzers.means import Means, Workers
from analyzers.retelling import retold
from analyzers.source import Span
from analyzers.summaries import SummaryStore
from analyzers.tree import MemoryTree, Overlay, Tree

__all__ = [
    "Analysis", "Detector", "Finding", "Means", "MemoryTree", "Note", "Options", "Overlay", "Program", "Span", "Tree",
    "Workers", "analyze", "load", "prepare", "retold",
]


def load(
    tree: Tree, specs: Specs | None = None, store: SummaryStore | None = None, options: Options | None = None
) -> Program:
    """A Program over a tree: nothing is read before somebody asks."""
    return Program(tree, specs, store, options)
