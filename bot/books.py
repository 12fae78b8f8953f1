"""What is remembered beside GitHub: repositories, what was shown and what became of it, counts for operators.

Implements `reviewing.Books`. Losing it costs figures, not correctness.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import msgspec

from bot.database import Database
from bot.publishing.publisher import Published

_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS repository (id BIGINT PRIMARY KEY, full_name TEXT NOT NULL,"
    " installation BIGINT NOT NULL DEFAULT 0, first_seen DOUBLE PRECISION NOT NULL, is_welcomed INTEGER NOT NULL DEFAULT 0,"
    " removed_at DOUBLE PRECISION NOT NULL DEFAULT 0)",
    "CREATE TABLE IF NOT EXISTS finding (repository BIGINT NOT NULL, number BIGINT NOT NULL, fingerprint TEXT NOT NULL,"
    " rule TEXT NOT NULL, state TEXT NOT NULL, dislikes INTEGER NOT NULL DEFAULT 0,"
    " PRIMARY KEY (repository, number, fingerprint))",
    "CREATE TABLE IF NOT EXISTS pull (repository BIGINT NOT NULL, number BIGINT NOT NULL, full_name TEXT NOT NULL,"
    " ending TEXT NOT NULL, at DOUBLE PRECISION NOT NULL, seconds DOUBLE PRECISION NOT NULL, PRIMARY KEY (repository, number))",
    "CREATE TABLE IF NOT EXISTS tally (name TEXT NOT NULL, label TEXT NOT NULL, value DOUBLE PRECISION NOT NULL,"
    " PRIMARY KEY (name, label))",
)


class RuleFigures(msgspec.Struct, frozen=True):
    """How a rule does: findings that stand, were fixed, were ignored, and thumbs down."""

    rule: str
    shown: int
    fixed: int
    ignored: int
    dislikes: int


class PullFigures(msgspec.Struct, frozen=True):
    """The last run on a pull request."""

    full_name: str
    number: int
    ending: str
    at: float
    seconds: float


class DatabaseBooks:
    """See the module."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database, self._clock = database, clock
        with database.transaction("schema") as transaction:
            for statement in _SCHEMA:
                transaction.rows(statement)

    # --- repositories

    def seen(self, repository: int, full_name: str, installation: int) -> None:
        """A repository that something happened in."""
        with self._database.transaction("books") as transaction:
            transaction.rows(
                "INSERT INTO repository (id, full_name, installation, first_seen) VALUES (?, ?, ?, ?)"
                " ON CONFLICT (id) DO UPDATE SET full_name = excluded.full_name, installation = excluded.installation,"
                " removed_at = 0",
                (repository, full_name, installation, self._clock()),
            )

    def is_first(self, repository: int) -> bool:
        """See `Books`."""
        with self._database.transaction("books") as transaction:
            found = transaction.rows("SELECT is_welcomed FROM repository WHERE id = ?", (repository,))
        return not found or not found[0][0]

    def removed(self, installation: int, names: Sequence[str]) -> list[int]:
        """Repositories that left (all of the installation where none is named): their ids. They are kept for a while."""
        with self._database.transaction("books") as transaction:
            listed = transaction.rows("SELECT id, full_name FROM repository WHERE installation = ?", (installation,))
            gone = [int(str(row[0])) for row in listed if not names or row[1] in names]
            for id in gone:
                transaction.rows("UPDATE repository SET removed_at = ? WHERE id = ?", (self._clock(), id))
        return gone

    def expired(self, days: float) -> list[int]:
        """Repositories that left longer ago than that."""
        with self._database.transaction("books") as transaction:
            rows = transaction.rows(
                "SELECT id FROM repository WHERE removed_at > 0 AND removed_at < ? ORDER BY id",
                (self._clock() - days * 86400,),
            )
        return [int(str(row[0])) for row in rows]

    def id_of(self, full_name: str) -> int | None:
        """The id of a repository by its name."""
        with self._database.transaction("books") as transaction:
            rows = transaction.rows("SELECT id FROM repository WHERE full_name = ?", (full_name,))
        return int(str(rows[0][0])) if rows else None

    def forget(self, repository: int) -> None:
        """Delete all that is known of a repository."""
        with self._database.transaction("books") as transaction:
            transaction.rows("DELETE FROM finding WHERE repository = ?", (repository,))
            transaction.rows("DELETE FROM pull WHERE repository = ?", (repository,))
            transaction.rows("DELETE FROM repository WHERE id = ?", (repository,))

    # --- findings

    def record(self, repository: int, full_name: str, number: int, published: Published) -> None:
        """See `Books`."""
        rows = [(name, rule, "shown") for name, rule in published.shown]
        rows += [(name, rule, "ignored") for name, rule in published.ignored]
        with self._database.transaction("books") as transaction:
            for name, rule, state in rows:
                transaction.rows(
                    "INSERT INTO finding (repository, number, fingerprint, rule, state) VALUES (?, ?, ?, ?, ?)"
                    " ON CONFLICT (repository, number, fingerprint) DO UPDATE SET state = excluded.state",
                    (repository, number, name, rule, state),
                )
            for name in published.fixed:
                transaction.rows(
                    "UPDATE finding SET state = 'fixed' WHERE repository = ? AND number = ? AND fingerprint = ?",
                    (repository, number, name),
                )
            for name, dislikes in published.disliked:
                transaction.rows(
                    "UPDATE finding SET dislikes = ? WHERE repository = ? AND number = ? AND fingerprint = ?",
                    (dislikes, repository, number, name),
                )
            transaction.rows("UPDATE repository SET is_welcomed = 1 WHERE id = ?", (repository,))

    def ran(self, repository: int, full_name: str, number: int, ending: str, seconds: float) -> None:
        """A run on a pull request came to its end."""
        with self._database.transaction("books") as transaction:
            transaction.rows(
                "INSERT INTO pull (repository, number, full_name, ending, at, seconds) VALUES (?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (repository, number) DO UPDATE SET ending = excluded.ending, at = excluded.at,"
                " seconds = excluded.seconds, full_name = excluded.full_name",
                (repository, number, full_name, ending, self._clock(), seconds),
            )

    # --- figures

    def count(self, name: str, label: str, by: float = 1.0) -> None:
        """Add to a count that operators read."""
        with self._database.transaction("books") as transaction:
            transaction.rows(
                "INSERT INTO tally (name, label, value) VALUES (?, ?, ?)"
                " ON CONFLICT (name, label) DO UPDATE SET value = tally.value + excluded.value",
                (name, label, by),
            )

    def tallies(self) -> list[tuple[str, str, float]]:
        """All counts: name, label, value."""
        with self._database.transaction("books") as transaction:
            rows = transaction.rows("SELECT name, label, value FROM tally ORDER BY name, label")
        return [(str(row[0]), str(row[1]), float(str(row[2]))) for row in rows]

    def rules(self) -> list[RuleFigures]:
        """Per rule what became of its findings."""
        with self._database.transaction("books") as transaction:
            rows = transaction.rows(
                "SELECT rule, SUM(CASE WHEN state = 'shown' THEN 1 ELSE 0 END), SUM(CASE WHEN state = 'fixed' THEN 1 ELSE 0 END),"
                " SUM(CASE WHEN state = 'ignored' THEN 1 ELSE 0 END), SUM(dislikes) FROM finding GROUP BY rule ORDER BY rule"
            )
        return [RuleFigures(str(row[0]), *(int(str(value or 0)) for value in row[1:5])) for row in rows]

    def pulls(self, most: int) -> list[PullFigures]:
        """The pull requests that were looked at last."""
        with self._database.transaction("books") as transaction:
            rows = transaction.rows(
                "SELECT full_name, number, ending, at, seconds FROM pull ORDER BY at DESC LIMIT ?", (most,)
            )
        return [
            PullFigures(str(row[0]), int(str(row[1])), str(row[2]), float(str(row[3])), float(str(row[4])))
            for row in rows
        ]
