"""Real bare repositories, made and read through git's plumbing."""

from __future__ import annotations

import os
import pathlib
import subprocess
from collections.abc import Mapping, Sequence

from tests.fakes.github import hunks

Files = Mapping[str, "str | bytes | Link | None"]
"""What a commit changes: text of a file, or None where it goes away."""

ZERO = "0" * 40

_WORKFLOW_HOOK = """#!/bin/sh
# GitHub refuses pushes of Apps without `workflows` that touch a workflow, and to branches of forks that are not lent.
while read old new ref; do
  case " ${FAKE_ONLY_REFS-$ref} " in *" $ref "*) ;; *) echo "denied: $ref is not yours" >&2; exit 1 ;; esac
  [ -n "$FAKE_MAY_WRITE_WORKFLOWS" ] && continue
  case "$new" in *[!0]*) ;; *) continue ;; esac
  case "$old" in *[!0]*) from=$old ;; *) from=$(git hash-object -t tree /dev/null) ;; esac
  if [ -n "$(git diff --name-only "$from" "$new" -- .github/workflows)" ]; then
    echo "refusing to allow a GitHub App to create or update workflow without \\`workflows\\` permission" >&2
    exit 1
  fi
done
"""


class Link(str):
    """The target of a symbolic link."""


class GitFailed(Exception):
    """git said no; the text is what it said."""


class Bare:
    """One bare repository."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self._diffs: dict[tuple[str, str], tuple[hunks.FileDiff, ...]] = {}
        folder.mkdir(parents=True)
        self.git("init", "--quiet", "--bare", "--initial-branch=main")
        settings = folder / "config"
        settings.write_text(settings.read_text() + (
            "[http]\n\treceivepack = true\n[uploadpack]\n\tallowFilter = true\n\tallowAnySHA1InWant = true\n"
            "[receive]\n\tdenyNonFastForwards = false\n[gc]\n\tauto = 0\n"
        ))
        hook = folder / "hooks" / "pre-receive"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(_WORKFLOW_HOOK)
        hook.chmod(0o755)

    def git(self, *words: str, given: bytes = b"", allowed: Sequence[int] = (0,)) -> str:
        """What git prints; GitFailed with what it complains about."""
        done = subprocess.run(
            ["git", "--git-dir", str(self.folder), *words], input=given, capture_output=True, check=False, env=environment()
        )
        if done.returncode not in allowed:
            raise GitFailed(done.stderr.decode("utf-8", "replace"))
        return done.stdout.decode("utf-8", "surrogateescape")

    # --- reading

    def rev(self, revision: str) -> str | None:
        """The commit that a revision names."""
        try:
            return self.git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}").strip()
        except GitFailed:
            return None

    def refs(self) -> dict[str, str]:
        """All refs with their commits."""
        lines = self.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        return dict(line.split(" ", 1) for line in lines)

    def read(self, commit: str, path: str) -> bytes | None:
        """A file of a commit."""
        done = subprocess.run(
            ["git", "--git-dir", str(self.folder), "cat-file", "blob", f"{commit}:{path}"],
            capture_output=True, check=False, env=environment(),
        )  # fmt: skip
        return done.stdout if done.returncode == 0 else None

    def merge_base(self, one: str, other: str) -> str:
        """Where two commits parted; the first where they never met."""
        return self.git("merge-base", one, other, allowed=(0, 1)).strip() or one

    def is_ancestor(self, old: str, new: str) -> bool:
        """Whether `new` descends from `old`."""
        return self.git("merge-base", old, new, allowed=(0, 1, 128)).strip() == old

    def commits(self, base: str, head: str) -> list[str]:
        """What `head` has and `base` has not, oldest first."""
        return self.git("rev-list", "--reverse", f"{base}..{head}").split()

    def diff(self, base: str, head: str) -> tuple[hunks.FileDiff, ...]:
        """What changed between two commits."""
        key = (base, head)
        if key not in self._diffs:
            text = self.git("-c", "core.quotePath=false", "diff", "-M", "-U3", "--no-color", "--no-ext-diff", *key)
            self._diffs[key] = hunks.parse(text)
        return self._diffs[key]

    def moved(self, old: str, new: str, path: str, line: int) -> tuple[str, int] | None:
        """Where a line of one commit stands in another; None where it was changed or went away."""
        for file in self.diff(old, new):
            if (file.previous or file.path) != path or file.status == "added":
                continue
            if file.status == "removed":
                return None
            shift = 0
            for hunk in file.hunks:
                for mark, left, right, _ in hunk.rows:
                    if left == line:
                        return (file.path, right) if mark == " " else None
                if hunk.left_start > line:
                    break
                shift += sum((mark == "+") - (mark == "-") for mark, *_ in hunk.rows)
            return file.path, line + shift
        return path, line

    # --- writing

    def commit(self, branch: str, parent: str | None, files: Files, message: str, author: str, when: int) -> str:
        """A commit on a branch: files that change, and those that go."""
        person = f"{author} <{author}@users.example.org> {when} +0000".encode()
        text = message.encode()
        stream = [b"commit refs/heads/" + branch.encode(), b"author " + person, b"committer " + person,
                  b"data %d" % len(text), text]
        if parent:
            stream.append(b"from " + parent.encode())
        parts = [b"\n".join(stream) + b"\n"]
        for path, content in sorted(files.items()):
            if content is None:
                parts.append(b"D " + _quoted(path) + b"\n")
                continue
            mode = b"120000" if isinstance(content, Link) else b"100644"
            raw = content.encode() if isinstance(content, str) else content
            parts.append(b"M " + mode + b" inline " + _quoted(path) + b"\ndata %d\n" % len(raw) + raw + b"\n")
        self.git("fast-import", "--quiet", "--force", "--date-format=raw", given=b"".join(parts))
        made = self.rev(f"refs/heads/{branch}")
        assert made is not None
        return made

    def write_tree(self, records: bytes) -> str:
        """A tree of `mode type id<TAB>path<NUL>` records."""
        index = self.folder / "fake-index"
        index.unlink(missing_ok=True)
        variables = {**environment(), "GIT_INDEX_FILE": os.fspath(index), "GIT_WORK_TREE": os.fspath(self.folder)}
        made = b""
        for words, given in ((("update-index", "-z", "--index-info"), records), (("write-tree",), b"")):
            done = subprocess.run(["git", "--git-dir", str(self.folder), "-c", "core.bare=false", *words],
                                  input=given, capture_output=True, check=True, env=variables)  # fmt: skip
            made = done.stdout
        return made.decode().strip()

    def set_refs(self, refs: Mapping[str, str | None]) -> None:
        """Point refs at commits; None deletes."""
        lines = [f"update {name} {commit}\n" if commit else f"delete {name}\n" for name, commit in refs.items()]
        self.git("update-ref", "--stdin", given="".join(lines).encode())

    def take(self, other: Bare, commit: str) -> None:
        """Have the objects of another repository, as GitHub's forks share theirs."""
        if other is not self:
            self.git("-c", "protocol.file.allow=always", "-c", "uploadpack.allowAnySHA1InWant=true", "fetch", "--quiet",
                     "--no-write-fetch-head", str(other.folder), commit)

    def merged(self, base: str, head: str, message: str, when: int) -> str | None:
        """A merge commit of two, None where they conflict. On no branch."""
        done = self.git("merge-tree", "--write-tree", base, head, allowed=(0, 1, 128))
        tree = done.split("\n", 1)[0].strip()
        if not tree or "\n\n" in done or "CONFLICT" in done:
            return None
        person = {"GIT_AUTHOR_DATE": f"{when} +0000", "GIT_COMMITTER_DATE": f"{when} +0000"}
        made = subprocess.run(
            ["git", "--git-dir", str(self.folder), "commit-tree", tree, "-p", base, "-p", head, "-m", message],
            capture_output=True, check=True, env={**environment(), **person},
        )  # fmt: skip
        return made.stdout.decode().strip()


def _quoted(path: str) -> bytes:
    escaped = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'.encode("utf-8", "surrogateescape")


def environment() -> dict[str, str]:
    """git without the settings of this machine."""
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "GitHub",
        "GIT_AUTHOR_EMAIL": "noreply@example.org",
        "GIT_COMMITTER_NAME": "GitHub",
        "GIT_COMMITTER_EMAIL": "noreply@example.org",
        "LC_ALL": "C.UTF-8",
    }
