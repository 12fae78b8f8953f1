"""What all tests share: tools that may be missing, and goldens."""

from __future__ import annotations

import os
import pathlib
import shutil
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

# How long it takes to draw an example says more about what runs beside the tests than about them.
settings.register_profile("leakmend", suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("leakmend")

PACKAGES = {"gcc": "gcc", "javac": "openjdk-17-jdk-headless", "java": "openjdk-17-jdk-headless",
            "chromium": "chromium", "git": "git", "initdb": "postgresql"}


def find_tool(name: str) -> str | None:
    """Where a tool is; PostgreSQL's live in a folder of their own in Debian."""
    found = shutil.which(name)
    if found is None and name in ("initdb", "pg_ctl", "postgres"):
        places = sorted(pathlib.Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
        found = str(places[-1]) if places else None
    return found


def require_tool(name: str) -> str:
    """The path of a tool. Without it the test fails under CI and is skipped on a desk."""
    found = find_tool(name)
    if found is None:
        message = f"{name} is missing: apt install {PACKAGES.get(name, name)}"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    return found


def check_golden(path: pathlib.Path, text: str) -> None:
    """Compare with the expected text in a file; LEAKMEND_GOLDEN=write (make golden) writes it anew."""
    if os.environ.get("LEAKMEND_GOLDEN") == "write":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
        return
    assert path.exists(), f"no golden {path}: run make golden and read it"
    assert text == path.read_bytes().decode("utf-8"), f"differs from {path}: run make golden and read the difference"


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The socket folder of a PostgreSQL that this process started."""
    from tests.postgres import server

    with server() as folder:
        yield folder


@pytest.fixture
def postgres_url(postgres_server: str) -> str:
    """The URL of an empty database."""
    from tests.postgres import fresh

    return fresh(postgres_server)
