"""`leakmend serve` and `leakmend worker`: puts the parts together and lets them run."""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType

import msgspec
import uvicorn
from starlette.applications import Starlette

from bot.books import DatabaseBooks
from bot.database import Database, PostgresDatabase, connect
from bot.dispatch import Wanted
from bot.github import limits
from bot.github.app import App
from bot.github.auth import AppKey, Redaction
from bot.github.limits import Limits
from bot.queue.jobs import Queue
from bot.queue.sqlite import SqliteQueue
from bot.server.keeping import Keeping
from bot.server.loop import Worker
from bot.server.missed import keep_asking
from bot.server.settings import Settings
from bot.server.tasks import Tasks
from bot.server.web import Receiver, application

_LOG = logging.getLogger(__name__)


class Parts(msgspec.Struct, frozen=True):
    """What one process is made of."""

    settings: Settings
    database: Database
    queue: Queue
    app: App
    books: DatabaseBooks
    tasks: Tasks


def close(parts: Parts) -> None:
    """Give the connections of PostgreSQL back."""
    for each in (parts.queue, parts.database):
        end = getattr(each, "close", None)
        if end is not None:
            end()


def assemble(
    settings: Settings, clock: Callable[[], float] = time.time, sleep: Callable[[float], None] = time.sleep
) -> Parts:
    """Open the database, make what is missing in it, and hand out the parts."""
    settings.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    database = connect(settings.database_url)
    limits.create_tables(database)
    key = AppKey(settings.app_id, settings.private_key)
    app = App(settings.endpoint, key, database, Limits(gap=settings.write_gap), clock, sleep)
    books = DatabaseBooks(database)
    queue = _queue(settings, database)

    def wish(job: Wanted) -> None:
        if settings.learns:
            queue.enqueue(job.key, job.kind, job.payload, "", job.installation, job.priority)

    tasks = Tasks(app, Keeping(books, settings.folder), settings.jobs, wish)
    return Parts(settings, database, queue, app, books, tasks)


def _queue(settings: Settings, database: Database) -> Queue:
    if isinstance(database, PostgresDatabase):
        from bot.queue.postgres import ProcrastinateQueue

        return ProcrastinateQueue(database, per_installation=settings.per_installation)
    from bot.database import SqliteDatabase

    assert isinstance(database, SqliteDatabase)
    return SqliteQueue(database.path, per_installation=settings.per_installation)


class Crew:
    """Workers in threads, and who asks for missed deliveries."""

    def __init__(self, parts: Parts, number: int) -> None:
        self._parts, self._number = parts, number
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Begin to work."""
        self._parts.settings.folder.mkdir(parents=True, exist_ok=True)
        for number in range(self._number):
            name = f"{socket.gethostname()}-{os.getpid()}-{number}"
            worker = Worker(self._parts.queue, self._parts.tasks, self._parts.books, name)
            self._begin(worker.run, (self._stop,), name)

    def ask_for_missed(self) -> None:
        """Begin to ask for missed deliveries."""
        self._begin(keep_asking, (self._parts.app, self._stop), "missed")

    def stop(self) -> None:
        """Finish what is begun, for a while; what takes longer runs again elsewhere when its lease ends."""
        self._stop.set()
        deadline = time.monotonic() + 20
        for thread in self._threads:
            thread.join(max(deadline - time.monotonic(), 0))

    def wait(self) -> None:
        """Until told to stop."""
        while not self._stop.wait(1.0):
            pass

    def _begin(self, target: object, arguments: tuple[object, ...], name: str) -> None:
        assert callable(target)
        thread = threading.Thread(target=target, args=arguments, name=name, daemon=True)
        thread.start()
        self._threads.append(thread)


def web(parts: Parts) -> Starlette:
    """The ASGI application of `leakmend serve`, its workers within."""
    crew = Crew(parts, parts.settings.workers)

    def start() -> None:
        crew.start()
        crew.ask_for_missed()

    receiver = Receiver(
        secret=parts.settings.webhook_secret.encode(),
        queue=parts.queue,
        books=parts.books,
        database=parts.database,
        status_token=parts.settings.status_token,
        learns=parts.settings.learns,
        started=time.time(),
    )
    def stop() -> None:
        crew.stop()
        close(parts)

    return application(receiver, start, stop)


def serve(settings: Settings) -> int:
    """`leakmend serve`."""
    log()
    parts = assemble(settings)
    uvicorn.run(
        web(parts), host=settings.host, port=settings.port, log_config=None, access_log=False, server_header=False,
        timeout_graceful_shutdown=30,
    )  # fmt: skip
    return 0


def work(settings: Settings) -> int:
    """`leakmend worker`."""
    log()
    parts = assemble(settings)
    crew = Crew(parts, max(settings.workers, 1))
    crew.start()

    def leave(number: int, frame: FrameType | None) -> None:
        threading.Thread(target=crew.stop, daemon=True).start()

    signal.signal(signal.SIGTERM, leave)
    signal.signal(signal.SIGINT, leave)
    crew.wait()
    crew.stop()
    close(parts)
    return 0


def log() -> None:
    """To standard error, without secrets."""
    shown = logging.StreamHandler(sys.stderr)
    shown.addFilter(Redaction())
    logging.basicConfig(
        level=logging.INFO, handlers=[shown], format="%(asctime)s %(levelname)s %(name)s: %(message)s", force=True
    )
    for noisy in ("github", "urllib3", "httpx", "procrastinate"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
