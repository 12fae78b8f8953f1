"""What is kept of each repository on this machine, and when it goes: clone, cached results, findings."""

from __future__ import annotations

from pathlib import Path

from bot.books import DatabaseBooks
from bot.github.workspace import Workspace

KEEP_DAYS = 30.0
"""How long what is known of a repository is kept after it left an installation."""


class Keeping:
    """The books, the clones and the caches of one state folder."""

    def __init__(self, books: DatabaseBooks, folder: Path) -> None:
        self.books, self.workspace = books, Workspace(folder / "clones")
        self._caches = folder / "cache"

    def cache_of(self, repository: int) -> Path:
        """Where the results of a repository are."""
        return self._caches / f"{repository}.sqlite"

    def forget(self, repository: int) -> bool:
        """Delete all that is kept of a repository. False where there was no clone."""
        is_cloned = self.workspace.forget(repository)
        self.cache_of(repository).unlink(missing_ok=True)
        self.books.forget(repository)
        return is_cloned

    def sweep(self) -> None:
        """Delete what was kept long enough."""
        for id in self.books.expired(KEEP_DAYS):
            self.forget(id)
        for id in self.workspace.collect():
            self.cache_of(id).unlink(missing_ok=True)
