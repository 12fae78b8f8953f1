"""Bare, blobless clones of the repositories under review, one each, fetched by commit id.

Nothing is ever checked out, so no hook, filter, LFS pointer or submodule comes into play. Credentials are in the
environment of one git process and nowhere else. Reading happens without any: what is needed is fetched before.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from bot import changes
from bot.build_files import is_build_file
from bot.changes import ChangeSet
from bot.errors import CannotRun
from bot.github import git
from bot.github.api import NewCommit, Person, Remote
from bot.github.pushing import pushed
from bot.repository import Repository
from bot.trees import is_setting

_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?\Z")
_PREFETCHED = (".java", ".c", ".h")
_LINK = "120000"
_BATCH = 50_000
_KEPT_COMMITS = 400
_VERBS = ("init", "config", "fetch", "ls-tree", "cat-file", "gc", "for-each-ref", "update-ref", "merge-base")


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What one repository may cost: seconds of a fetch, bytes on disk; and days that an unused clone is kept."""

    seconds: float = 900.0
    max_bytes: int = 8 * 1024**3
    days: float = 30.0


class Workspace:
    """The clones of one machine. Several processes may share the folder."""

    def __init__(self, folder: Path, limits: Limits | None = None) -> None:
        self.folder = folder
        self._limits = limits or Limits()

    @contextlib.contextmanager
    def change(self, id: int, remote: Remote, base: str, head: str) -> Iterator[ChangeSet]:
        """The change that `head` makes since it left `base`, both commit ids, ready to be read."""
        clone = self._clone(id)
        with _locked(self.folder / f"{id}.use", fcntl.LOCK_SH):
            with _locked(self.folder / f"{id}.fetch", fcntl.LOCK_EX):
                self._fetch(clone, remote, (base, head))
                fork = self._git(clone, ["merge-base", base, head]).strip()
                if not fork:
                    raise CannotRun(f"{base[:12]} and {head[:12]} have no common ancestor: there is nothing to compare")
                self._fetch_blobs(clone, remote, (fork, head))
            os.utime(clone)
            repository = Repository(clone)
            try:
                with changes.review(repository, base, head) as change:
                    yield change
            finally:
                repository.close()

    def push(self, id: int, remote: Remote, new: NewCommit, author: Person) -> str:
        """See `ChangeSource`."""
        with _locked(self.folder / f"{id}.use", fcntl.LOCK_SH):
            return pushed(self._clone(id), remote, new, author)

    def forget(self, id: int) -> bool:
        """Delete a clone. False where there is none."""
        clone = self._clone(id)
        if not clone.exists():
            return False
        with _locked(self.folder / f"{id}.use", fcntl.LOCK_EX):
            shutil.rmtree(clone, ignore_errors=True)
        for suffix in ("use", "fetch"):
            (self.folder / f"{id}.{suffix}").unlink(missing_ok=True)
        return True

    def collect(self, now: float | None = None) -> list[int]:
        """Delete clones that nobody used for long, tidy the others; the ids of the deleted ones."""
        now = time.time() if now is None else now
        gone = []
        for clone in sorted(self.folder.glob("*.git")):
            id = int(clone.stem) if clone.stem.isdigit() else -1
            if id < 0:
                continue
            if now - clone.stat().st_mtime > self._limits.days * 86400:
                self.forget(id)
                gone.append(id)
                continue
            unused = _locked(self.folder / f"{id}.use", fcntl.LOCK_EX | fcntl.LOCK_NB)
            with contextlib.suppress(BlockingIOError, CannotRun), unused:
                self._drop_old(clone)
                self._git(clone, ["gc", "--quiet", "--prune=2.weeks.ago"])
        return gone

    def _drop_old(self, clone: Path) -> None:
        """Let go of the commits of long ago: they are fetched again should anybody ask."""
        listed = self._git(clone, ["for-each-ref", "--sort=-committerdate", "--format=%(refname)", "refs/leakmend"])
        for name in listed.split()[_KEPT_COMMITS:]:
            self._git(clone, ["update-ref", "-d", name])

    # --- fetching

    def _clone(self, id: int) -> Path:
        return self.folder / f"{id}.git"

    def _prepare(self, clone: Path, remote: Remote) -> None:
        if not (clone / "HEAD").exists():
            shutil.rmtree(clone, ignore_errors=True)
            clone.parent.mkdir(parents=True, exist_ok=True)
            self._git(self.folder, ["init", "--quiet", "--bare", "--template=", str(clone)])
        settings = {
            "core.repositoryformatversion": "1",
            "extensions.partialClone": "origin",
            "remote.origin.url": remote.url,
            "remote.origin.promisor": "true",
            "remote.origin.partialclonefilter": "blob:none",
            "gc.auto": "0",
        }
        for key, value in settings.items():
            self._git(clone, ["config", key, value])

    def _fetch(self, clone: Path, remote: Remote, commits: Sequence[str]) -> None:
        if not all(_COMMIT.match(commit) for commit in commits):
            raise CannotRun("GitHub named a commit by something that is no commit id")
        self._prepare(clone, remote)
        known = self._git(clone, ["for-each-ref", "--format=%(objectname)", "refs/leakmend"]).split()
        missing = [commit for commit in dict.fromkeys(commits) if commit not in known]
        if not missing:
            return
        specs = [f"+{commit}:refs/leakmend/{commit}" for commit in missing]
        self._git(
            clone,
            ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-gc",
             "--filter=blob:none", "origin", *specs],
            remote,
        )  # fmt: skip
        self._check_size(clone)

    def _fetch_blobs(self, clone: Path, remote: Remote, commits: Sequence[str]) -> None:
        """Bring the files that a review reads, all at once: git alone would ask for them one by one."""
        wanted: dict[str, None] = {}
        for commit in commits:
            for record in self._git(clone, ["ls-tree", "-r", "-z", commit]).split("\0")[:-1]:
                header, _, path = record.partition("\t")
                mode, kind, digest = header.split(" ")
                if kind == "blob" and (mode == _LINK or path.endswith(_PREFETCHED) or is_build_file(path) or is_setting(path)):
                    wanted[digest] = None
        here = set(self._git(clone, ["cat-file", "--batch-all-objects", "--batch-check=%(objectname)"]).split())
        missing = [digest for digest in wanted if digest not in here]
        for start in range(0, len(missing), _BATCH):
            asked = "".join(f"{digest}\n" for digest in missing[start : start + _BATCH])
            self._git(
                clone,
                ["-c", "fetch.negotiationAlgorithm=noop", "fetch", "--quiet", "--no-tags", "--no-write-fetch-head",
                 "--no-recurse-submodules", "--no-auto-gc", "--filter=blob:none", "--stdin", "origin"],
                remote,
                asked,
            )  # fmt: skip
            self._check_size(clone)

    def _check_size(self, clone: Path) -> None:
        size = sum(file.stat().st_size for file in clone.rglob("*") if file.is_file())
        if size > self._limits.max_bytes:
            shutil.rmtree(clone, ignore_errors=True)
            raise CannotRun(
                f"the repository needs {size / 1024**3:.1f} GiB, more than the {self._limits.max_bytes / 1024**3:.1f}"
                " that one repository may use here"
            )

    def _git(self, folder: Path, words: Sequence[str], remote: Remote | None = None, given: str = "") -> str:
        ended = git.run(folder, words, self._limits.seconds, remote=remote, given=given)
        if ended.status and words[0] != "merge-base":
            verb = next(word for word in words if word in _VERBS)
            raise CannotRun(f"`git {verb}` failed: {ended.complaint}")
        return ended.output


@contextlib.contextmanager
def _locked(path: Path, how: int) -> Iterator[None]:
    """Hold a lock among processes while the context lasts."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        fcntl.flock(file, how)
        yield
