"""The command line, run inside the test."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.cli import status_of


class Ran:
    """What one command line printed, and its exit status."""

    def __init__(self, status: int, output: str, errors: str) -> None:
        self.status, self.output, self.errors = status, output, errors

    @property
    def report(self) -> dict[str, Any]:
        parsed: dict[str, Any] = json.loads(self.output)
        return parsed


class Shell:
    """Runs `leakmend` with a cache folder of its own."""

    def __init__(self, capture: pytest.CaptureFixture[bytes], cache: Path) -> None:
        self._capture = capture
        self.cache = cache

    def __call__(self, *words: object) -> Ran:
        self._capture.readouterr()
        status = status_of([str(word) for word in words])
        output, errors = self._capture.readouterr()
        assert b"Traceback" not in errors, errors.decode()
        return Ran(status, output.decode(), errors.decode())


@pytest.fixture
def leakmend(
    capsysbinary: pytest.CaptureFixture[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Shell]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield Shell(capsysbinary, tmp_path / "cache")
    root.handlers[:], root.level = handlers, level
