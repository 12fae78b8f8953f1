"""The store keeps values between runs, and costs nobody the run when it cannot."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
from pathlib import Path

import pytest

from bot.store import SCHEMA, SqliteStore


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "results.sqlite"


def test_values_outlive_the_run(file: Path) -> None:
    with SqliteStore(file) as store:
        store.put("unit", b"k", b"value" * 1000)
        assert store.get("unit", b"k") == b"value" * 1000
    with SqliteStore(file) as store:
        assert store.get("unit", b"k") == b"value" * 1000
        assert store.get("results", b"k") is None
        store.put("unit", b"k", b"newer")
    with SqliteStore(file) as store:
        assert store.get("unit", b"k") == b"newer"
        assert store.notes == []


def test_a_folder_that_cannot_be_made_is_a_note(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    with SqliteStore(tmp_path / "taken" / "results.sqlite") as store:
        store.put("unit", b"k", b"v")
        assert [note.kind for note in store.notes] == ["cache"]
    assert store.get("unit", b"k") is None


def test_a_folder_that_cannot_be_written_is_read(file: Path) -> None:
    with SqliteStore(file) as store:
        store.put("unit", b"k", b"v")
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    file.chmod(0o400)
    file.parent.chmod(0o500)
    with SqliteStore(file) as store:
        assert store.get("unit", b"k") == b"v"
        store.put("unit", b"other", b"w")
    assert [note.kind for note in store.notes] == ["cache"]
    file.parent.chmod(0o700)


@pytest.mark.parametrize("damage", [b"not a database at all" * 100, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_file_is_begun_anew(file: Path, damage: bytes) -> None:
    file.parent.mkdir(parents=True)
    file.write_bytes(damage)
    with SqliteStore(file) as store:
        assert store.get("unit", b"k") is None
        store.put("unit", b"k", b"v")
        assert [note.kind for note in store.notes] == ["cache"]
    with SqliteStore(file) as store:
        assert store.get("unit", b"k") == b"v"
        assert store.notes == []


def test_a_file_damaged_inside_is_begun_anew(file: Path) -> None:
    with SqliteStore(file) as store:
        for number in range(200):
            store.put("unit", b"%d" % number, os.urandom(4000))
    data = bytearray(file.read_bytes())
    for at in range(4096, len(data) - 4096, 4096):
        data[at : at + 64] = b"\xee" * 64
    file.write_bytes(data)
    with SqliteStore(file) as store:
        for number in range(200):
            store.get("unit", b"%d" % number)
        store.put("unit", b"k", b"v")
    assert [note.kind for note in store.notes] == ["cache"]
    with SqliteStore(file) as store:
        assert store.get("unit", b"k") == b"v"


def test_another_version_is_begun_anew(file: Path) -> None:
    with SqliteStore(file) as store:
        store.put("unit", b"k", b"v")
    with sqlite3.connect(file) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA + 1}")
    connection.close()
    with SqliteStore(file) as store:
        assert store.get("unit", b"k") is None


def test_a_value_that_is_no_value_is_forgotten(file: Path) -> None:
    with SqliteStore(file) as store:
        store.put("unit", b"k", b"v")
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE held SET value = ?", (b"garbage",))
    connection.close()
    with SqliteStore(file) as store:
        assert store.get("unit", b"k") is None


def _write(file: Path, name: int) -> None:
    with SqliteStore(file) as store:
        for number in range(50):
            store.put("unit", b"%d-%d" % (name, number), os.urandom(50_000))
        assert store.notes == []


def test_two_processes_at_once(file: Path) -> None:
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=_write, args=(file, name)) for name in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    with SqliteStore(file) as store:
        assert all(store.get("unit", b"%d-%d" % (name, n)) for name in range(3) for n in range(50))


def test_a_forked_process_reads_with_a_connection_of_its_own(file: Path) -> None:
    with SqliteStore(file) as store:
        store.put("unit", b"k", b"v")
    with SqliteStore(file) as store:
        assert store.get("unit", b"k") == b"v"
        child = os.fork()
        if child == 0:
            found = store.get("unit", b"k")
            store.put("unit", b"from the child", b"w")
            store.close()
            os._exit(0 if found == b"v" else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert store.get("unit", b"k") == b"v"
        assert store.get("unit", b"from the child") is None


def test_the_file_is_kept_below_its_limit(file: Path) -> None:
    for _ in range(3):
        with SqliteStore(file, max_bytes=500_000) as store:
            for _ in range(20):
                store.put("unit", os.urandom(8), os.urandom(40_000))
    with SqliteStore(file, max_bytes=500_000) as store:
        store.put("unit", b"last", b"v")
    assert file.stat().st_size < 600_000
    with SqliteStore(file) as store:
        assert store.get("unit", b"last") == b"v"
