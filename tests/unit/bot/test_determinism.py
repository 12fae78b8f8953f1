"""The same input gives the same bytes: whatever the hash seed, the number of processes, and the cache."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.bot import code

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample") / "repository"
    subprocess.run([sys.executable, str(ROOT / "docs/demo/make_sample.py"), str(folder)], check=True, capture_output=True)
    for number in range(20):
        text = code.C.replace("first_byte", f"byte_{number}")
        (folder / f"c/more{number}.c").write_text(text)
    return folder


def run(folder: Path, cache: Path, seed: str, *words: str) -> bytes:
    environment = {**os.environ, "PYTHONHASHSEED": seed, "XDG_CACHE_HOME": str(cache)}
    done = subprocess.run(
        [sys.executable, "-m", "bot.cli", *words], cwd=ROOT, env=environment, capture_output=True, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


@pytest.mark.parametrize("form", ["json", "sarif", "html", "markdown", "text"])
def test_the_same_bytes(sample: Path, tmp_path: Path, form: str) -> None:
    asked = ("review", "--repo", str(sample), "--base", "main", "--format", form)
    outputs = [
        run(sample, tmp_path / "a", "0", *asked, "--jobs", "1"),
        run(sample, tmp_path / "a", "1", *asked, "--jobs", "4"),
        run(sample, tmp_path / "b", "2", *asked, "--jobs", "4"),
        run(sample, tmp_path / "c", "3", *asked, "--no-cache"),
    ]
    assert len(set(outputs)) == 1
    assert len(outputs[0]) > 1000
