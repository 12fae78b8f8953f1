"""From a report to files on disk: all of a file or nothing of it."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from bot.cache import Remembered, recall, remember
from bot.console import write_atomically
from bot.errors import CannotRun
from bot.patching import apply_to, patch_of
from tests.unit.reporters import reports


def test_safe_ones_and_those_that_are_named() -> None:
    report = reports.review_report()
    assert [each.fingerprint for each in patch_of(report, ()).mended] == [reports.java_finding().fingerprint]
    both = patch_of(report, (reports.c_finding().fingerprint[:6],))
    assert len(both.mended) == 2
    assert [path for path, _, _ in both.files] == ["src/shop/Settings.java", "src/table.c"]
    assert "+        free(t);" in both.diff


def test_what_was_there_before_a_change_is_not_mended_with_it() -> None:
    report = reports.review_report()
    old = msgspec.structs.replace(report.outcomes[0], introduced=False)
    assert patch_of(msgspec.structs.replace(report, outcomes=(old,)), ()).files == ()


def test_of_two_fixes_that_overlap_the_second_is_left() -> None:
    report = reports.review_report()
    first = report.outcomes[0]
    fix = reports.java_fix()
    other_fix = msgspec.structs.replace(fix, edits=(msgspec.structs.replace(fix.edits[0], text="other"),))
    other = msgspec.structs.replace(first, answer=other_fix, fingerprint="f" * 16)
    patch = patch_of(msgspec.structs.replace(report, outcomes=(first, other)), ())
    assert (patch.mended, patch.left) == ((first,), (other,))


def test_a_file_that_changed_since_is_left_alone_and_with_it_all_others(tmp_path: Path) -> None:
    report = reports.review_report()
    patch = patch_of(report, (reports.c_finding().fingerprint,))
    for path, content in reports.SOURCES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)
    (tmp_path / "src/table.c").write_bytes(b"edited\n")
    with pytest.raises(CannotRun, match="not what was analysed"):
        apply_to(tmp_path, patch)
    assert (tmp_path / "src/shop/Settings.java").read_bytes() == reports.SOURCES["src/shop/Settings.java"]
    (tmp_path / "src/table.c").unlink()
    with pytest.raises(CannotRun, match="cannot read"):
        apply_to(tmp_path, patch)


def test_a_write_that_fails_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "a.c"
    target.write_bytes(b"before")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space"):
        write_atomically(target, b"after")
    assert target.read_bytes() == b"before"
    assert os.listdir(tmp_path) == ["a.c"]


def test_a_link_is_followed_and_modes_are_kept(tmp_path: Path) -> None:
    real = tmp_path / "real.c"
    real.write_bytes(b"before")
    real.chmod(0o640)
    (tmp_path / "link.c").symlink_to("real.c")
    write_atomically(tmp_path / "link.c", b"after")
    assert (tmp_path / "link.c").is_symlink()
    assert (real.read_bytes(), real.stat().st_mode & 0o777) == (b"after", 0o640)


def test_a_report_is_remembered_for_its_folder_and_all_below(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    report = reports.review_report()
    assert recall(tmp_path) is None
    assert remember(Remembered(report, tmp_path, "", "src/"), {tmp_path / "repo"})
    found = recall(tmp_path / "repo/deep/down")
    assert found is not None
    assert found.prefix == "src/"
    kept = msgspec.structs.replace(report, fixed=(), baseline_sources={}, stats={})
    assert found.report == kept
    assert recall(tmp_path / "other") is None
