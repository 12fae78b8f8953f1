"""Analyses a commit of a repository into the cache, as the App and the Action do with the default branch.

    python -m benchmarks.learn REPOSITORY REVISION [--jobs N]
"""

from __future__ import annotations

import argparse
import os
import pathlib

from bot import pipeline
from bot.cache import cache_folder
from bot.changes import ChangeSet
from bot.config import from_tree
from bot.repository import Repository
from bot.store import SqliteStore
from bot.trees import GitTree


def learn(repository: Repository, revision: str, jobs: int) -> int:
    """How many procedures and files were left undone."""
    commit = repository.commit(revision)
    tree, notes = repository.tree(commit)
    whole = ChangeSet(
        after=tree, notes=notes, head=commit, settings=tree, home=repository.root,
        repository=repository.root.resolve().name, earlier=lambda entries: GitTree(repository, entries),
    )  # fmt: skip
    with SqliteStore(cache_folder() / "results.sqlite") as store:
        return pipeline.learn(whole, from_tree(tree), pipeline.Asked(jobs=jobs, store=store))


def main() -> None:
    """Read the arguments, analyse."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=pathlib.Path)
    parser.add_argument("revision")
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    left = learn(Repository(arguments.repository), arguments.revision, arguments.jobs)
    os._exit(1 if left else 0)  # to take apart what was computed takes as long as to compute it


if __name__ == "__main__":
    main()
