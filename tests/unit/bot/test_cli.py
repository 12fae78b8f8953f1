"""The command line as users and scripts rely on it."""

from __future__ import annotations

import datetime
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.unit.bot import code
from tests.unit.bot.conftest import Shell
from tests.unit.bot.gitbox import GitBox

ROOT = Path(__file__).parents[3]


@pytest.fixture
def box(tmp_path: Path) -> GitBox:
    """A repository whose head introduces a leak in C beside one in Java that was there."""
    box = GitBox(tmp_path / "box")
    box.write("java/Reader.java", code.JAVA)
    box.write("c/first.c", code.CLEAN_C)
    box.commit()
    box.git("checkout", "-q", "-b", "change")
    box.write("java/Reader.java", code.JAVA.replace("int value", "int  value"))
    box.write("c/first.c", code.C)
    box.commit()
    return box


# --- review


def test_review_tells_introduced_from_what_was_there(leakmend: Shell, box: GitBox) -> None:
    ran = leakmend("review", "--repo", box.folder, "--base", "main", "--format", "json")
    assert ran.status == 1
    found = {each["path"]: each for each in ran.report["findings"]}
    assert {path: each["introduced"] for path, each in found.items()} == {
        "c/first.c": True,
        "java/Reader.java": False,
    }
    assert found["c/first.c"]["answer"]["kind"] in ("fix", "declined")
    assert ran.report["base"] == box.git("rev-parse", "main")
    assert "head" not in ran.report


def test_review_of_the_mending_change_says_fixed(leakmend: Shell, box: GitBox) -> None:
    ran = leakmend("review", "--repo", box.folder, "--base", "change", "--head", "main", "--format", "json")
    assert ran.status == 0
    assert [each["path"] for each in ran.report["fixed"]] == ["c/first.c"]


def test_review_in_every_format(leakmend: Shell, box: GitBox, tmp_path: Path) -> None:
    starts = {"text": "c/first.c:5", "json": "{", "sarif": "{", "html": "<!DOCTYPE html>", "markdown": "### This change"}
    for form, start in starts.items():
        target = tmp_path / "out" / f"report.{form}"
        ran = leakmend("review", "--repo", box.folder, "--base", "main", "--format", form, "--output", target)
        assert (ran.status, ran.output) == (1, "")
        assert target.read_text().startswith(start)


def test_review_of_a_bare_repository(leakmend: Shell, box: GitBox, tmp_path: Path) -> None:
    box.git("clone", "-q", "--bare", ".", str(tmp_path / "bare"))
    ran = leakmend("review", "--repo", tmp_path / "bare", "--base", "main", "--head", "change", "--format", "json")
    assert [each["path"] for each in ran.report["findings"] if each["introduced"]] == ["c/first.c"]


def test_an_uncommitted_leak_is_introduced(leakmend: Shell, box: GitBox) -> None:
    box.write("c/more.c", code.C.replace("first_byte", "other_byte"))
    ran = leakmend("review", "--repo", box.folder, "--base", "HEAD", "--format", "json")
    assert [each["path"] for each in ran.report["findings"]] == ["c/more.c"]


def test_config_comes_from_the_base_never_from_the_head(leakmend: Shell, box: GitBox) -> None:
    box.write(".leakmend.toml", '[scan]\nexclude = ["c/**"]\n')
    box.commit()
    ran = leakmend("review", "--repo", box.folder, "--base", "main")
    assert "c/first.c:5" in ran.output
    assert ".leakmend.toml: takes effect when merged." in ran.output
    after = leakmend("review", "--repo", box.folder, "--base", "HEAD", "--head", "main", "--format", "json")
    assert [each["path"] for each in after.report["fixed"]] == []


def test_exit_status_follows_fail_on(leakmend: Shell, box: GitBox) -> None:
    assert leakmend("review", "--repo", box.folder, "--base", "main", "--fail-on", "never").status == 0
    assert leakmend("review", "--repo", box.folder, "--base", "main", "--fail-on", "assumed").status == 1
    assert leakmend("review", "--repo", box.folder, "--base", "HEAD").status == 0


# --- scan


def test_scan_of_a_folder_and_of_a_file(leakmend: Shell, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/Reader.java").write_text(code.JAVA)
    (tmp_path / "src/clean.c").write_text(code.CLEAN_C)
    ran = leakmend("scan", tmp_path / "src", "--format", "json")
    assert ran.status == 1
    (finding,) = ran.report["findings"]
    assert (finding["path"], finding["introduced"]) == ("Reader.java", None)
    assert leakmend("scan", tmp_path / "src/clean.c").output == "No leaks found in src.\n"


def test_a_finding_has_one_name_in_a_scan_of_a_part_and_of_the_whole(leakmend: Shell, box: GitBox) -> None:
    whole = leakmend("scan", box.folder, "--format", "json").report["findings"]
    part = leakmend("scan", box.folder / "java", "--format", "json").report["findings"]
    (found,) = [each for each in whole if each["path"] == "java/Reader.java"]
    assert [each["fingerprint"] for each in part] == [found["fingerprint"]]
    assert part[0]["path"] == "Reader.java"


def test_the_order_of_arguments_and_the_cache_change_no_byte(leakmend: Shell, box: GitBox) -> None:
    words = ("scan", box.folder / "java", box.folder / "c", "--format", "json")
    cold = leakmend(*words)
    warm = leakmend(*words)
    uncached = leakmend("scan", box.folder / "c", box.folder / "java", "--format", "json", "--no-cache", "--jobs", "1")
    assert cold.output == warm.output == uncached.output


def test_stats_only_on_demand(leakmend: Shell, box: GitBox) -> None:
    plain = leakmend("scan", box.folder, "--format", "json")
    counted = leakmend("scan", box.folder, "--format", "json", "--stats")
    assert "stats" not in plain.report
    assert counted.report["stats"]["seconds"] > 0
    assert "procedures redone" in counted.report["stats"]


def test_excluded_files_and_test_code(leakmend: Shell, tmp_path: Path) -> None:
    for name in ("src/Reader.java", "gen/Reader.java", "src/test/ReaderTest.java"):
        (tmp_path / "p" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "p" / name).write_text(code.JAVA.replace("package shop", f"package {name.split('/')[-2]}"))
    ran = leakmend("scan", tmp_path / "p", "--format", "json")
    assert {each["path"]: each["test"] for each in ran.report["findings"]} == {
        "gen/Reader.java": False, "src/Reader.java": False, "src/test/ReaderTest.java": True,
    }
    (tmp_path / "p/.leakmend.toml").write_text('[scan]\nexclude = ["gen/**"]\ntests = "off"\n')
    ran = leakmend("scan", tmp_path / "p", "--format", "json")
    assert [each["path"] for each in ran.report["findings"]] == ["src/Reader.java"]


def test_another_config_file(leakmend: Shell, box: GitBox, tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text('[scan]\ninclude = ["c/**"]\n')
    ran = leakmend("scan", box.folder, "--format", "json", "--config", tmp_path / "other.toml")
    assert [each["path"] for each in ran.report["findings"]] == ["c/first.c"]


def test_comments_and_baseline_silence_and_are_listed(leakmend: Shell, box: GitBox) -> None:
    silenced = code.C.replace("    FILE *file", "    // leakmend: ignore[unclosed-resource] read once at start\n    FILE *file")
    box.write("c/first.c", silenced)
    ran = leakmend("review", "--repo", box.folder, "--base", "main", "--format", "json")
    assert [each["path"] for each in ran.report["findings"]] == ["java/Reader.java"]
    (each,) = ran.report["suppressed"]
    assert (each["by"], each["reason"], each["added"]) == ("comment", "read once at start", True)
    assert ran.status == 0


# --- fix


def changed_lines(diff: str) -> list[str]:
    return [line for line in diff.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]


def test_fix_prints_a_diff_that_git_applies(leakmend: Shell, box: GitBox) -> None:
    ran = leakmend("fix", box.folder / "java")
    assert ran.status == 0
    assert ran.output.startswith("--- a/Reader.java\n+++ b/Reader.java\n@@")
    assert "1 mended in 1 file," in ran.errors
    box.git("apply", "--directory=java", given=ran.output.encode())
    again = leakmend("fix", box.folder / "java")
    assert again.output == ""


def test_fix_in_place(leakmend: Shell, box: GitBox) -> None:
    target = box.folder / "java/Reader.java"
    target.chmod(0o755)
    diff = leakmend("fix", box.folder / "java").output
    ran = leakmend("fix", "--in-place", box.folder / "java")
    assert (ran.status, ran.output) == (0, "")
    assert target.stat().st_mode & 0o777 == 0o755
    assert changed_lines(box.git("diff", "--", "java")) == changed_lines(diff)
    assert leakmend("scan", box.folder / "java").status == 0


def test_fix_of_a_change_mends_only_what_it_introduces(leakmend: Shell, box: GitBox) -> None:
    ran = leakmend("fix", "--repo", box.folder, "--base", "main", "--in-place")
    assert ran.status == 0, ran.errors
    assert box.git("diff", "--name-only") == "c/first.c"


def test_fix_says_what_it_is_not_asked_for(leakmend: Shell, box: GitBox) -> None:
    for words in (
        ("fix", box.folder, "--base", "main"),
        ("fix", "--repo", box.folder, "--base", "main", "--head", "change", "--in-place"),
        ("fix", box.folder / "java", "--unsafe", "abc"),
        ("fix", box.folder / "java", "--unsafe", "ffff0000"),
    ):
        ran = leakmend(*words)
        assert ran.status == 2, words
        assert len(ran.errors.splitlines()) == 1


# --- explain and ignore


def test_explain_takes_an_unambiguous_prefix(leakmend: Shell, box: GitBox) -> None:
    fingerprint = leakmend("scan", box.folder / "java", "--format", "json").report["findings"][0]["fingerprint"]
    ran = leakmend("explain", fingerprint[:5], "--repo", box.folder / "java")
    assert ran.status == 0
    assert "Reader.java:10" in ran.output
    assert "released once" in ran.output
    assert leakmend("explain", "0000", "--repo", box.folder / "java").status == 2
    assert "at least 4" in leakmend("explain", fingerprint[:3]).errors


def test_explain_before_any_run(leakmend: Shell, tmp_path: Path) -> None:
    ran = leakmend("explain", "abcd1234", "--repo", tmp_path)
    assert ran.status == 2
    assert "`leakmend scan` first" in ran.errors


def test_an_ambiguous_id_lists_the_candidates() -> None:
    from bot.errors import CannotRun
    from bot.patching import find

    with pytest.raises(CannotRun, match="abcd0000, abcd1111"):
        find(["abcd1111", "abcd0000", "ffff0000"], "abcd")
    assert find(["abcd1111", "abcd0000"], "ABCD1") == "abcd1111"


def test_ignore_writes_the_baseline_and_scans_obey(leakmend: Shell, box: GitBox) -> None:
    box.write("java/keep.txt", "")
    found = leakmend("scan", box.folder / "java", "--format", "json").report["findings"][0]
    ran = leakmend("ignore", found["fingerprint"][:6], "--reason", "closed by the caller", "--repo", box.folder)
    assert ran.status == 0, ran.errors
    entry = json.loads((box.folder / ".leakmend/baseline.json").read_text())["findings"][0]
    assert entry["fingerprint"] == found["fingerprint"]
    assert (entry["path"], entry["reason"]) == ("java/Reader.java", "closed by the caller")
    assert entry["date"] == datetime.datetime.now(datetime.UTC).date().isoformat()
    for folder in (box.folder, box.folder / "java"):
        ran = leakmend("scan", folder, "--format", "json")
        assert not any(each["path"].endswith("Reader.java") for each in ran.report["findings"])
        assert [(each["by"], each["reason"]) for each in ran.report["suppressed"]] == [
            ("baseline", "closed by the caller")
        ]
    assert leakmend("ignore", found["fingerprint"], "--reason", " ", "--repo", box.folder).status == 2


def test_a_baseline_counts_in_a_review_once_it_is_in_the_base(leakmend: Shell, box: GitBox) -> None:
    ran = leakmend("review", "--repo", box.folder, "--base", "main", "--format", "json")
    (found,) = [each for each in ran.report["findings"] if each["introduced"]]
    leakmend("ignore", found["fingerprint"], "--reason", "fine", "--repo", box.folder)
    ran = leakmend("review", "--repo", box.folder, "--base", "main")
    assert "c/first.c:5" in ran.output
    assert ".leakmend/baseline.json: takes effect when merged." in ran.output


# --- the rest


def test_specs_lists_the_models_and_where_they_come_from(leakmend: Shell, tmp_path: Path) -> None:
    ran = leakmend("specs", "--repo", tmp_path)
    assert ran.status == 0
    assert "fopen" in ran.output
    rows = leakmend("specs", "--repo", tmp_path, "--format", "json").report
    assert {"language", "kind", "name", "effect", "origin"} == set(rows[0])


def test_unknown_words_are_answered_with_the_nearest(leakmend: Shell, box: GitBox) -> None:
    assert "review" in leakmend("reviw").errors
    assert "--format" in leakmend("scan", box.folder, "--fromat", "json").errors
    assert "tracker" in leakmend("scan", box.folder, "--detectors", "trakcer").errors
    for words in (("reviw",), ("scan", "--jobs", "0", "."), ("scan",), ("scan", ".", "--min-confidence", "sure")):
        ran = leakmend(*words)
        assert ran.status == 2
        assert len(ran.errors.splitlines()) == 1, ran.errors
        assert ran.output == ""


def test_help_is_no_error(leakmend: Shell) -> None:
    for words in (("--help",), ("review", "--help"), ("--version",), ("scan", "--version")):
        assert leakmend(*words).status == 0


def test_an_internal_error_is_one_line_and_status_two(
    leakmend: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bot import pipeline

    def broken(*_: object) -> None:
        raise RuntimeError("two\nlines")

    monkeypatch.setattr(pipeline, "run", broken)
    (tmp_path / "a.c").write_text("")
    ran = leakmend("scan", tmp_path / "a.c")
    assert ran.status == 2
    assert ran.errors == "leakmend: internal error, --verbose shows where: RuntimeError: two lines\n"


def test_a_detector_of_choice(leakmend: Shell, box: GitBox) -> None:
    ran = leakmend("scan", box.folder, "--detectors", "tracker", "--format", "json")
    assert {name for each in ran.report["findings"] for name in each["detectors"]} == {"tracker"}


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_closed_pipe_is_no_error(box: GitBox, form: str) -> None:
    command = f"{sys.executable} -m bot.cli scan {box.folder} --no-cache --format {form} | head -c 1 >/dev/null"
    done = subprocess.run(["/bin/bash", "-o", "pipefail", "-c", command], cwd=ROOT, capture_output=True, check=False)
    assert done.stderr == b""


def test_a_run_leaves_at_once_with_all_it_wrote(box: GitBox) -> None:
    words = ["leakmend", "scan", str(box.folder), "--no-cache", "--fail-on", "never"]
    program = f"import atexit, sys; atexit.register(print, 'taken apart'); sys.argv = {words!r}; import bot.cli; bot.cli.main()"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    plain = subprocess.run([sys.executable, "-m", "bot.cli", *words[1:]], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == plain.stdout != ""
    assert "taken apart" not in done.stdout


def test_no_color_no_bar_and_no_escapes_in_a_pipe(box: GitBox) -> None:
    words = [sys.executable, "-m", "bot.cli", "scan", str(box.folder), "--no-cache"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, check=False)
    assert b"\x1b" not in done.stdout + done.stderr
    assert done.stderr == b""
    environment = {**os.environ, "FORCE_COLOR": "1"}
    assert b"\x1b[" in subprocess.run(words, cwd=ROOT, capture_output=True, check=False, env=environment).stdout
    environment["NO_COLOR"] = "1"
    assert b"\x1b[" not in subprocess.run(words, cwd=ROOT, capture_output=True, check=False, env=environment).stdout


def test_start_up_imports_next_to_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "bot.cli", "--version"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )
    assert done.stdout.startswith("leakmend ")
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert not imported & {"analyzers", "rich", "git", "jinja2", "msgspec", "tree_sitter", "fixers", "asyncio"}
    times = []
    for _ in range(5):
        start = time.process_time() + sum(os.times()[2:4])
        subprocess.run([sys.executable, "-m", "bot.cli", "--version"], cwd=ROOT, capture_output=True, check=True)
        times.append(time.process_time() + sum(os.times()[2:4]) - start)
    assert min(times) < 0.15


def test_a_scan_that_mends_nothing_imports_no_fixers_of_a_language(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("int f(int n) { return n; }\n")
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "bot.cli", "scan", str(tmp_path), "--no-cache", "--jobs", "1", "--format", "json"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "analyzers.driver" in imported
    assert not imported & {"fixers.java", "fixers.c", "jinja2"}


# --- the time budget


def test_when_the_time_is_up_procedures_stay_undone_and_nothing_is_claimed(leakmend: Shell, box: GitBox) -> None:
    ran = leakmend("scan", box.folder, "--time-budget", "0.000001", "--format", "json")
    assert ran.status == 0
    assert ran.report["complete"] is False
    assert ran.report["findings"] == []
    assert {note["kind"] for note in ran.report["notes"]} == {"budget"}
    for base, head in (("main", "change"), ("change", "main")):
        ran = leakmend(
            "review", "--repo", box.folder, "--base", base, "--head", head, "--time-budget", "0.000001", "--format", "json"
        )
        assert (ran.report["complete"], ran.report["findings"], ran.report["fixed"]) == (False, [], [])
    assert "The time budget ran out" in leakmend("scan", box.folder, "--time-budget", "0.000001").output
    whole = leakmend("scan", box.folder, "--format", "json")
    assert whole.output == leakmend("scan", box.folder, "--format", "json", "--no-cache").output, "nothing half was kept"


def test_the_time_budget_ends_the_search_for_what_a_change_affects(
    leakmend: Shell, box: GitBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bot import pipeline

    monkeypatch.setattr(pipeline._Run, "_is_over", lambda self: True)
    ran = leakmend("review", "--repo", box.folder, "--base", "main", "--head", "change", "--format", "json")
    assert ran.report["complete"] is False
    assert any("were not all looked for" in note["text"] for note in ran.report["notes"])


def test_a_procedure_that_was_not_reached_in_the_head_is_not_fixed(
    leakmend: Shell, box: GitBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The base is analysed whole, then the time is up."""
    from bot import pipeline

    analyse = pipeline._Run._analyse

    def late(self: pipeline._Run, program: object, scope: object) -> object:
        analysis = analyse(self, program, scope)  # type: ignore[arg-type]
        self._end = 0.0
        return analysis

    monkeypatch.setattr(pipeline._Run, "_analyse", late)
    ran = leakmend("review", "--repo", box.folder, "--base", "change", "--head", "main", "--format", "json")
    assert (ran.report["complete"], ran.report["fixed"]) == (False, [])


def test_what_there_was_no_time_to_check_again_is_assumed(leakmend: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from bot import pipeline

    (tmp_path / "a.c").write_text(code.C)
    assert [each["confidence"] for each in leakmend("scan", tmp_path, "--format", "json", "--no-cache").report["findings"]] == ["witnessed"]
    fixes = pipeline._Run._fixes

    def late(self: pipeline._Run, findings: object) -> object:
        self._end = 0.0
        return fixes(self, findings)  # type: ignore[arg-type]

    monkeypatch.setattr(pipeline._Run, "_fixes", late)
    ran = leakmend("scan", tmp_path, "--format", "json", "--no-cache")
    [finding] = ran.report["findings"]
    assert (ran.status, finding["confidence"], finding["answer"]["kind"]) == (0, "assumed", "declined")


def test_many_findings_are_fixed_by_many_processes_alike(leakmend: Shell, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    for number in range(45):
        (tmp_path / f"src/f{number:02}.c").write_text(code.C.replace("first_byte", f"byte_{number}"))
    one = leakmend("scan", tmp_path / "src", "--format", "json", "--no-cache", "--jobs", "1")
    four = leakmend("scan", tmp_path / "src", "--format", "json", "--no-cache", "--jobs", "4")
    assert len(one.report["findings"]) == 45
    assert one.output == four.output


def test_what_is_live_when_main_ends_is_no_business_of_a_review(leakmend: Shell, box: GitBox) -> None:
    box.write("c/main.c", "#include <stdlib.h>\nint main(void)\n{\n    char *p = malloc(3);\n    return p ? *p : 1;\n}\n")
    ran = leakmend("scan", box.folder / "c/main.c", "--format", "json")
    assert [each["confidence"] for each in ran.report["findings"]] == ["assumed"]
    assert ran.status == 0
    ran = leakmend("review", "--repo", box.folder, "--base", "HEAD", "--format", "json")
    assert ran.report["findings"] == []
