from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import require_tool
from tests.fakes.github import FakeGitHub
from tests.fakes.github.clock import Clock

from .station import Station


@pytest.fixture
def github(tmp_path: Path) -> Iterator[FakeGitHub]:
    require_tool("git")
    with FakeGitHub(tmp_path / "hub", Clock(time.time())) as fake:
        yield fake
        assert not fake.violations


@pytest.fixture
def station(github: FakeGitHub, tmp_path: Path) -> Station:
    return Station(github, tmp_path)
