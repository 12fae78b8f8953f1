"""The one database behind queue, limits and statistics: SQLite in a file, or PostgreSQL by its URL.

SQL is written once, with `?` for parameters and types that both know. A transaction is exclusive among the
processes that use the same `name`: what is read in it is still so when it is written.
"""

from __future__ import annotations

import contextlib
import pathlib
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, cast

from bot.errors import CannotRun

if TYPE_CHECKING:
    import psycopg

_PATIENCE = 30.0
"""Seconds that the database has to answer first."""

Value = str | int | float | bytes | None
Row = tuple[Value, ...]


class Transaction(Protocol):
    """Statements that happen all or not at all."""

    def rows(self, statement: str, values: Sequence[Value] = ()) -> list[Row]:
        """Run a statement and return what it selects; empty where it selects nothing."""


class Database(Protocol):
    """Where transactions come from."""

    def transaction(self, name: str) -> contextlib.AbstractContextManager[Transaction]:
        """Begin; commit at the end of the context, or undo where it raises."""


class _SqliteTransaction:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rows(self, statement: str, values: Sequence[Value] = ()) -> list[Row]:
        return cast("list[Row]", self._connection.execute(statement, values).fetchall())


class SqliteDatabase:
    """One file. A connection per transaction: safe from threads and after fork."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)

    @contextlib.contextmanager
    def transaction(self, name: str) -> Iterator[Transaction]:
        """See `Database`. SQLite has one writer, whatever the name."""
        connection = sqlite3.connect(self.path, timeout=30, isolation_level=None)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield _SqliteTransaction(connection)
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")
        finally:
            connection.close()


class _PostgresTransaction:
    def __init__(self, connection: psycopg.Connection[Row]) -> None:
        self._connection = connection

    def rows(self, statement: str, values: Sequence[Value] = ()) -> list[Row]:
        cursor = self._connection.execute(statement.replace("?", "%s").encode(), values)
        return cursor.fetchall() if cursor.description is not None else []


class PostgresDatabase:
    """One PostgreSQL database, its connections kept in a pool."""

    def __init__(self, url: str) -> None:
        try:
            from psycopg_pool import ConnectionPool
        except ImportError:
            raise CannotRun("PostgreSQL needs the extra packages: `pip install 'leakmend[scale]'`") from None
        self.url = url
        self._pool: ConnectionPool[psycopg.Connection[Row]] = ConnectionPool(url, min_size=1, max_size=8, open=True)
        try:
            self._pool.wait(_PATIENCE)
        except Exception:  # whatever it was: the reason stands in the log, without the URL
            self._pool.close()
            raise CannotRun("the PostgreSQL of LEAKMEND_DATABASE_URL does not answer: see the warnings above") from None

    def close(self) -> None:
        """Give the connections back."""
        self._pool.close()

    @contextlib.contextmanager
    def transaction(self, name: str) -> Iterator[Transaction]:
        """See `Database`."""
        with self._pool.connection() as connection:
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (zlib.crc32(name.encode()),))
            yield _PostgresTransaction(connection)


def connect(url: str) -> Database:
    """The database that a URL names: `postgresql://…`, `sqlite:///path`, or a path."""
    if url.startswith(("postgresql://", "postgres://")):
        return PostgresDatabase(url)
    return SqliteDatabase(pathlib.Path(url.removeprefix("sqlite://")))
