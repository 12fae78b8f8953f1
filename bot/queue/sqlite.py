"""The embedded queue: one SQLite file, any number of processes on one machine.

Each method is one immediate transaction, so a process killed at any point leaves the queue as before or as after.
"""

from __future__ import annotations

import contextlib
import pathlib
import sqlite3
import time
from collections.abc import Callable, Iterator

from bot.queue.jobs import KEEP_DELIVERIES, Job

_SCHEMA = """
CREATE TABLE IF NOT EXISTS job (
    key TEXT PRIMARY KEY, kind TEXT NOT NULL, payload BLOB NOT NULL, generation INTEGER NOT NULL,
    installation INTEGER NOT NULL, priority INTEGER NOT NULL, ready REAL NOT NULL, enqueued REAL NOT NULL,
    state TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, worker TEXT, claimed INTEGER, lease REAL, error TEXT
);
CREATE INDEX IF NOT EXISTS job_ready ON job (state, priority, ready);
CREATE TABLE IF NOT EXISTS delivery (
    id TEXT PRIMARY KEY, key TEXT NOT NULL, generation INTEGER NOT NULL, seen REAL NOT NULL, finished INTEGER NOT NULL
);
"""

_LOCK = "substr({0}.key, 1, instr({0}.key || '!', '!') - 1)"


class SqliteQueue:
    """Implements `jobs.Queue`. One connection per call: safe from threads and after fork."""

    def __init__(
        self,
        path: pathlib.Path,
        clock: Callable[[], float] = time.time,
        lease: float = 60.0,
        per_installation: int = 2,
        most_attempts: int = 5,
    ) -> None:
        self._path = path
        self._clock = clock
        self._lease = lease
        self._per_installation = per_installation
        self._most_attempts = most_attempts
        path.parent.mkdir(parents=True, exist_ok=True)
        with self._transaction() as database:
            for statement in _SCHEMA.split(";"):
                if statement.strip():
                    database.execute(statement)

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        database = sqlite3.connect(self._path, timeout=30, isolation_level=None)
        database.row_factory = sqlite3.Row
        try:
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = NORMAL")
            database.execute("BEGIN IMMEDIATE")
            try:
                yield database
            except BaseException:
                database.execute("ROLLBACK")
                raise
            database.execute("COMMIT")
        finally:
            database.close()

    def enqueue(self, key: str, kind: str, payload: bytes, delivery: str, installation: int, priority: int) -> bool:
        """See `jobs.Queue`."""
        now = self._clock()
        with self._transaction() as database:
            if delivery:
                seen = database.execute("SELECT finished FROM delivery WHERE id = ?", (delivery,)).fetchone()
                if seen is not None and seen["finished"]:
                    return False
            known = database.execute("SELECT generation, state FROM job WHERE key = ?", (key,)).fetchone()
            generation = known["generation"] + 1 if known else 1
            if known and known["state"] == "running":
                database.execute(
                    "UPDATE job SET kind = ?, payload = ?, generation = ?, installation = ?, priority = ?, ready = ?"
                    " WHERE key = ?", (kind, payload, generation, installation, priority, now, key))
            else:
                database.execute(
                    "INSERT OR REPLACE INTO job (key, kind, payload, generation, installation, priority, ready, enqueued,"
                    " state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'waiting')",
                    (key, kind, payload, generation, installation, priority, now, now))
            if delivery:
                database.execute("INSERT OR REPLACE INTO delivery VALUES (?, ?, ?, ?, 0)", (delivery, key, generation, now))
            database.execute("DELETE FROM delivery WHERE finished AND seen < ?", (now - KEEP_DELIVERIES,))
        return True

    def claim(self, worker: str) -> Job | None:
        """See `jobs.Queue`."""
        now = self._clock()
        with self._transaction() as database:
            database.execute(
                "UPDATE job SET state = CASE WHEN attempts >= ? THEN 'failed' ELSE 'waiting' END, worker = NULL,"
                " error = 'the worker stopped answering' WHERE state = 'running' AND lease < ?", (self._most_attempts, now))
            row = database.execute(
                "SELECT * FROM job WHERE state = 'waiting' AND ready <= ? AND (installation = 0 OR"
                " (SELECT COUNT(*) FROM job other WHERE other.state = 'running' AND other.installation = job.installation) < ?)"
                " AND NOT EXISTS (SELECT 1 FROM job other WHERE other.state = 'running' AND"
                f" {_LOCK.format('other')} = {_LOCK.format('job')})"
                " ORDER BY priority, ready, key LIMIT 1", (now, self._per_installation)).fetchone()
            if row is None:
                return None
            database.execute(
                "UPDATE job SET state = 'running', worker = ?, claimed = generation, lease = ?, attempts = attempts + 1"
                " WHERE key = ?", (worker, now + self._lease, row["key"]))
            return Job(row["key"], row["kind"], row["payload"], row["generation"], row["installation"], row["attempts"] + 1)

    def heartbeat(self, job: Job, worker: str) -> bool:
        """See `jobs.Queue`."""
        with self._transaction() as database:
            changed = database.execute(
                "UPDATE job SET lease = ? WHERE key = ? AND state = 'running' AND worker = ? AND claimed = ?",
                (self._clock() + self._lease, job.key, worker, job.generation)).rowcount
            row = database.execute("SELECT generation FROM job WHERE key = ?", (job.key,)).fetchone()
        return changed == 1 and row["generation"] == job.generation

    def holds(self, job: Job, worker: str) -> bool:
        """See `jobs.Queue`."""
        with self._transaction() as database:
            row = database.execute(
                "SELECT 1 FROM job WHERE key = ? AND state = 'running' AND worker = ? AND claimed = ?",
                (job.key, worker, job.generation)).fetchone()
        return row is not None

    def finish(self, job: Job, worker: str) -> bool:
        """See `jobs.Queue`."""
        with self._transaction() as database:
            row = database.execute(
                "SELECT generation FROM job WHERE key = ? AND state = 'running' AND worker = ? AND claimed = ?",
                (job.key, worker, job.generation)).fetchone()
            if row is None:
                return False
            if row["generation"] == job.generation:
                database.execute("DELETE FROM job WHERE key = ?", (job.key,))
            else:
                database.execute("UPDATE job SET state = 'waiting', worker = NULL, attempts = 0 WHERE key = ?", (job.key,))
            database.execute("UPDATE delivery SET finished = 1 WHERE key = ? AND generation <= ?", (job.key, job.generation))
        return True

    def retry(self, job: Job, worker: str, delay: float, error: str) -> None:
        """See `jobs.Queue`."""
        with self._transaction() as database:
            database.execute(
                "UPDATE job SET state = CASE WHEN attempts >= ? AND generation = ? THEN 'failed' ELSE 'waiting' END,"
                " ready = ?, worker = NULL, error = ? WHERE key = ? AND state = 'running' AND worker = ? AND claimed = ?",
                (self._most_attempts, job.generation, self._clock() + delay, error, job.key, worker, job.generation))

    def postpone(self, job: Job, worker: str, delay: float, reason: str) -> None:
        """See `jobs.Queue`."""
        with self._transaction() as database:
            database.execute(
                "UPDATE job SET state = 'waiting', ready = ?, worker = NULL, error = ?, attempts = attempts - 1"
                " WHERE key = ? AND state = 'running' AND worker = ? AND claimed = ?",
                (self._clock() + delay, reason, job.key, worker, job.generation))

    def has_before(self, priority: int) -> bool:
        """See `jobs.Queue`."""
        with self._transaction() as database:
            found = database.execute(
                "SELECT 1 FROM job WHERE priority < ? AND (state = 'running' OR (state = 'waiting' AND ready <= ?)) LIMIT 1",
                (priority, self._clock())).fetchone()
        return found is not None

    def depth(self) -> dict[str, int]:
        """See `jobs.Queue`."""
        with self._transaction() as database:
            rows = database.execute("SELECT state, COUNT(*) AS number FROM job GROUP BY state").fetchall()
        counted = {row["state"]: row["number"] for row in rows}
        return {state: counted.get(state, 0) for state in ("waiting", "running", "failed")}
