"""Results between runs, in one SQLite file: a `SummaryStore` that forgets rather than fails.

Several processes may use the file at once (write-ahead log, busy timeout). A folder that cannot be written, a file that is
damaged or of another version costs the cache, never the run; each is a Note. Values that nobody used for
longest go first when the file outgrows its limit.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from analyzers.finding import Note, NoteKind
from analyzers.source import Span

SCHEMA = 1
"""Number of the layout below; a file of another number is begun anew."""

MAX_BYTES = 1024 * 1024 * 1024
"""Size of the file past which values are forgotten."""

BUSY_SECONDS = 10.0
"""How long to wait for another process."""

_FLUSH_BYTES = 8 * 1024 * 1024
_SECONDS_A_DAY = 86400
_LAYOUT = """
CREATE TABLE IF NOT EXISTS held (
    section TEXT NOT NULL, key BLOB NOT NULL, day INTEGER NOT NULL, value BLOB NOT NULL,
    PRIMARY KEY (section, key)
)
"""

_Work = Callable[[sqlite3.Connection], None]


class SqliteStore:
    """See the module. Closed at the end of a run, when what is new is written and old values are let go."""

    def __init__(self, path: Path, max_bytes: int = MAX_BYTES) -> None:
        self.path = path
        self.notes: list[Note] = []
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._process = os.getpid()
        self._day = int(time.time()) // _SECONDS_A_DAY
        self._new: dict[tuple[str, bytes], bytes] = {}
        self._new_bytes = 0
        self._used: set[tuple[str, bytes]] = set()
        self._is_writable = True
        self._connection = self._open()

    def get(self, section: str, key: bytes) -> bytes | None:
        """See `SummaryStore`."""
        with self._lock:
            packed = self._new.get((section, key))
            if packed is None:
                packed = self._select(section, key)
        if packed is None:
            return None
        try:
            return zlib.decompress(packed)
        except zlib.error:
            return None

    def put(self, section: str, key: bytes, value: bytes) -> None:
        """See `SummaryStore`. Written with others, at the latest when the store is closed."""
        packed = zlib.compress(value, 1)
        with self._lock:
            self._new[section, key] = packed
            self._new_bytes += len(packed)
            if self._new_bytes > _FLUSH_BYTES:
                self._flush()

    def close(self) -> None:
        """Write what is new, let go of what is too much."""
        with self._lock:
            self._flush()
            if self._connection is None or os.getpid() != self._process:
                return
            if self._is_writable:
                self._guarded(self._shrink)
            self._connection.close()
            self._connection = None

    def __enter__(self) -> SqliteStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- the file

    def _open(self) -> sqlite3.Connection | None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            self._note(f"{self.path.parent}: {error.strerror}; nothing is kept")
            return None
        for _ in range(2):
            try:
                return self._connect()
            except sqlite3.OperationalError as error:
                return self._open_to_read(error)
            except sqlite3.DatabaseError as error:
                if not self._begin_anew(error):
                    return None
        return None

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, cached_statements=16
        )
        try:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version not in (0, SCHEMA):
                raise sqlite3.DatabaseError(f"layout {version}, not {SCHEMA}")
            if version == 0:
                connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
                connection.execute(_LAYOUT)
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute(f"PRAGMA user_version = {SCHEMA}")
            connection.execute("SELECT day FROM held LIMIT 1").fetchone()
            connection.execute("PRAGMA synchronous = NORMAL")
        except BaseException:
            connection.close()
            raise
        return connection

    def _open_to_read(self, cause: sqlite3.OperationalError) -> sqlite3.Connection | None:
        self._is_writable = False
        try:
            connection = sqlite3.connect(f"{self.path.absolute().as_uri()}?mode=ro&immutable=1", uri=True,
                                         check_same_thread=False)
            connection.execute("SELECT day FROM held LIMIT 1").fetchone()
        except sqlite3.Error:
            self._note(f"{self.path}: {cause}; nothing is kept")
            return None
        self._note(f"{self.path}: {cause}; read only")
        return connection

    def _begin_anew(self, cause: sqlite3.Error) -> bool:
        try:
            for suffix in ("", "-wal", "-shm"):
                Path(f"{self.path}{suffix}").unlink(missing_ok=True)
        except OSError as error:
            self._note(f"{self.path}: {cause}, and {error.strerror}; nothing is kept")
            return False
        self._note(f"{self.path}: {cause}; begun anew")
        return True

    def _note(self, text: str) -> None:
        self.notes.append(Note(NoteKind.CACHE, Span("", 0, 0), f"cache {text}"))

    # --- inside

    def _select(self, section: str, key: bytes) -> bytes | None:
        if os.getpid() != self._process:
            self._reopen()
        if self._connection is None:
            return None
        with self._safely():
            row = self._connection.execute(
                "SELECT value, day FROM held WHERE section = ? AND key = ?", (section, key)
            ).fetchone()
            if row is not None:
                if row[1] != self._day:
                    self._used.add((section, key))
                return bytes(row[0])
        return None

    def _reopen(self) -> None:
        """A forked process needs a connection of its own; it only reads."""
        self._process = os.getpid()
        self._is_writable = False
        uri = f"{self.path.absolute().as_uri()}?mode=ro"
        try:
            self._connection = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS)
        except sqlite3.Error:
            self._connection = None

    def _flush(self) -> None:
        if os.getpid() != self._process:
            return
        if self._is_writable and (self._new or self._used):
            self._guarded(self._write)
        self._new.clear()
        self._used.clear()
        self._new_bytes = 0

    def _write(self, connection: sqlite3.Connection) -> None:
        rows = [(section, key, self._day, value) for (section, key), value in self._new.items()]
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany("INSERT OR REPLACE INTO held (section, key, day, value) VALUES (?, ?, ?, ?)", rows)
        connection.executemany(
            "UPDATE held SET day = ? WHERE section = ? AND key = ?",
            [(self._day, section, key) for section, key in sorted(self._used)],
        )
        connection.execute("COMMIT")

    def _shrink(self, connection: sqlite3.Connection) -> None:
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        (free,) = connection.execute("PRAGMA freelist_count").fetchone()
        excess = (pages - free) * size - self._max_bytes
        if excess <= 0:
            return
        connection.execute("BEGIN IMMEDIATE")
        gone: list[tuple[int]] = []
        for row, length in connection.execute("SELECT rowid, length(value) FROM held ORDER BY day, rowid"):
            gone.append((row,))
            excess -= length
            if excess <= -self._max_bytes // 4:
                break
        connection.executemany("DELETE FROM held WHERE rowid = ?", gone)
        connection.execute("COMMIT")
        connection.executescript("PRAGMA incremental_vacuum")

    def _guarded(self, work: _Work) -> None:
        connection = self._connection
        if connection is None:
            return
        with self._safely():
            try:
                work(connection)
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def _safely(self) -> Iterator[None]:
        """A file that is busy for too long is left alone; a damaged one is begun anew."""
        try:
            yield
        except sqlite3.OperationalError as error:
            self._note(f"{self.path}: {error}; what is new is not kept")
            self._is_writable = False
        except sqlite3.DatabaseError as error:
            if self._connection is not None:
                self._connection.close()
            self._connection = None
            if self._is_writable and self._begin_anew(error):
                with contextlib.suppress(sqlite3.Error):
                    self._connection = self._connect()
