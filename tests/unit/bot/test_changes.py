"""From git and folders to a ChangeSet, also where git is awkward."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from analyzers.finding import NoteKind
from analyzers.source import blob_digest
from analyzers.tree import Tree
from bot import changes
from bot.errors import CannotRun
from bot.processes import Processes
from bot.repository import Repository
from bot.trees import MAX_BYTES
from tests.unit.bot.gitbox import GitBox


@pytest.fixture
def box(tmp_path: Path) -> GitBox:
    return GitBox(tmp_path / "box")


def contents(tree: Tree) -> dict[str, bytes]:
    found = {path: tree.read(path) for path, _ in tree.paths()}
    assert {path: blob_digest(content) for path, content in found.items()} == dict(tree.paths())
    return found


def test_three_dot_the_merge_base_is_the_baseline(box: GitBox) -> None:
    box.write("a.c", "1\n")
    fork = box.commit()
    box.git("checkout", "-q", "-b", "topic")
    box.write("b.c", "2\n")
    tip = box.commit()
    box.git("checkout", "-q", "main")
    box.write("a.c", "3\n")
    box.commit()
    with changes.review(Repository(box.folder), "main", "topic") as change:
        assert (change.base, change.head) == (fork, tip)
        assert contents(change.after) == {"a.c": b"1\n", "b.c": b"2\n"}
        assert change.before is not None
        assert contents(change.before) == {"a.c": b"1\n"}
        assert [file.after for file in change.files] == ["b.c"]
        assert change.remarks == ()


def test_going_back_is_reviewed_when_both_ends_are_named(box: GitBox) -> None:
    box.write("a.c", "1\n")
    older = box.commit()
    box.write("a.c", "2\n")
    newer = box.commit()
    with changes.review(Repository(box.folder), newer, older) as change:
        assert (change.base, change.head) == (newer, older)
        assert contents(change.after) == {"a.c": b"1\n"}
        assert "way back" in change.remarks[0]


def test_the_working_tree_with_all_that_is_not_committed(box: GitBox) -> None:
    box.write(".gitignore", "ignored.c\nbuild/\n")
    for name in ("same.c", "edited.c", "staged.c", "gone.c", "dropped.c"):
        box.write(name, f"{name}\n")
    base = box.commit()
    box.write("edited.c", "edited now\n")
    box.write("staged.c", "staged first\n")
    box.git("add", "staged.c")
    box.write("staged.c", "staged, then edited\n")
    (box.folder / "gone.c").unlink()
    box.git("rm", "-q", "dropped.c")
    box.write("new/fresh.java", "class Fresh {}\n")
    box.write("ignored.c", "no\n")
    box.write("build/made.c", "no\n")
    objects = sorted(path for path in (box.folder / ".git/objects").rglob("*") if path.is_file())
    index = (box.folder / ".git/index").read_bytes()
    with changes.review(Repository(box.folder), base, None) as change:
        assert change.head is None
        assert contents(change.after) == {
            "same.c": b"same.c\n",
            "edited.c": b"edited now\n",
            "staged.c": b"staged, then edited\n",
            "new/fresh.java": b"class Fresh {}\n",
        }
        changed = {file.after or file.before for file in change.files}
        assert changed == {"edited.c", "staged.c", "gone.c", "dropped.c", "new/fresh.java"}
    assert objects == sorted(path for path in (box.folder / ".git/objects").rglob("*") if path.is_file())
    assert index == (box.folder / ".git/index").read_bytes()


def test_a_folder_inside_the_working_tree_stands_for_all_of_it(box: GitBox) -> None:
    box.write("deep/down/a.c", "1\n")
    base = box.commit()
    with changes.review(Repository(box.folder / "deep/down"), base, None) as change:
        assert list(contents(change.after)) == ["deep/down/a.c"]


def test_a_bare_repository(box: GitBox, tmp_path: Path) -> None:
    box.write("a.c", "1\n")
    base = box.commit()
    box.write("a.c", "2\n")
    box.commit()
    box.git("clone", "-q", "--bare", ".", str(tmp_path / "bare"))
    repository = Repository(tmp_path / "bare")
    with changes.review(repository, base, None) as change:
        assert contents(change.after) == {"a.c": b"2\n"}
    with pytest.raises(CannotRun, match="no working tree"), changes.review(repository, base, "worktree"):
        pass


def test_a_linked_worktree(box: GitBox, tmp_path: Path) -> None:
    box.write("a.c", "1\n")
    base = box.commit()
    box.git("worktree", "add", "-q", str(tmp_path / "linked"))
    (tmp_path / "linked/a.c").write_text("2\n")
    with changes.review(Repository(tmp_path / "linked"), base, None) as change:
        assert contents(change.after) == {"a.c": b"2\n"}


def test_default_base_is_the_upstream_branch(box: GitBox, tmp_path: Path) -> None:
    box.write("a.c", "1\n")
    base = box.commit()
    clone = tmp_path / "clone"
    box.git("clone", "-q", ".", str(clone))
    (clone / "a.c").write_text("2\n")
    with changes.review(Repository(clone), None, None) as change:
        assert change.base == base
    subprocess.run(["git", "checkout", "-q", "--detach"], cwd=clone, check=True)
    with changes.review(Repository(clone), None, None) as change:
        assert change.base == base
    with pytest.raises(CannotRun, match="--base"), changes.review(Repository(box.folder), None, None):
        pass


def test_a_merge_commit(box: GitBox) -> None:
    box.write("a.c", "1\n")
    fork = box.commit()
    box.git("checkout", "-q", "-b", "topic")
    box.write("b.c", "2\n")
    box.commit()
    box.git("checkout", "-q", "main")
    box.write("c.c", "3\n")
    main = box.commit()
    box.git("merge", "-q", "--no-edit", "topic")
    with changes.review(Repository(box.folder), main, "HEAD") as change:
        assert [file.after for file in change.files] == ["b.c"]
    with changes.review(Repository(box.folder), "HEAD", "topic") as change:
        assert [file.before for file in change.files] == ["c.c"]
        assert change.remarks
    assert fork


def test_a_conflict_is_read_as_it_lies_on_disk(box: GitBox) -> None:
    box.write("a.c", "1\n")
    base = box.commit()
    box.git("checkout", "-q", "-b", "topic")
    box.write("a.c", "2\n")
    box.commit()
    box.git("checkout", "-q", "main")
    box.write("a.c", "3\n")
    box.commit()
    with pytest.raises(AssertionError):
        box.git("merge", "-q", "topic")
    with changes.review(Repository(box.folder), base, None) as change:
        assert contents(change.after)["a.c"].startswith(b"<<<<<<<")


def test_an_empty_change(box: GitBox) -> None:
    box.write("a.c", "1\n")
    base = box.commit()
    with changes.review(Repository(box.folder), base, None) as change:
        assert change.files == ()


# --- what is left out, with a Note


def test_submodules_links_and_large_files(box: GitBox, tmp_path: Path) -> None:
    inner = GitBox(tmp_path / "inner")
    inner.write("lib.c", "1\n")
    inner.commit()
    box.write("a.c", "1\n")
    base = box.commit()
    box.git("submodule", "--quiet", "add", str(inner.folder), "vendored")
    (box.folder / "out.c").symlink_to(tmp_path / "inner/lib.c")
    (box.folder / "near.c").symlink_to("a.c")
    (box.folder / "dir").symlink_to("..")
    box.write("big.c", b"x" * (MAX_BYTES + 1))
    head = box.commit()
    for name in (head, "worktree"):
        with changes.review(Repository(box.folder), base, name) as change:
            kinds = {(note.kind, note.span.path) for note in change.notes}
            assert {
                (NoteKind.SUBMODULE, "vendored"),
                (NoteKind.SYMLINK, "out.c"),
                (NoteKind.SYMLINK, "dir"),
                (NoteKind.TOO_LARGE, "big.c"),
            } == kinds, name
            assert list(contents(change.after)) == ["a.c"]


def test_a_large_file_that_is_not_committed(box: GitBox) -> None:
    box.write("a.c", "1\n")
    base = box.commit()
    box.write("big.c", b"x" * (MAX_BYTES + 1))
    os.mkfifo(box.folder / "pipe.c")
    with changes.review(Repository(box.folder), base, None) as change:
        assert [(note.kind, note.span.path) for note in change.notes] == [(NoteKind.TOO_LARGE, "big.c")]
        assert list(contents(change.after)) == ["a.c"]


def test_names_that_are_not_utf8(box: GitBox) -> None:
    box.write("a.c", "1\n")
    base = box.commit()
    with open(os.fsencode(box.folder) + b"/caf\xe9.c", "wb") as file:
        file.write(b"2\n")
    for head in (None, box.commit()):
        with changes.review(Repository(box.folder), base, head) as change:
            assert contents(change.after)["caf\\xe9.c"] == b"2\n"


def test_forked_processes_read_at_the_same_time(box: GitBox) -> None:
    texts = {f"f{number}.c": f"{number}\n" * 2000 for number in range(40)}
    for path, text in texts.items():
        box.write(path, text)
    base = box.commit()
    with changes.review(Repository(box.folder), base, base) as change:
        paths = [path for path, _ in change.after.paths()]
        assert change.after.read(paths[0])

        def read_all(turn: int) -> dict[str, bytes]:
            return {path: change.after.read(path) for path in paths[turn:] + paths[:turn]}

        for found in Processes(4).map(read_all, range(0, 40, 5)):
            assert found == {path: text.encode() for path, text in texts.items()}
        assert change.after.read(paths[1]) == texts[paths[1]].encode(), "the parent's git is still there"


def test_a_broken_repository_is_one_line(box: GitBox) -> None:
    box.write("a.c", "1\n")
    box.commit()
    digest = box.git("rev-parse", "HEAD^{tree}")
    (box.folder / ".git/objects" / digest[:2] / digest[2:]).unlink()
    with pytest.raises(CannotRun) as error, changes.review(Repository(box.folder), "HEAD", "HEAD"):
        pass
    assert "\n" not in str(error.value)


# --- what cannot be run


def test_what_cannot_be_run_says_how_to_mend_it(box: GitBox, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    with pytest.raises(CannotRun, match="leakmend scan"):
        Repository(tmp_path / "plain")
    with pytest.raises(CannotRun, match="no such folder"):
        Repository(tmp_path / "nowhere")
    box.write("a.c", "1\n")
    box.commit()
    with pytest.raises(CannotRun, match="unknown revision 'nope'"):
        Repository(box.folder).commit("nope")
    with pytest.raises(CannotRun, match="unknown revision '--help'"):
        Repository(box.folder).commit("--help")


def test_histories_without_a_common_ancestor(box: GitBox) -> None:
    box.write("a.c", "1\n")
    box.commit()
    box.git("checkout", "-q", "--orphan", "other")
    box.write("a.c", "2\n")
    box.commit()
    with pytest.raises(CannotRun, match="no common ancestor"), changes.review(Repository(box.folder), "main", "other"):
        pass


def test_a_shallow_clone_without_the_merge_base_names_the_fetch(box: GitBox, tmp_path: Path) -> None:
    box.write("a.c", "1\n")
    box.commit()
    box.git("checkout", "-q", "-b", "topic")
    box.write("a.c", "2\n")
    box.commit()
    box.git("checkout", "-q", "main")
    box.write("b.c", "3\n")
    box.commit()
    clone = tmp_path / "shallow"
    box.git("clone", "-q", "--depth=1", "--no-single-branch", f"file://{box.folder}", str(clone))
    repository = Repository(clone)
    with pytest.raises(CannotRun, match="git fetch --unshallow"), changes.review(
        repository, "origin/main", "origin/topic"
    ):
        pass


def test_nothing_of_the_repository_is_run(box: GitBox, tmp_path: Path) -> None:
    """Filters, hooks, fsmonitor, textconv and external diffs each would leave a trace."""
    trace = tmp_path / "trace"
    bad = f"touch {trace}; cat"
    box.write("a.c", "1\n")
    base = box.commit()
    for key in ("filter.x.clean", "filter.x.smudge", "filter.x.process", "diff.x.textconv", "diff.x.command"):
        box.git("config", key, bad)
    box.git("config", "filter.x.required", "true")
    box.git("config", "core.fsmonitor", bad)
    box.git("config", "diff.external", bad)
    box.git("config", "core.pager", bad)
    hooks = box.folder / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-checkout", "post-index-change", "pre-auto-gc"):
        (hooks / name).write_text(f"#!/bin/sh\n{bad}\n")
        (hooks / name).chmod(0o755)
    box.write(".gitattributes", "*.c filter=x diff=x\n")
    box.write("a.c", "2\n")
    box.write("b.c", "3\n")
    with changes.review(Repository(box.folder), base, None) as change:
        assert contents(change.after) == {"a.c": b"2\n", "b.c": b"3\n"}
        assert len(change.files) == 2
    assert not trace.exists()


def test_variables_of_a_hook_do_not_mislead(box: GitBox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = GitBox(tmp_path / "other")
    other.write("a.c", "x\n")
    other.commit()
    box.write("a.c", "1\n")
    base = box.commit()
    box.git("rm", "-q", "--cached", "a.c")
    box.git("update-index", "--add", "--cacheinfo", "100644", box.git("hash-object", "-w", "--stdin", given=b"2\n"), "b.c")
    box.git("update-index", "--skip-worktree", "b.c")
    monkeypatch.setenv("GIT_DIR", str(other.folder / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.folder))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.folder / ".git/index"))
    with changes.review(Repository(box.folder), base, None) as change:
        assert contents(change.after) == {"a.c": b"1\n", "b.c": b"2\n"}
    with changes.review(Repository(box.folder), base, "HEAD") as change:
        assert contents(change.after) == {"a.c": b"1\n"}


# --- scans


def test_a_scan_of_a_folder_names_files_from_there(tmp_path: Path) -> None:
    (tmp_path / "src/.git").mkdir(parents=True)
    (tmp_path / "src/.git/x.c").write_text("no")
    (tmp_path / "src/a.c").write_text("1")
    (tmp_path / "src/b.txt").write_text("2")
    change = changes.scan([tmp_path / "src"])
    assert contents(change.after) == {"a.c": b"1"}
    assert change.base is None
    assert change.prefix == ""


def test_a_scan_below_a_repository_knows_where_it_is(box: GitBox) -> None:
    box.write(".leakmend.toml", "[java]\nrelease = 8\n")
    box.write("src/deep/a.c", "1")
    change = changes.scan([box.folder / "src"])
    assert change.prefix == "src/"
    assert list(contents(change.after)) == ["deep/a.c"]
    assert change.settings.read(".leakmend.toml")


def test_a_scan_of_files_and_folders(tmp_path: Path) -> None:
    for name in ("one/a.c", "two/b.c", "two/c.c", "three/d.c"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    change = changes.scan([tmp_path / "one", tmp_path / "two/c.c"])
    assert list(contents(change.after)) == ["one/a.c", "two/c.c"]
    single = changes.scan([tmp_path / "two/b.c"])
    assert list(contents(single.after)) == ["b.c"]
    with pytest.raises(CannotRun, match="no such file"):
        changes.scan([tmp_path / "none"])


def test_a_scan_keeps_what_it_read(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("before")
    change = changes.scan([tmp_path])
    (tmp_path / "a.c").write_text("after")
    assert contents(change.after) == {"a.c": b"before"}


def test_a_scan_leaves_out_what_it_cannot_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.c").write_text("1")
    (tmp_path / "secret.c").write_text("2")
    (tmp_path / "big.c").write_bytes(b"x" * (MAX_BYTES + 1))
    (tmp_path / "out.c").symlink_to("/etc/hostname")
    (tmp_path / "dangling.c").symlink_to("nowhere.c")
    (tmp_path / "near.c").symlink_to("a.c")
    (tmp_path / "loop").symlink_to(".")
    os.mkfifo(tmp_path / "pipe.c")
    read = Path.read_bytes

    def refusing(path: Path) -> bytes:
        if path.name == "secret.c":
            raise PermissionError(13, "Permission denied")
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", refusing)
    change = changes.scan([tmp_path])
    assert contents(change.after) == {"a.c": b"1"}
    assert [(note.span.path, note.kind.value) for note in change.notes] == [
        ("big.c", "too-large"),
        ("out.c", "symlink"),
        ("pipe.c", "unreadable"),
        ("secret.c", "unreadable"),
    ]
