"""A commit made in a bare clone and pushed to a branch: the way to forks, whose branches GitHub's API does not write for us."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from bot.errors import CannotRun
from bot.github import git
from bot.github.api import NewCommit, Person, Remote
from bot.github.errors import Conflict, Forbidden, Unavailable, Unprocessable

_SECONDS = 60.0
"""Of one push: shorter than the place for a write is held."""

_MOVED = ("stale info", "fetch first", "non-fast-forward", "failed to update ref", "cannot lock ref")
_REFUSED = ("403", "404", "denied", "not found", "Authentication")


def pushed(clone: Path, remote: Remote, new: NewCommit, author: Person) -> str:
    """The id of the commit. Conflict where the branch is not at its parent any more, Forbidden where we may not write,
    Unprocessable where GitHub refused the commit, Unavailable where nobody knows.
    """
    commit = _committed(clone, new, author)
    ref = f"refs/heads/{new.branch}"
    words = ["push", "--porcelain", "--quiet", f"--force-with-lease={ref}:{new.parent}", remote.url, f"{commit}:{ref}"]
    try:
        ended = git.run(clone, words, _SECONDS, remote=remote)
    except CannotRun as error:
        raise Unavailable(str(error)) from None
    if ended.status == 0:
        return commit
    refusal = next((line for line in ended.output.splitlines() if line.startswith("!")), "")
    if any(reason in refusal for reason in _MOVED):
        raise Conflict(f"{new.branch} moved")
    if refusal:
        raise Unprocessable(refusal.rpartition("\t")[2])
    if any(reason in ended.complaint for reason in _REFUSED):
        raise Forbidden(ended.complaint)
    raise Unavailable(ended.complaint)


def _committed(clone: Path, new: NewCommit, author: Person) -> str:
    """The commit as an object of the clone, on no branch of it."""
    with tempfile.TemporaryDirectory(prefix="leakmend-") as folder:
        index = {"GIT_INDEX_FILE": str(Path(folder, "index"))}
        _done(clone, ["read-tree", new.parent], more=index)
        for path, content in sorted(new.files.items()):
            mode = _done(clone, ["ls-tree", new.parent, "--", path]).partition(" ")[0]
            if mode not in ("100644", "100755"):
                raise Unprocessable(f"{path} is no regular file of the branch")
            blob = _done(clone, ["hash-object", "-w", "--stdin"], given=content)
            _done(clone, ["update-index", "-z", "--index-info"], given=f"{mode} {blob}\t{path}\0".encode(), more=index)
        tree = _done(clone, ["write-tree", "--missing-ok"], more=index)
    who = {
        f"GIT_{role}_{field}": value
        for role in ("AUTHOR", "COMMITTER")
        for field, value in (("NAME", author.name), ("EMAIL", author.email), ("DATE", f"{int(time.time())} +0000"))
    }
    said = f"{new.headline}\n\n{new.body}\n".encode("utf-8", "replace")
    return _done(clone, ["commit-tree", tree, "-p", new.parent], given=said, more=who)


def _done(clone: Path, words: list[str], given: bytes = b"", more: dict[str, str] | None = None) -> str:
    ended = git.run(clone, words, _SECONDS, given=given, more=more)
    if ended.status:
        raise CannotRun(f"`git {words[0]}` failed: {ended.complaint}")
    return ended.output.strip()
