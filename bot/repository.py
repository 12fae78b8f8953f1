"""A git repository, read through plumbing with its hooks, filters and helpers switched off.

The only user of GitPython. Nothing here writes to the repository: the working
tree becomes a tree of git in a temporary object folder. Misses blobs of a partial clone that are not there.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import git

from analyzers.finding import Note, NoteKind
from analyzers.source import language_of
from bot.build_files import BUILD_FILES
from bot.errors import CannotRun
from bot.git_settings import as_environment
from bot.hunks import FileDiff, parse_patch, parse_raw
from bot.trees import MAX_BYTES, GitTree, about, is_relevant, shown, too_large

_SETTINGS = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.attributesFile": os.devnull,
    "core.pager": "cat",
    "diff.orderFile": "",
    "diff.suppressBlankEmpty": "false",
    "diff.renameLimit": "2000",
    "protocol.ext.allow": "never",
    "protocol.file.allow": "never",
    "submodule.recurse": "false",
}
"""Settings of the repository or the user that could run a program or change what git prints."""

_PATHSPEC = ("*.java", "*.c", "*.h", *(f"*{name}" for name in BUILD_FILES), ".leakmend.toml", ".leakmend")
_SUBMODULE, _LINK = "160000", "120000"
_LINK_TEXT = "not followed: a symbolic link that leads out of the repository"

Entry = tuple[str, str]
"""A path and the id of its blob."""


class Repository:
    """One repository, bare or with a working tree. Paths are as people see them (`trees.shown`)."""

    def __init__(self, folder: Path) -> None:
        try:
            self._repo = git.Repo(folder, search_parent_directories=True)
        except git.NoSuchPathError:
            raise CannotRun(f"no such folder: {folder}") from None
        except git.InvalidGitRepositoryError:
            raise CannotRun(
                f"no git repository at {folder}: name one with --repo, or use `leakmend scan` for plain folders"
            ) from None
        self.git_dir = Path(self._repo.git_dir)
        is_bare = self._repo.bare or self.git_dir.resolve() == folder.resolve()
        working = self._repo.working_tree_dir
        self.working_tree = None if is_bare or working is None else Path(working)
        self._sizes: dict[str, int] = {}
        self._process = os.getpid()
        self._inherited: list[object] = []
        self._harden({})

    @property
    def root(self) -> Path:
        """The folder that people know the repository by."""
        return self.working_tree or self.git_dir

    @property
    def is_shallow(self) -> bool:
        """Whether history was cut off when it was cloned."""
        return (Path(self._repo.common_dir) / "shallow").exists()

    def close(self) -> None:
        """End the git processes that wait for questions."""
        self._repo.close()

    # --- revisions

    def commit(self, revision: str) -> str:
        """The id of the commit that a revision names."""
        found = self._lookup("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        if found is None:
            fetch = " (this clone is shallow: `git fetch --unshallow` brings older commits)" if self.is_shallow else ""
            raise CannotRun(f"unknown revision {revision!r} in {self.root}: `git fetch` it, or name another{fetch}")
        return found

    def default_base(self) -> str:
        """The upstream branch of what is checked out, else the default branch of origin."""
        for revision in ("@{upstream}", "refs/remotes/origin/HEAD"):
            name = self._lookup("rev-parse", "--verify", "--quiet", "--symbolic-full-name", revision)
            if name and self._lookup("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}"):
                return name
        raise CannotRun("no upstream branch and no origin/HEAD to compare with: name a base, as in `--base main`")

    def merge_base(self, base: str, head: str) -> str:
        """The commit that both descend from, given two ids."""
        found = self._lookup("merge-base", base, head)
        if found is not None:
            return found
        if self.is_shallow:
            raise CannotRun(
                f"this clone is shallow and holds no common ancestor of {base[:12]} and {head[:12]}: "
                "run `git fetch --unshallow`, or `git fetch --deepen=1000`"
            )
        raise CannotRun(f"{base[:12]} and {head[:12]} have no common ancestor: name another --base")

    # --- content

    def blob(self, digest: str) -> bytes:
        """The bytes of a blob; OSError where it is not there."""
        if self._process != os.getpid():
            self._leave_to_parent()
        try:
            content: bytes = self._repo.git.get_object_data(digest)[3]
        except (ValueError, git.GitCommandError) as error:
            raise OSError(f"blob {digest[:12]} is not in the repository") from error
        return content

    def _leave_to_parent(self) -> None:
        """A forked process needs a git of its own to ask; the parent's goes on, so it must not be dropped here."""
        self._process = os.getpid()
        self._inherited += (self._repo.git.cat_file_all, self._repo.git.cat_file_header)
        self._repo.git.cat_file_all = self._repo.git.cat_file_header = None

    def tree(self, treeish: str) -> tuple[GitTree, tuple[Note, ...]]:
        """The relevant files of a commit or tree, and Notes on those that are left out."""
        notes: list[Note] = []
        entries: list[Entry] = []
        for record in self._run("ls-tree", "-r", "-z", treeish).split(b"\0")[:-1]:
            header, _, name = record.partition(b"\t")
            mode, _, digest = header.decode().split(" ")
            path = shown(name)
            if mode == _SUBMODULE:
                notes.append(about(path, NoteKind.SUBMODULE, "not read: a submodule; review it in its own repository"))
            elif mode == _LINK:
                notes += self._link_note(path, digest)
            elif is_relevant(path):
                entries.append((path, digest))
        self._measure(digest for _, digest in entries)
        kept = []
        for path, digest in entries:
            size = self._sizes.get(digest, -1)
            if size > MAX_BYTES:
                notes.append(too_large(path, size))
            elif size < 0:
                notes.append(about(path, NoteKind.UNREADABLE, "not read: its blob is not in this clone"))
            else:
                kept.append((path, digest))
        return GitTree(self, kept), tuple(notes)

    def _link_note(self, path: str, digest: str) -> Iterator[Note]:
        """A link inside the tree is no loss: what it points to is read under its own name."""
        target = shown(self.blob(digest))
        lands = os.path.normpath(os.path.join(os.path.dirname(path), target))
        is_outside = lands.startswith(("/", "../")) or lands == ".."
        looks_like_source = language_of(path) is not None or "." not in path.rpartition("/")[2]
        if is_outside and looks_like_source:
            yield about(path, NoteKind.SYMLINK, _LINK_TEXT)

    def _measure(self, digests: Iterable[str]) -> None:
        """Learn the sizes of blobs that are new to us; absent ones stay unknown."""
        wanted = sorted(set(digests) - self._sizes.keys())
        if not wanted:
            return
        asked = "".join(f"{digest}\n" for digest in wanted).encode()
        for line in self._run("cat-file", "--batch-check=%(objectname) %(objectsize)", given=asked).splitlines():
            digest, _, size = line.decode().partition(" ")
            if size.isdigit():
                self._sizes[digest] = int(size)

    def diff(self, before: str, after: str) -> tuple[FileDiff, ...]:
        """The relevant files that differ between two commits or trees, with renames, as git sees them."""
        output = self._run(
            "diff-tree", "-r", "-M", "--raw", "-z", "--patch", "-U3", "--irreversible-delete", "--no-color",
            "--no-ext-diff", "--no-textconv", "--no-abbrev", "--diff-algorithm=myers", "--indent-heuristic",
            "--ignore-submodules=all", before, after, "--", *_PATHSPEC,
        )  # fmt: skip
        entries, patch = parse_raw(output)
        sections = iter(parse_patch(patch))
        files = []
        for entry in entries:
            blocks, hunks = next(sections, ((), ()))
            if entry.status == "T":  # a link became a file or the other way: gone and come, two sections
                blocks, hunks = next(sections, ((), ()))
            if _LINK in entry.modes or _SUBMODULE in entry.modes:
                continue
            files.append(FileDiff(shown(entry.before), shown(entry.after), blocks, hunks))
        return tuple(sorted(files, key=lambda file: (file.after or file.before, file.before)))

    # --- the working tree

    @contextlib.contextmanager
    def working_tree_object(self) -> Iterator[tuple[str, tuple[Note, ...]]]:
        """The working tree as a tree of git: what is tracked, changed, and new but not ignored.

        Its objects live in a temporary folder until the context ends; nothing is written to the repository.
        """
        if self.working_tree is None:
            raise CannotRun(f"{self.root} is bare and has no working tree: name a commit with --head")
        with tempfile.TemporaryDirectory(prefix="leakmend-") as folder:
            objects = Path(folder, "objects")
            (objects / "info").mkdir(parents=True)
            own = os.fsencode(self._lookup("rev-parse", "--path-format=absolute", "--git-path", "objects") or "")
            (objects / "info" / "alternates").write_bytes(own + b"\n")
            staged, changed, gone = self._working_state()
            self._harden({"GIT_OBJECT_DIRECTORY": str(objects)})
            try:
                notes: list[Note] = []
                files = {name: entry for name, entry in staged.items() if name not in gone}
                files.update(self._stored(changed, notes))
                tree = self._written_tree(files, Path(folder, "index"))
                yield tree, tuple(notes)
            finally:
                self._harden({})

    def _working_state(self) -> tuple[dict[bytes, tuple[str, str]], list[bytes], set[bytes]]:
        """Index entries (mode, id) by name; names to read from disk; names that are not to be had."""
        self._harden(self._without_filters())
        staged = {}
        conflicted: set[bytes] = set()
        for record in self._run("ls-files", "--stage", "-z").split(b"\0")[:-1]:
            header, _, name = record.partition(b"\t")
            mode, digest, stage = header.decode().split(" ")
            if stage != "0":
                conflicted.add(name)
            elif is_relevant(shown(name)) or mode in (_SUBMODULE, _LINK):
                staged[name] = (mode, digest)
        listed = self._run("ls-files", "-z", "-t", "--modified", "--deleted", "--others", "--exclude-standard")
        changed: set[bytes] = set(conflicted)
        gone: set[bytes] = set()
        for record in listed.split(b"\0")[:-1]:
            tag, name = record[:1], record[2:]
            if tag == b"R":
                gone.add(name)
            elif staged.get(name, ("", ""))[0] != _SUBMODULE:
                changed.add(name)
        return staged, sorted(name for name in changed - gone if is_relevant(shown(name))), gone | changed

    def _without_filters(self) -> dict[str, str]:
        """Switch off the clean and smudge programs that the user configured: analysis reads raw bytes."""
        names = self._lookup("config", "--name-only", "--get-regexp", r"^filter\..*\.(clean|smudge|process|required)$")
        off = {name: "false" if name.endswith(".required") else "" for name in (names or "").splitlines()}
        return as_environment({**_SETTINGS, **off})

    def _stored(self, names: Sequence[bytes], notes: list[Note]) -> Iterator[tuple[bytes, tuple[str, str]]]:
        """Put files of the working tree into the temporary object folder."""
        assert self.working_tree is not None
        readable = []
        for name in names:
            path = os.path.join(os.fsencode(self.working_tree), name)
            try:
                if os.path.islink(path):
                    notes += self._disk_link_note(shown(name), path)
                    continue
                with open(path, "rb"):
                    size = os.path.getsize(path)
            except OSError as error:
                notes.append(about(shown(name), NoteKind.UNREADABLE, f"not read: {error.strerror}"))
                continue
            if not os.path.isfile(path) or b"\n" in path:
                notes.append(about(shown(name), NoteKind.UNREADABLE, "not read: not a regular file"))
            elif size > MAX_BYTES:
                notes.append(too_large(shown(name), size))
            else:
                readable.append((name, path))
        asked = b"".join(path + b"\n" for _, path in readable)
        ids = self._run("hash-object", "-w", "--no-filters", "--stdin-paths", given=asked).decode().split()
        for (name, _), digest in zip(readable, ids, strict=True):
            yield name, ("100644", digest)

    def _disk_link_note(self, name: str, path: bytes) -> Iterator[Note]:
        inside = os.path.realpath(os.fsencode(self.root)) + b"/"
        if not os.path.realpath(path).startswith(inside):
            yield about(name, NoteKind.SYMLINK, _LINK_TEXT)

    def _written_tree(self, files: dict[bytes, tuple[str, str]], index: Path) -> str:
        records = b"".join(
            f"{mode} {digest}\t".encode() + name + b"\0" for name, (mode, digest) in sorted(files.items())
        )
        environment = {"GIT_INDEX_FILE": str(index)}
        self._run("update-index", "-z", "--index-info", given=records, environment=environment)
        return self._run("write-tree", "--missing-ok", environment=environment).decode().strip()

    # --- running git

    def _harden(self, environment: dict[str, str]) -> None:
        self._repo.git.clear_cache()
        self._repo.git.update_environment(
            **{
                "GIT_DIR": str(self.git_dir),
                "GIT_INDEX_FILE": str(self.git_dir / "index"),
                "GIT_OBJECT_DIRECTORY": str(Path(self._repo.common_dir) / "objects"),
                "GIT_OPTIONAL_LOCKS": "0",
                "GIT_NO_REPLACE_OBJECTS": "1",
                "GIT_TERMINAL_PROMPT": "0",
                "GIT_CONFIG_PARAMETERS": "",
                "GIT_PAGER": "cat",
                "LC_ALL": "C.UTF-8",
                **({"GIT_WORK_TREE": str(self.working_tree)} if self.working_tree else {}),
                **as_environment(_SETTINGS),
                **environment,
            }
        )

    def _lookup(self, *words: str) -> str | None:
        """The one line that git answers, None where it answers with a failure."""
        status, output, _ = self._repo.git.execute(["git", *words], with_extended_output=True, with_exceptions=False)
        return str(output).strip() or None if status == 0 else None

    def _run(self, *words: str, given: bytes = b"", environment: dict[str, str] | None = None) -> bytes:
        with tempfile.TemporaryFile() as stream:
            stream.write(given)
            stream.seek(0)
            try:
                output = self._repo.git.execute(
                    ["git", *words],
                    istream=stream,
                    stdout_as_string=False,
                    strip_newline_in_stdout=False,
                    env=environment,
                )
            except git.GitCommandError as error:
                said = (error.stderr or "").strip().removeprefix("stderr: ").strip("'\n ").splitlines()
                raise CannotRun(f"`git {words[0]}` failed in {self.root}: {said[-1] if said else error.status}") from error
        assert isinstance(output, bytes)
        return output
