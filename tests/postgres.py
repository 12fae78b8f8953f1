"""A PostgreSQL of the test run's own: started once per process, one fresh database per test."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

from tests.conftest import require_tool


@contextlib.contextmanager
def server() -> Iterator[str]:
    """The socket folder of a running server. It refuses to run as root, so root lends it to another user."""
    initdb, postgres_bin = require_tool("initdb"), require_tool("postgres")
    user = _user()
    folder = Path(tempfile.mkdtemp(prefix="leakmend-pg-", dir="/tmp"))
    if user is not None:
        shutil.chown(folder, user)
    place, run = folder / "cluster", {"user": user} if user else {}
    subprocess.run(
        [initdb, "-D", place, "-U", "postgres", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C"],
        check=True, capture_output=True, cwd=folder, **run,
    )  # fmt: skip
    process = subprocess.Popen(
        [postgres_bin, "-D", place, "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=80"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder, **run,
    )  # fmt: skip
    try:
        _wait_for(folder)
        yield str(folder)
    finally:
        process.send_signal(signal.SIGINT)  # fast: does not wait for who is still connected
        process.wait(timeout=20)
        shutil.rmtree(folder, ignore_errors=True)


def fresh(folder: str) -> str:
    """The URL of a new, empty database."""
    import psycopg

    name = f"t{uuid.uuid4().hex}"
    with psycopg.connect(f"postgresql://postgres@/postgres?host={folder}", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    return f"postgresql://postgres@/{name}?host={folder}"


def _wait_for(folder: Path) -> None:
    import time

    import psycopg

    for _ in range(200):
        try:
            psycopg.connect(f"postgresql://postgres@/postgres?host={folder}").close()
            return
        except psycopg.OperationalError:
            time.sleep(0.05)
    raise AssertionError("PostgreSQL does not start")


def _user() -> str | None:
    if os.getuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"
