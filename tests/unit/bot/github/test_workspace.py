from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from bot.errors import CannotRun
from bot.github.api import Remote
from bot.github.workspace import Limits, Workspace
from tests.unit.bot.code import JAVA
from tests.unit.bot.gitbox import GitBox


@pytest.fixture
def origin(tmp_path: Path) -> GitBox:
    box = GitBox(tmp_path / "origin")
    box.git("config", "uploadpack.allowFilter", "true")
    box.git("config", "uploadpack.allowAnySHA1InWant", "true")
    box.write("A.java", "class A {}\n")
    box.write("picture.bin", b"\0" * 5000)
    os.symlink("/etc/passwd", box.folder / "passwd.java")
    return box


def remote(box: GitBox) -> Remote:
    return Remote(f"file://{box.folder}", "Authorization: Basic c2VjcmV0")


def blobs(clone: Path) -> int:
    listed = subprocess.run(
        ["git", "cat-file", "--batch-all-objects", "--batch-check=%(objecttype)"], cwd=clone, capture_output=True, check=True
    ).stdout.decode()
    return listed.split().count("blob")


def test_a_change_is_fetched_by_its_ids_with_no_more_files_than_are_read(tmp_path: Path, origin: GitBox) -> None:
    base = origin.commit()
    origin.write("A.java", JAVA)
    head = origin.commit()
    origin.git("update-ref", "-d", "refs/heads/main")
    origin.git("update-ref", "refs/pull/3/head", head)
    workspace = Workspace(tmp_path / "clones")
    with workspace.change(5, remote(origin), base, head) as change:
        assert [file.after for file in change.files] == ["A.java"]
        assert change.after.read("A.java") == JAVA.encode()
        assert (change.base, change.head) == (base, head)
    assert blobs(tmp_path / "clones" / "5.git") == 3, "two versions of A.java and the link, but not the picture"


def test_no_secret_stays_in_the_clone(tmp_path: Path, origin: GitBox) -> None:
    base = origin.commit()
    workspace = Workspace(tmp_path / "clones")
    with workspace.change(5, remote(origin), base, base):
        pass
    for file in (tmp_path / "clones").rglob("*"):
        if file.is_file():
            assert b"c2VjcmV0" not in file.read_bytes()


def test_hooks_of_the_machine_do_not_run(tmp_path: Path, origin: GitBox, monkeypatch: pytest.MonkeyPatch) -> None:
    template = tmp_path / "template"
    hook = template / "hooks" / "reference-transaction"
    hook.parent.mkdir(parents=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hook.chmod(0o755)
    monkeypatch.setenv("GIT_TEMPLATE_DIR", str(template))
    base = origin.commit()
    with Workspace(tmp_path / "clones").change(5, remote(origin), base, base):
        pass
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("hostile", ["--upload-pack=touch /tmp/x", "refs/heads/main", "a" * 39, "HEAD"])
def test_only_commit_ids_are_fetched(tmp_path: Path, origin: GitBox, hostile: str) -> None:
    base = origin.commit()
    with pytest.raises(CannotRun, match="no commit id"), Workspace(tmp_path / "clones").change(
        5, remote(origin), base, hostile
    ):
        pass


def test_a_repository_that_is_too_large_is_refused_and_deleted(tmp_path: Path, origin: GitBox) -> None:
    base = origin.commit()
    workspace = Workspace(tmp_path / "clones", Limits(max_bytes=100))
    with pytest.raises(CannotRun, match="more than"), workspace.change(5, remote(origin), base, base):
        pass
    assert not (tmp_path / "clones" / "5.git").exists()


def test_commits_without_a_common_ancestor_are_refused(tmp_path: Path, origin: GitBox) -> None:
    base = origin.commit()
    origin.git("checkout", "--quiet", "--orphan", "other")
    head = origin.commit("other")
    with pytest.raises(CannotRun, match="no common ancestor"), Workspace(tmp_path / "clones").change(
        5, remote(origin), base, head
    ):
        pass


def test_unused_clones_go_and_used_ones_stay(tmp_path: Path, origin: GitBox) -> None:
    base = origin.commit()
    workspace = Workspace(tmp_path / "clones", Limits(days=30))
    for id in (5, 6):
        with workspace.change(id, remote(origin), base, base):
            pass
    now = (tmp_path / "clones" / "6.git").stat().st_mtime
    os.utime(tmp_path / "clones" / "5.git", (now - 31 * 86400, now - 31 * 86400))
    assert workspace.collect(now) == [5]
    assert workspace.forget(5) is False
    assert workspace.forget(6) is True
    with workspace.change(6, remote(origin), base, base) as change:
        assert change.head == base
