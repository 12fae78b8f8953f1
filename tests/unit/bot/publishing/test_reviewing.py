from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from analyzers.finding import Note, NoteKind
from analyzers.source import Span
from bot import pipeline
from bot.publishing.markers import SUMMARY, State, fingerprint_of, state_of
from bot.reviewing import Reviewed, Superseded
from tests.unit.bot.code import JAVA

from .conftest import CLEAN
from .memory import US, Crash, MemoryGitHub

Run = Callable[..., Reviewed]

LEAK = JAVA
TWO = LEAK.replace(
    "    int first(", "    int second(File file, boolean isEmpty) throws IOException {\n        InputStream other = new"
    " FileInputStream(file);\n        if (isEmpty) {\n            return -2;\n        }\n        other.close();\n"
    "        return 0;\n    }\n\n    int first(", 1
)


def summary(github: MemoryGitHub) -> str:
    found = [comment.body for comment in github.comments(3) if SUMMARY in comment.body]
    assert len(found) == 1
    return found[0]


def test_a_leak_gets_one_review_a_summary_and_a_neutral_check(github: MemoryGitHub, run: Run) -> None:
    github.push("src/Reader.java", LEAK)
    github.open()
    reviewed = run()
    assert reviewed is not None and reviewed.ending == "published"
    (thread,) = github.threads(3)
    assert "```suggestion" in thread.comments[0].body
    assert "in` is not closed" in summary(github)
    ((_, check, verdict),) = github.checks
    assert verdict is not None
    assert (check.status, check.conclusion, len(verdict.annotations)) == ("completed", "neutral", 1)
    assert github.writes == ["check", "review", "comment", "complete check"]


def test_the_same_head_again_writes_nothing(github: MemoryGitHub, run: Run) -> None:
    github.push("src/Reader.java", LEAK)
    github.open()
    run()
    before = list(github.writes)
    run()
    assert github.writes == before


def test_a_clean_change_is_silent_but_for_the_check(github: MemoryGitHub, run: Run) -> None:
    github.push("src/Reader.java", CLEAN.replace("(int) ", "(int)"))
    github.open()
    run()
    assert github.writes == ["check", "complete check"]
    assert github.checks[0][1].conclusion == "success"


def test_a_change_without_java_or_c_succeeds_in_one_write(github: MemoryGitHub, run: Run) -> None:
    github.push("README.md", "words\n")
    github.open()
    run()
    assert github.writes == ["check"]
    assert github.checks[0][1].conclusion == "success"


def test_a_leak_that_is_fixed_resolves_its_thread_and_is_told_in_the_summary(github: MemoryGitHub, run: Run) -> None:
    github.push("src/Reader.java", LEAK)
    github.open()
    run()
    github.push("src/Reader.java", CLEAN)
    run()
    (thread,) = github.threads(3)
    assert thread.is_resolved and len(thread.comments) == 1
    assert "introduces no leaks" in summary(github)


def test_what_was_given_up_in_a_file_closes_no_thread_there(github: MemoryGitHub, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    github.push("src/Reader.java", LEAK)
    github.open()
    run()
    github.push("src/Reader.java", CLEAN)
    note = Note(NoteKind.BUDGET, Span("src/Reader.java", 0, 1), "gave up following what `open` acquires")
    monkeypatch.setattr(pipeline._Run, "_file_notes", lambda _: [note])
    reviewed = run()
    assert not github.threads(3)[0].is_resolved
    assert reviewed is not None and reviewed.verdict.conclusion == "success"


def test_people_in_a_thread_are_told_once(github: MemoryGitHub, run: Run) -> None:
    github.push("src/Reader.java", LEAK)
    github.open()
    run()
    github.human(github.threads(3)[0], "is it?")
    github.push("src/Reader.java", CLEAN)
    run()
    run("again")
    (thread,) = github.threads(3)
    assert thread.is_resolved
    assert [comment.author for comment in thread.comments] == [US, "person", US]


def test_a_leak_that_comes_back_goes_on_in_its_thread(github: MemoryGitHub, run: Run) -> None:
    github.push("src/Reader.java", LEAK)
    github.open()
    run()
    github.push("src/Reader.java", CLEAN)
    run()
    github.push("src/Reader.java", LEAK)
    run()
    (thread,) = github.threads(3)
    assert not thread.is_resolved


def test_a_leak_that_moves_keeps_its_thread(github: MemoryGitHub, run: Run) -> None:
    github.push("src/Reader.java", LEAK)
    github.open()
    run()
    before = github.threads(3)[0]
    github.push("src/Reader.java", LEAK.replace("class Reader", "// more\n// lines\nclass Reader"))
    run()
    (after,) = github.threads(3)
    assert after.id == before.id and not after.is_resolved
    assert "Reader.java:12" in after.comments[0].body
    assert "```suggestion" not in after.comments[0].body, "the thread stands on other lines than the patch"


def test_a_file_that_is_renamed_keeps_its_threads(github: MemoryGitHub, run: Run) -> None:
    github.push("src/Other.java", LEAK.replace("Reader", "Other"))
    github.open()
    run()
    github.git("mv", "src/Other.java", "src/Another.java")
    github.push("src/Another.java", LEAK.replace("Reader", "Another"))
    run()
    (thread,) = github.threads(3)
    assert not thread.is_resolved
    assert "Another.java" in thread.comments[0].body


def test_only_what_is_new_is_told_on_the_next_push(github: MemoryGitHub, run: Run) -> None:
    github.push("src/Reader.java", LEAK)
    github.open()
    run()
    github.push("src/Reader.java", TWO)
    run()
    assert len(github.threads(3)) == 2
    assert len(github.reviews(3)) == 2
    assert len({fingerprint_of(thread.comments[0].body) for thread in github.threads(3)}) == 2


def test_a_thread_that_a_person_resolved_is_final(github: MemoryGitHub, run: Run) -> None:
    github.push("src/Reader.java", LEAK)
    github.open()
    run()
    github.human_resolves(github.threads(3)[0])
    github.push("src/Reader.java", LEAK + "// end\n")
    reviewed = run()
    (thread,) = github.threads(3)
    assert thread.is_resolved and thread.resolved_by == "person"
    assert reviewed is not None and reviewed.verdict.conclusion == "success"
    assert "resolved by @" in summary(github).replace("\u200b", "")


def test_a_draft_gets_its_check_only_and_its_comments_when_it_is_ready(github: MemoryGitHub, run: Run) -> None:
    github.push("src/Reader.java", LEAK)
    github.open(is_draft=True)
    run()
    assert github.writes == ["check", "complete check"]
    github.pulls[3] = msgspec.structs.replace(github.pulls[3], is_draft=False)
    run()
    assert len(github.threads(3)) == 1


def test_without_contents_a_fixed_thread_is_edited_and_folded(github: MemoryGitHub, run: Run) -> None:
    github.denied = {"contents"}
    github.push("src/Reader.java", LEAK)
    github.open()
    run()
    head = github.push("src/Reader.java", CLEAN)
    run()
    (thread,) = github.threads(3)
    assert thread.comments[0].is_minimized
    assert f"Fixed in {head}" in thread.comments[0].body
    github.push("src/Reader.java", LEAK)
    run()
    (thread,) = github.threads(3)
    assert not thread.comments[0].is_minimized
    assert "Fixed in" not in thread.comments[0].body


def test_without_pull_requests_there_is_the_check(github: MemoryGitHub, run: Run) -> None:
    github.denied = {"pull_requests"}
    github.push("src/Reader.java", LEAK)
    github.open()
    run()
    assert github.threads(3) == []
    assert github.checks[0][1].conclusion == "neutral"


def test_a_broken_config_on_the_base_is_named_with_key_and_line(github: MemoryGitHub, run: Run) -> None:
    github.git("checkout", "--quiet", "main")
    github.box.write(".leakmend.toml", "[bot]\ninlin = 'witnessed'\n")
    github.box.commit()
    github.git("checkout", "--quiet", "topic")
    github.git("rebase", "--quiet", "main")
    github.push("src/Reader.java", LEAK)
    github.open()
    run()
    ((_, check, verdict),) = github.checks
    assert verdict is not None and check.conclusion == "neutral"
    assert ".leakmend.toml" in verdict.title
    assert "2" in verdict.summary and "inlin" in verdict.summary and "bot.inline" in verdict.summary


def test_the_config_of_the_head_does_not_count(github: MemoryGitHub, run: Run) -> None:
    github.push(".leakmend.toml", "[scan]\nexclude = ['**']\n")
    github.push("src/Reader.java", LEAK)
    github.open(changed_files=2)
    run()
    assert len(github.threads(3)) == 1
    assert "takes effect when merged" in summary(github)


@pytest.mark.parametrize(
    ("changed", "config", "reason"),
    [
        ({"labels": ("no-leakmend",)}, "", "label no-leakmend"),
        ({"author": "dependabot[bot]"}, "[bot]\nskip-authors = ['dependabot[bot]']\n", "dependabot"),
    ],
)
def test_who_asks_not_to_be_reviewed_is_not(
    github: MemoryGitHub, run: Run, changed: dict[str, object], config: str, reason: str
) -> None:
    github.git("checkout", "--quiet", "main")
    github.box.write(".leakmend.toml", config)
    github.box.commit()
    github.git("checkout", "--quiet", "topic")
    github.git("rebase", "--quiet", "main")
    github.push("src/Reader.java", LEAK)
    github.open(**changed)
    reviewed = run()
    assert reviewed is not None and reviewed.ending == "skipped" and reason in reviewed.verdict.title
    assert github.writes == ["check", "complete check"]


def test_an_archived_repository_is_left_alone(github: MemoryGitHub, run: Run) -> None:
    github.push("src/Reader.java", LEAK)
    github.open()
    github.is_archived = True
    reviewed = run()
    assert reviewed is not None and reviewed.ending == "not run"
    assert github.writes == []


def test_a_conflict_with_the_base_is_said(github: MemoryGitHub, run: Run) -> None:
    github.push("src/Reader.java", LEAK)
    github.open(is_mergeable=False)
    reviewed = run()
    assert reviewed is not None and "conflicts with `main`" in reviewed.verdict.summary


def test_closed_while_running_ends_with_a_word_and_nothing_else(github: MemoryGitHub, run: Run) -> None:
    github.push("src/Reader.java", LEAK)
    github.open()
    close_while_running(github)
    reviewed = run()
    assert reviewed is not None and reviewed.ending == "closed"
    assert github.writes == ["check", "complete check"]
    assert run() is not None


def close_while_running(github: MemoryGitHub) -> None:
    real = github.repository

    def closing() -> object:
        github.pulls[3] = msgspec.structs.replace(github.pulls[3], state="closed")
        return real()

    github.repository = closing  # type: ignore[method-assign, assignment]


def test_a_head_that_moves_while_running_leaves_no_check_behind(github: MemoryGitHub, run: Run) -> None:
    github.push("src/Reader.java", LEAK)
    github.open()
    real = github.repository

    def moving() -> object:
        github.push("src/Reader.java", TWO)
        github.repository = real  # type: ignore[method-assign]
        return real()

    github.repository = moving  # type: ignore[method-assign, assignment]
    with pytest.raises(Superseded):
        run()
    assert github.checks[0][1].conclusion == "cancelled"
    assert github.threads(3) == []
    run()
    assert len(github.threads(3)) == 2


def test_a_mass_of_leaks_gets_thirty_comments_and_the_rest_in_the_summary(github: MemoryGitHub, run: Run) -> None:
    method = (
        "    int m{0}(File file, boolean isEmpty) throws IOException {{\n        InputStream in{0} = new FileInputStream(file);\n"
        "        if (isEmpty) {{\n            return -1;\n        }}\n        in{0}.close();\n        return 0;\n    }}\n"
    )
    body = "".join(method.format(number) for number in range(34))
    github.push("src/Many.java", f"package shop;\nimport java.io.*;\nclass Many {{\n{body}}}\n")
    github.open()
    run()
    assert len(github.threads(3)) == 30
    assert len(github.reviews(3)) == 1
    assert "4 findings have no comment of their own" in summary(github)
    run("again")
    assert len(github.threads(3)) == 30 and len(github.reviews(3)) == 1, "asking again brings no more of them"
    assert "4 findings have no comment of their own" in summary(github)


FAR = """\
package shop;

import java.io.*;

class Far {
    static InputStream make(File file) throws IOException {
        return null;
    }
%s
    static int first(File file, boolean isEmpty) throws IOException {
        InputStream in = make(file);
        if (isEmpty) {
            return -1;
        }
        in.close();
        return 0;
    }
}
"""


def test_a_finding_outside_the_hunks_is_told_where_its_path_enters_them(github: MemoryGitHub, run: Run) -> None:
    filler = "".join(f"    int f{number}() {{ return {number}; }}\n" for number in range(30))
    github.git("checkout", "--quiet", "main")
    github.box.write("src/Far.java", FAR % filler)
    github.box.commit()
    github.git("checkout", "--quiet", "topic")
    github.git("rebase", "--quiet", "main")
    github.push("src/Far.java", (FAR % filler).replace("return null;", "return new FileInputStream(file);"))
    github.open()
    run()
    (thread,) = github.threads(3)
    assert thread.line == 7, "where the change acquires: the call itself lies outside the hunks"
    assert "```suggestion" not in thread.comments[0].body and "```diff" in thread.comments[0].body


def test_what_github_refuses_inline_is_told_on_the_file(github: MemoryGitHub, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from bot.github.errors import Unprocessable

    github.push("src/Reader.java", TWO)
    github.open()
    real = github.create_review

    def choosy(number, head, body, comments, mark):  # type: ignore[no-untyped-def]
        if any("other" in comment.body for comment in comments):
            raise Unprocessable("line must be part of the diff")
        return real(number, head, body, comments, mark)

    monkeypatch.setattr(github, "create_review", choosy)
    run()
    assert len(github.reviews(3)) == 1
    assert sorted(thread.line is None for thread in github.threads(3)) == [False, True]


@pytest.mark.parametrize("at", range(1, 8))
def test_a_crash_at_any_write_and_a_second_run_end_the_same(github: MemoryGitHub, run: Run, at: int) -> None:
    github.push("src/Reader.java", LEAK)
    github.open()
    run()
    github.human(github.threads(3)[0], "hm")
    second = LEAK.replace("int first(", "int primary(")
    github.push("src/Reader.java", second)
    github.crash_at = len(github.writes) + at
    try:
        run()
    except Crash:
        github.crash_at = 0
        run()
    assert len(github.reviews(3)) == 2
    names = [fingerprint_of(t.comments[0].body) for t in github.threads(3) if not t.is_resolved]
    assert len(names) == len(set(names)) == 1
    assert summary(github)
    assert {run.status for _, run, _ in github.checks} == {"completed"}


def test_sarif_is_uploaded_where_the_installation_granted_it(github: MemoryGitHub, run: Run) -> None:
    github.granted = {"security_events"}
    github.push("src/Reader.java", LEAK)
    github.open()
    run()
    assert len(github.sarif) == 1


def test_names_of_strangers_cannot_speak_as_markdown(github: MemoryGitHub, run: Run) -> None:
    path = "src/@everyone `x` <img src=x> [a](http:b) #1.java"
    github.push(path, LEAK)
    github.open()
    run()
    texts = [comment.body for comment in github.comments(3)]
    texts += [comment.body for thread in github.threads(3) for comment in thread.comments]
    assert texts
    for text in texts:
        for line in text.splitlines():
            bare = "".join(part for index, part in enumerate(line.split("``")) if index % 2 == 0)
            assert "@everyone" not in bare and "<img" not in bare


def test_a_force_push_back_to_an_earlier_head_brings_its_thread_back(github: MemoryGitHub, run: Run) -> None:
    first = github.push("src/Reader.java", LEAK)
    github.open()
    run()
    github.push("src/Reader.java", CLEAN + "// x\n")
    run()
    assert github.threads(3)[0].is_resolved
    github.git("reset", "--quiet", "--hard", first)
    github.open()
    run()
    assert not github.threads(3)[0].is_resolved
    assert [run.conclusion for head, run, _ in github.checks if head == first] == ["neutral"]


def test_a_pull_request_that_is_reopened_is_reviewed_after_all(github: MemoryGitHub, run: Run) -> None:
    github.push("src/Reader.java", LEAK)
    opened = github.open()
    real = github.repository
    close_while_running(github)
    run()
    github.repository = real  # type: ignore[method-assign]
    github.pulls[3] = opened
    run()
    assert len(github.threads(3)) == 1
    assert [run.conclusion for _, run, _ in github.checks] == ["cancelled", "neutral"]


def test_a_check_that_a_killed_run_left_behind_is_ended_with_the_next_push(github: MemoryGitHub, run: Run) -> None:
    from bot.reviewing import Means, NoBooks, review

    old = github.push("src/Reader.java", LEAK)
    github.open()
    github.crash_at = 2
    with pytest.raises(Crash):
        run()
    github.crash_at = 0
    github.push("src/Reader.java", TWO)
    review(github, 3, Means(source=github, books=NoBooks()), before=old)
    assert [run.conclusion for head, run, _ in github.checks if head == old] == ["cancelled"]


def test_a_locked_conversation_leaves_the_check_and_says_why(
    github: MemoryGitHub, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bot.github.errors import Forbidden

    def locked(*words: object) -> None:
        raise Forbidden("GitHub answered 403: Unable to create comment because issue is locked.")

    monkeypatch.setattr(github, "create_review", locked)
    github.push("src/Reader.java", LEAK)
    github.open()
    reviewed = run()
    assert reviewed is not None and "issue is locked" in reviewed.verdict.summary
    assert github.checks[0][1].conclusion == "neutral"


def test_more_files_than_github_lists_are_read_from_git(github: MemoryGitHub, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def unlisted(number: int) -> list[str]:
        raise AssertionError("GitHub lists 3,000 files at most")

    github.push("src/Reader.java", LEAK)
    github.open(changed_files=3500)
    monkeypatch.setattr(github, "changed_paths", unlisted)
    run()
    assert len(github.threads(3)) == 1


def test_without_a_common_ancestor_the_check_says_so(github: MemoryGitHub, run: Run) -> None:
    github.git("checkout", "--quiet", "--orphan", "island")
    github.box.write("src/Reader.java", LEAK)
    github.box.commit()
    github.git("branch", "--force", "topic", "island")
    github.open(changed_files=1000)
    reviewed = run()
    assert reviewed is not None and reviewed.verdict.conclusion == "neutral"
    assert "no common ancestor" in reviewed.verdict.summary


def test_the_second_of_two_runs_on_a_head_leaves_no_check_waiting(github: MemoryGitHub, run: Run) -> None:
    github.push("src/Reader.java", LEAK)
    github.open()
    github.crash_at = 2
    with pytest.raises(Crash):
        run("asked")
    github.crash_at = 0
    run()
    assert sorted(run.conclusion for _, run, _ in github.checks) == ["cancelled", "neutral"]


@pytest.mark.parametrize(("path", "conclusion"), [("src/Reader.java", "failure"), ("src/test/java/Reader.java", "neutral")])
def test_the_check_is_red_only_where_asked_and_never_for_tests(
    github: MemoryGitHub, run: Run, path: str, conclusion: str
) -> None:
    github.git("checkout", "--quiet", "main")
    github.box.write(".leakmend.toml", "[bot]\nfail-on = 'introduced'\n")
    github.box.commit()
    github.git("checkout", "--quiet", "topic")
    github.git("rebase", "--quiet", "main")
    github.push(path, LEAK)
    github.open()
    reviewed = run()
    assert reviewed is not None and reviewed.verdict.conclusion == conclusion


FORGED = '<!-- leakmend:state {"is_paused":true,"ignored":{"0123456789abcdef":["x","y"]}} -->'


def test_nobody_can_forge_what_people_decided(github: MemoryGitHub, run: Run) -> None:
    """Neither by the reason of a suppression, nor by a file's name, nor by the code that a patch shows."""
    silenced = LEAK.replace("new FileInputStream(file);", f"new FileInputStream(file); // leakmend: ignore[unclosed-resource] `{FORGED}`")
    loud = LEAK.replace("class Reader", "class Loud").replace(
        "        int value",
        '        String text = """\n<!-- leakmend:gone -->\n<!-- leakmend:fp=0123456789abcdef head=1 -->\n""";\n        int value',
    )
    for path, text in (("src/Reader.java", silenced), (f"src/Quiet{FORGED}.java", LEAK), ("src/Loud.java", loud)):
        github.push(path, text)
    github.open()
    run()
    before = [(each.id, [comment.body for comment in each.comments]) for each in github.threads(3)]
    assert "ignore" in github.comments(3)[0].body and len(before) == 2
    assert any("\n<!-- leakmend:fp=0123456789abcdef" in comment for _, (comment,) in before), "the patch shows the forgery"
    run()
    assert [(each.id, [comment.body for comment in each.comments]) for each in github.threads(3)] == before
    assert state_of(github.comments(3)[0].body) == State() and len(github.comments(3)) == 1
