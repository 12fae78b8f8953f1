"""The queue to scale out with: Procrastinate on PostgreSQL, any number of processes on any number of machines.

Procrastinate runs the jobs in order, holds the locks (one job per pull request at once, one waiting per key) and notices
workers that died; beside it one row per key keeps the newest payload and its generation. Implements `jobs.Queue`.
"""

from __future__ import annotations

import asyncio
import datetime
import threading
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from procrastinate import App, PsycopgConnector
from procrastinate.exceptions import AlreadyEnqueued, ConnectorException, UniqueViolation
from procrastinate.jobs import Job as Entry
from procrastinate.jobs import Status

from bot.database import PostgresDatabase, Row, Transaction
from bot.queue.jobs import KEEP_DELIVERIES, Job

T = TypeVar("T")

_TASK = "leakmend"
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS work (key TEXT PRIMARY KEY, kind TEXT NOT NULL, payload BYTEA NOT NULL,"
    " generation BIGINT NOT NULL, installation BIGINT NOT NULL, priority INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,"
    " claimed BIGINT NOT NULL DEFAULT 0, worker TEXT NOT NULL DEFAULT '', entry BIGINT NOT NULL DEFAULT 0,"
    " failed INTEGER NOT NULL DEFAULT 0, error TEXT NOT NULL DEFAULT '')",
    "CREATE TABLE IF NOT EXISTS delivery (id TEXT PRIMARY KEY, key TEXT NOT NULL, generation BIGINT NOT NULL,"
    " seen DOUBLE PRECISION NOT NULL, finished INTEGER NOT NULL)",
    "CREATE INDEX IF NOT EXISTS delivery_key ON delivery (key)",
)


class ProcrastinateQueue:
    """See the module. Its clock is the database's."""

    def __init__(
        self,
        database: PostgresDatabase,
        lease: float = 60.0,
        per_installation: int = 2,
        most_attempts: int = 5,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._database, self._clock = database, clock
        self._lease, self._per_installation, self._most_attempts = lease, per_installation, most_attempts
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="procrastinate", daemon=True)
        self._thread.start()
        self._app = App(connector=PsycopgConnector(conninfo=database.url, min_size=1, max_size=4))
        self._wait(self._app.open_async())
        self._entries = self._app.job_manager
        self._workers: dict[str, int] = {}
        with database.transaction("schema") as transaction:
            for statement in _SCHEMA:
                transaction.rows(statement)
            ((known,),) = transaction.rows("SELECT to_regclass('procrastinate_jobs')::text")
            if known is None:
                self._wait(self._app.schema_manager.apply_schema_async())

    def close(self) -> None:
        """Give the connections back."""
        self._wait(self._app.close_async())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _wait(self, work: Awaitable[T]) -> T:
        async def awaited() -> T:
            return await work

        return asyncio.run_coroutine_threadsafe(awaited(), self._loop).result()

    # --- jobs.Queue

    def enqueue(self, key: str, kind: str, payload: bytes, delivery: str, installation: int, priority: int) -> bool:
        """See `jobs.Queue`."""
        with self._database.transaction("queue") as database:
            if delivery:
                seen = database.rows("SELECT finished FROM delivery WHERE id = ?", (delivery,))
                if seen and seen[0][0]:
                    return False
            ((generation,),) = database.rows(
                "INSERT INTO work (key, kind, payload, generation, installation, priority) VALUES (?, ?, ?, 1, ?, ?)"
                " ON CONFLICT (key) DO UPDATE SET kind = excluded.kind, payload = excluded.payload,"
                " generation = work.generation + 1, installation = excluded.installation, priority = excluded.priority,"
                " failed = 0, attempts = CASE WHEN work.worker = '' THEN 0 ELSE work.attempts END RETURNING generation",
                (key, kind, payload, installation, priority),
            )
            if delivery:
                database.rows(
                    "INSERT INTO delivery VALUES (?, ?, ?, ?, 0) ON CONFLICT (id) DO UPDATE SET key = excluded.key,"
                    " generation = excluded.generation, seen = excluded.seen",
                    (delivery, key, generation, self._clock()),
                )
            database.rows("DELETE FROM delivery WHERE finished = 1 AND seen < ?", (self._clock() - KEEP_DELIVERIES,))
            self._defer(key, installation, priority)
        return True

    def _defer(self, key: str, installation: int, priority: int) -> None:
        entry = Entry(
            queue=f"installation-{installation}", priority=-priority, lock=key.partition("!")[0], queueing_lock=key,
            task_name=_TASK, task_kwargs={"key": key},
        )  # fmt: skip
        try:
            self._wait(self._entries.defer_job_async(entry))
        except AlreadyEnqueued:
            return  # it waits already, and will read the newest payload

    def claim(self, worker: str) -> Job | None:
        """See `jobs.Queue`."""
        with self._database.transaction("queue") as database:
            self._renew(worker)
            self._take_back(database)
            while (entry := self._wait(self._entries.fetch_job(self._open_queues(database), self._workers[worker]))) is not None:
                job = self._claimed(database, entry, worker)
                if job is not None:
                    return job
        return None

    def _open_queues(self, database: Transaction) -> list[str]:
        """Queues of the installations that have fewer jobs running than they may."""
        rows = database.rows(
            "SELECT queue_name FROM procrastinate_jobs WHERE status IN ('todo', 'doing') GROUP BY queue_name"
            " HAVING queue_name = 'installation-0' OR COUNT(*) FILTER (WHERE status = 'doing') < ? ORDER BY queue_name",
            (self._per_installation,),
        )
        return [str(row[0]) for row in rows]

    def _claimed(self, database: Transaction, entry: Entry, worker: str) -> Job | None:
        key = str(entry.task_kwargs["key"])
        rows = database.rows(
            "UPDATE work SET worker = ?, entry = ?, claimed = generation, attempts = attempts + 1 WHERE key = ? AND failed = 0"
            " RETURNING kind, payload, generation, installation, attempts",
            (worker, entry.id, key),
        )
        if not rows:
            self._end(entry.id)
            return None
        kind, payload, generation, installation, attempts = rows[0]
        assert isinstance(payload, bytes)
        return Job(key, str(kind), payload, _whole(generation), _whole(installation), _whole(attempts))

    def _take_back(self, database: Transaction) -> None:
        """Jobs of workers that stopped answering wait again, unless that happened too often."""
        for entry in self._wait(self._entries.get_stalled_jobs(task_name=_TASK, seconds_since_heartbeat=self._lease)):
            key = str(entry.task_kwargs["key"])
            tired = database.rows(
                "UPDATE work SET worker = '', error = 'the worker stopped answering',"
                " failed = CASE WHEN attempts >= ? AND generation = claimed THEN 1 ELSE 0 END"
                " WHERE key = ? AND entry = ? RETURNING failed",
                (self._most_attempts, key, entry.id),
            )
            if tired and tired[0][0]:
                self._end(entry.id)
            else:
                self._again(entry.id, 0.0)

    def heartbeat(self, job: Job, worker: str) -> bool:
        """See `jobs.Queue`."""
        self._renew(worker)
        with self._database.transaction("queue") as database:
            row = self._own(database, job, worker)
        return row is not None and row[0] == job.generation

    def holds(self, job: Job, worker: str) -> bool:
        """See `jobs.Queue`."""
        with self._database.transaction("queue") as database:
            return self._own(database, job, worker) is not None

    def finish(self, job: Job, worker: str) -> bool:
        """See `jobs.Queue`."""
        with self._database.transaction("queue") as database:
            row = self._own(database, job, worker)
            if row is None:
                return False
            generation, entry, installation, priority = (_whole(value) for value in row)
            self._end(entry)
            if generation == job.generation:
                database.rows("DELETE FROM work WHERE key = ?", (job.key,))
            else:
                database.rows("UPDATE work SET worker = '', attempts = 0 WHERE key = ?", (job.key,))
                self._defer(job.key, installation, priority)
            database.rows(
                "UPDATE delivery SET finished = 1 WHERE key = ? AND generation <= ?", (job.key, job.generation)
            )
        return True

    def retry(self, job: Job, worker: str, delay: float, error: str) -> None:
        """See `jobs.Queue`."""
        with self._database.transaction("queue") as database:
            row = self._own(database, job, worker)
            if row is None:
                return
            is_over = job.attempts >= self._most_attempts and row[0] == job.generation
            database.rows(
                "UPDATE work SET worker = '', error = ?, failed = ? WHERE key = ?", (error, int(is_over), job.key)
            )
            if is_over:
                self._end(_whole(row[1]))
            else:
                self._again(_whole(row[1]), delay)

    def postpone(self, job: Job, worker: str, delay: float, reason: str) -> None:
        """See `jobs.Queue`."""
        with self._database.transaction("queue") as database:
            row = self._own(database, job, worker)
            if row is None:
                return
            database.rows(
                "UPDATE work SET worker = '', error = ?, attempts = attempts - 1 WHERE key = ?", (reason, job.key)
            )
            self._again(_whole(row[1]), delay)

    def has_before(self, priority: int) -> bool:
        """See `jobs.Queue`."""
        with self._database.transaction("queue") as database:
            rows = database.rows(
                "SELECT 1 FROM procrastinate_jobs WHERE priority > ? AND (status = 'doing' OR (status = 'todo'"
                " AND (scheduled_at IS NULL OR scheduled_at <= now()))) LIMIT 1",
                (-priority,),
            )
        return bool(rows)

    def depth(self) -> dict[str, int]:
        """See `jobs.Queue`."""
        with self._database.transaction("queue") as database:
            rows = database.rows(
                "SELECT CASE WHEN failed = 1 THEN 'failed' WHEN worker = '' THEN 'waiting' ELSE 'running' END AS state,"
                " COUNT(*) FROM work GROUP BY state"
            )
        counted = {str(row[0]): _whole(row[1]) for row in rows}
        return {state: counted.get(state, 0) for state in ("waiting", "running", "failed")}

    # --- entries of Procrastinate

    def _own(self, database: Transaction, job: Job, worker: str) -> Row | None:
        """Generation, entry, installation and priority of a job that this worker holds still."""
        rows = database.rows(
            "SELECT generation, entry, installation, priority FROM work WHERE key = ? AND worker = ? AND claimed = ?",
            (job.key, worker, job.generation),
        )
        return rows[0] if rows else None

    def _renew(self, worker: str) -> None:
        if worker not in self._workers:
            self._wait(self._entries.prune_stalled_workers(self._lease * 10))
            self._workers[worker] = self._wait(self._entries.register_worker())
        self._wait(self._entries.update_heartbeat(self._workers[worker]))

    def _end(self, entry: int | None) -> None:
        try:
            self._wait(self._entries.finish_job_by_id_async(entry or 0, Status.SUCCEEDED, delete_job=True))
        except ConnectorException:
            return  # it is gone already

    def _again(self, entry: int | None, delay: float) -> None:
        at = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=delay)
        try:
            self._wait(self._entries.retry_job_by_id_async(entry or 0, at))
        except UniqueViolation:
            self._end(entry)  # a newer one waits
        except ConnectorException:
            return


def _whole(value: object) -> int:
    return value if isinstance(value, int) else 0
