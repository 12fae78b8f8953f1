"""What a repository or a folder may hold that nobody hoped for: a clear line or a Note, and the rest goes on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.bot import code
from tests.unit.bot.conftest import Ran, Shell
from tests.unit.bot.gitbox import GitBox

ROOT = Path(__file__).parents[3]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one file that has a leak, beside which bad things are put."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src/good.c").write_text(code.C)
    return tmp_path / "src"


@pytest.fixture
def box(tmp_path: Path) -> GitBox:
    box = GitBox(tmp_path / "box")
    box.write("good.c", code.CLEAN_C)
    box.commit()
    return box


def kinds(ran: Ran) -> dict[str, str]:
    return {note["path"]: note["kind"] for note in ran.report["notes"]}


def goes_on(ran: Ran) -> Ran:
    """The leak of the good file is reported all the same."""
    assert ran.status == 1, ran.errors
    assert "good.c" in [each["path"] for each in ran.report["findings"]]
    assert ran.errors == ""
    return ran


def refused(ran: Ran, *words: str) -> None:
    assert ran.status == 2
    assert ran.output == ""
    assert len(ran.errors.splitlines()) == 1, ran.errors
    for word in words:
        assert word in ran.errors


# --- repositories


def test_no_git_repository(leakmend: Shell, folder: Path) -> None:
    refused(leakmend("review", "--repo", folder, "--base", "main"), "no git repository", "leakmend scan")
    refused(leakmend("review", "--repo", folder / "nope"), "no such folder")


def test_no_git_at_all(folder: Path) -> None:
    environment = {**os.environ, "PATH": str(folder)}
    done = subprocess.run(
        [sys.executable, "-m", "bot.cli", "review", "--repo", str(folder)],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "git is not installed" in done.stderr


def test_unknown_revision_and_no_base(leakmend: Shell, box: GitBox) -> None:
    refused(leakmend("review", "--repo", box.folder, "--base", "nope"), "unknown revision 'nope'")
    refused(leakmend("review", "--repo", box.folder, "--base", "main", "--head", "nope"), "unknown revision 'nope'")
    refused(leakmend("review", "--repo", box.folder), "--base")


def test_a_repository_without_a_commit(leakmend: Shell, tmp_path: Path) -> None:
    empty = GitBox(tmp_path / "empty")
    refused(leakmend("review", "--repo", empty.folder, "--base", "main"), "unknown revision 'main'")


def test_empty_diff(leakmend: Shell, box: GitBox) -> None:
    ran = leakmend("review", "--repo", box.folder, "--base", "main")
    assert (ran.status, ran.output) == (0, "This change introduces no leaks.\n")


def test_a_merge_commit_as_head(leakmend: Shell, box: GitBox) -> None:
    box.git("checkout", "-q", "-b", "topic")
    box.write("good.c", code.C)
    box.commit()
    box.git("checkout", "-q", "main")
    box.write("other.c", code.C.replace("first_byte", "other_byte"))
    base = box.commit()
    box.git("merge", "-q", "--no-edit", "topic")
    ran = leakmend("review", "--repo", box.folder, "--base", base, "--head", "HEAD", "--format", "json")
    assert [each["path"] for each in ran.report["findings"]] == ["good.c"]


def test_a_submodule_and_a_link_out_of_the_tree(leakmend: Shell, box: GitBox, tmp_path: Path) -> None:
    inner = GitBox(tmp_path / "inner")
    inner.write("lib.c", code.C)
    inner.commit()
    box.git("submodule", "--quiet", "add", str(inner.folder), "vendored")
    (box.folder / "out.c").symlink_to(tmp_path / "inner/lib.c")
    box.write("good.c", code.C)
    ran = goes_on(leakmend("review", "--repo", box.folder, "--base", "main", "--format", "json"))
    assert kinds(ran) == {"vendored": "submodule", "out.c": "symlink"}
    assert len(ran.report["findings"]) == 1


def test_a_shallow_clone(leakmend: Shell, box: GitBox, tmp_path: Path) -> None:
    box.git("checkout", "-q", "-b", "topic")
    box.write("good.c", code.C)
    box.commit()
    box.git("checkout", "-q", "main")
    box.commit("more")
    box.git("clone", "-q", "--depth=1", "--no-single-branch", f"file://{box.folder}", str(tmp_path / "shallow"))
    ran = leakmend("review", "--repo", tmp_path / "shallow", "--base", "origin/main", "--head", "origin/topic")
    refused(ran, "git fetch --unshallow")


# --- files


def test_binary_and_huge_files(leakmend: Shell, folder: Path) -> None:
    (folder / "binary.c").write_bytes(bytes(range(256)) * 64)
    (folder / "Binary.java").write_bytes(b"\xca\xfe\xba\xbe\0\0\0\x34" + bytes(range(256)))
    with open(folder / "huge.c", "wb") as file:
        file.truncate(50 * 1024 * 1024)
    ran = goes_on(leakmend("scan", folder, "--format", "json"))
    found = kinds(ran)
    assert found["huge.c"] == "too-large"
    assert {"binary.c", "Binary.java"} <= found.keys()
    assert len(ran.report["findings"]) == 1


def test_a_huge_file_in_a_review(leakmend: Shell, box: GitBox) -> None:
    box.write("good.c", code.C)
    box.write("huge.c", b"x" * (50 * 1024 * 1024))
    ran = goes_on(leakmend("review", "--repo", box.folder, "--base", "main", "--format", "json"))
    assert kinds(ran) == {"huge.c": "too-large"}


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("latin", lambda text: text.replace(b"int byte;", b'int byte; /* caf\xe9 \xff */')),
        ("crlf", lambda text: text.replace(b"\n", b"\r\n")),
        ("bom", lambda text: b"\xef\xbb\xbf" + text),
        ("tabs", lambda text: text.replace(b"    ", b"\t")),
        ("no-end", lambda text: text.rstrip()),
    ],
)
def test_text_in_other_clothes(leakmend: Shell, folder: Path, name: str, change: object) -> None:
    assert callable(change)
    odd = folder / "odd.c"
    odd.write_bytes(change(code.C.replace("first_byte", "odd_byte").encode()))
    ran = goes_on(leakmend("scan", folder, "--format", "json"))
    (finding,) = [each for each in ran.report["findings"] if each["path"] == "odd.c"]
    assert finding["acquired"]["line"] == 5
    assert odd.read_bytes()[finding["answer"]["edits"][0]["start"] :] if finding["answer"]["kind"] == "fix" else True
    before = odd.read_bytes()
    assert leakmend("fix", "--in-place", folder).status == 0
    after = odd.read_bytes()
    if name == "crlf":
        assert after.count(b"\n") == after.count(b"\r\n")
    if name == "latin":
        assert b"caf\xe9 \xff" in after
    if name == "bom":
        assert after.startswith(b"\xef\xbb\xbf#include")
    if name == "no-end":
        assert not after.endswith(b"\n")
    assert before.split(b"fopen")[0] in after
    assert leakmend("scan", folder).status == 0


@pytest.mark.parametrize("name", ["deep.c", "Deep.java"])
def test_ten_thousand_levels(leakmend: Shell, folder: Path, name: str) -> None:
    deep = "(" * 10_000 + "1" + ")" * 10_000
    blocks = "{" * 10_000 + "}" * 10_000
    body = f"int f() {{ return {deep}; }}\nvoid g() {blocks}\n"
    (folder / name).write_text(f"class Deep {{ {body} }}" if name.endswith(".java") else body)
    goes_on(leakmend("scan", folder, "--format", "json"))


def test_files_that_are_not_what_their_name_says(leakmend: Shell, folder: Path) -> None:
    (folder / "page.c").write_text("<!DOCTYPE html><p>not here</p>")
    (folder / "Script.java").write_text("#!/bin/sh\necho hello\n")
    (folder / "empty.c").write_text("")
    (folder / "folder.c").mkdir()
    goes_on(leakmend("scan", folder, "--format", "json"))


def test_a_file_that_cannot_be_read(leakmend: Shell, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "secret.c").write_text(code.C)
    read = Path.read_bytes

    def refusing(path: Path) -> bytes:
        if path.name == "secret.c":
            raise PermissionError(13, "Permission denied")
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", refusing)
    ran = goes_on(leakmend("scan", folder, "--format", "json"))
    assert kinds(ran) == {"secret.c": "unreadable"}


def test_names_of_files_that_hurt(leakmend: Shell, folder: Path) -> None:
    for name in ("-rf.c", "a b.c", "quo\"te.c", "<b>.c", "[x](y).c", "new\nline.c", "@team.c"):
        (folder / name).write_text(code.C.replace("first_byte", "f"))
    with open(os.fsencode(folder) + b"/caf\xe9.c", "w") as file:
        file.write(code.C)
    for form in ("json", "sarif", "html", "markdown", "text"):
        ran = leakmend("scan", folder, "--format", form)
        assert (ran.status, ran.errors) == (1, ""), ran.errors
    assert "caf\\xe9.c" in [each["path"] for each in goes_on(leakmend("scan", folder, "--format", "json")).report["findings"]]


# --- what leakmend itself reads


def test_a_broken_config(leakmend: Shell, folder: Path, box: GitBox, tmp_path: Path) -> None:
    (folder / ".leakmend.toml").write_text("[scan]\nexlcude = []\n")
    refused(leakmend("scan", folder), ".leakmend.toml:2", "`scan.exclude`")
    (folder / ".leakmend.toml").write_bytes(b"\xff\xfe")
    refused(leakmend("scan", folder), "not UTF-8")
    refused(leakmend("scan", folder, "--config", tmp_path / "none.toml"), "cannot read")
    box.write(".leakmend.toml", "scan = 1\n")
    box.commit()
    refused(leakmend("review", "--repo", box.folder, "--base", "HEAD"), ".leakmend.toml:1")


def test_a_broken_spec(leakmend: Shell, folder: Path) -> None:
    (folder / ".leakmend/specs").mkdir(parents=True)
    spec = folder / ".leakmend/specs/mine.toml"
    spec.write_text('[[resource]]\nnaem = "x"\n')
    refused(leakmend("scan", folder), ".leakmend/specs/mine.toml", "`name`")
    spec.write_text("[[resource\n")
    refused(leakmend("scan", folder), ".leakmend/specs/mine.toml")


def test_a_broken_baseline(leakmend: Shell, folder: Path) -> None:
    (folder / ".leakmend").mkdir()
    (folder / ".leakmend/baseline.json").write_text('{"findings": [{"fingerprint": 3}]}')
    refused(leakmend("scan", folder), ".leakmend/baseline.json", "not a baseline")


def test_an_output_that_cannot_be_written(leakmend: Shell, folder: Path) -> None:
    refused(leakmend("scan", folder, "--output", folder / "good.c/report.txt"), "cannot write")
    assert (folder / "good.c").read_text() == code.C


# --- the cache


def test_a_cache_folder_that_cannot_be_written(
    leakmend: Shell, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    ran = goes_on(leakmend("scan", folder, "--format", "json"))
    assert [note["kind"] for note in ran.report["notes"]] == ["cache"]
    assert goes_on(leakmend("scan", folder, "--format", "json", "--no-cache")).report["notes"] == []


def test_a_damaged_cache(leakmend: Shell, folder: Path) -> None:
    good = goes_on(leakmend("scan", folder, "--format", "json"))
    for path in sorted(leakmend.cache.rglob("*")):
        if path.is_file():
            path.write_bytes(b"rubbish" * 999)
    ran = goes_on(leakmend("scan", folder, "--format", "json"))
    assert ran.report["findings"] == good.report["findings"]
    assert {note["kind"] for note in ran.report["notes"]} == {"cache"}
    assert goes_on(leakmend("scan", folder, "--format", "json")).output == good.output
    for path in leakmend.cache.rglob("*.msgpack"):
        path.write_bytes(b"\x00")
    refused(leakmend("explain", good.report["findings"][0]["fingerprint"], "--repo", folder), "first")


def test_two_runs_at_once(leakmend: Shell, folder: Path, tmp_path: Path) -> None:
    for number in range(30):
        (folder / f"more{number}.c").write_text(code.C.replace("first_byte", f"byte_{number}"))
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "shared")}
    words = [sys.executable, "-m", "bot.cli", "scan", str(folder), "--format", "json"]
    running = [
        subprocess.Popen(words, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(3)
    ]
    outputs = [process.communicate(timeout=120) for process in running]
    assert [process.returncode for process in running] == [1, 1, 1]
    assert [errors for _, errors in outputs] == [b""] * 3
    assert len({output for output, _ in outputs}) == 1
    assert len(json.loads(outputs[0][0])["findings"]) == 31
