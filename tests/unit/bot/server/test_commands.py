"""`/leakcheck` on a pull request, from the comment's webhook to the answer."""

from __future__ import annotations

import contextlib
import re

from bot.publishing.markers import SUMMARY, fingerprint_of, state_of
from tests.fakes.github import FakeGitHub
from tests.fakes.github.faults import bad_gateway_after, meanwhile
from tests.fakes.github.state import IssueComment, Pull
from tests.unit.bot.code import JAVA

from .station import Station


def reviewed(station: Station) -> tuple[Pull, str]:
    """A reviewed pull request, and the ID of its one finding."""
    pull = station.open()
    station.turn()
    return pull, fingerprint_of(pull.threads[0].comments[0].body)


def say(station: Station, pull: Pull, by: str, text: str) -> IssueComment:
    comment = station.github.comment(pull, by, text)
    station.turn()
    return comment


def reactions(comment: IssueComment) -> list[str]:
    return [reaction.content for reaction in comment.reactions]


def last(station: Station, pull: Pull) -> str:
    return station.ours(pull)[-1].body


def state(station: Station, pull: Pull):  # type: ignore[no-untyped-def]
    (summary,) = [comment.body for comment in station.ours(pull) if SUMMARY in comment.body]
    return state_of(summary)


def test_fix_commits_the_safe_fixes_and_the_thread_resolves(station: Station) -> None:
    pull, _ = reviewed(station)
    before = pull.head
    comment = say(station, pull, "ann", "/leakcheck fix --push")  # no fork: as without
    assert pull.head != before
    content = station.repo.bare.read(pull.head, "src/Reader.java")
    assert content is not None and b"try (" in content
    assert reactions(comment) == ["eyes", "rocket"]
    assert f"Committed {pull.head}" in station.text(pull)
    assert pull.threads[0].is_resolved and len(pull.threads) == 1
    message = station.repo.bare.git("log", "-1", "--format=%B", pull.head)
    assert message.startswith("Close `in` (leakmend)\n")
    assert re.search(r"Co-authored-by: ann <\d+\+ann@users.noreply.", message) and "finding is gone" in message


def test_the_suggestion_as_github_applies_it_is_the_text_of_the_fix(station: Station) -> None:
    pull, _ = reviewed(station)
    suggested = station.github.apply_suggestion(pull.threads[0].comments[0], "ann")
    other = station.open(branch="other")
    station.turn()
    say(station, other, "ann", "/leakcheck fix")
    assert station.repo.bare.read(suggested, "src/Reader.java") == station.repo.bare.read(other.head, "src/Reader.java")


def test_a_crash_after_the_commit_does_not_commit_again(station: Station) -> None:
    pull, _ = reviewed(station)
    station.github.comment(pull, "ann", "/leakcheck fix")
    deliveries = station.github.hooks.take()
    real = station.parts.tasks._app.repository

    class Killed(BaseException):
        pass

    def fragile(*words: int | str):  # type: ignore[no-untyped-def]
        github = real(*words)  # type: ignore[arg-type]
        commit = github.commit

        def dying(new):  # type: ignore[no-untyped-def]
            commit(new)
            raise Killed

        github.commit = dying  # type: ignore[method-assign]
        return github

    station.parts.app.repository = fragile  # type: ignore[method-assign]
    for delivery in deliveries:
        station.post(delivery)
    with contextlib.suppress(Killed):
        station.work()
    station.parts.app.repository = real  # type: ignore[method-assign]
    head = pull.head
    for delivery in deliveries:
        station.post(delivery)
    expire(station)
    station.turn()
    assert pull.head == head
    assert station.text(pull).count("Committed") == 1


def expire(station: Station) -> None:
    """The lease of whoever runs ends now."""
    with station.parts.database.transaction("test") as database:
        database.rows("UPDATE job SET lease = 0 WHERE state = 'running'")


def test_who_may_not_write_is_told_once(station: Station) -> None:
    pull, id = reviewed(station)
    before = pull.head
    first = say(station, pull, "rob", "/leakcheck fix")
    second = say(station, pull, "rob", f"/leakcheck ignore {id[:6]} because")
    assert pull.head == before
    assert reactions(first) == reactions(second) == ["confused"]
    assert station.text(pull).count("is for people who may write") == 1


def test_the_author_may_run_and_explain_but_not_fix(station: Station, github: FakeGitHub) -> None:
    station.repo.collaborators["eve"] = "read"
    github.push(station.repo, "hers", {"src/Reader.java": JAVA}, by="ann")
    pull = github.open_pull(station.repo, "hers", by="eve")
    station.turn()
    id = fingerprint_of(pull.threads[0].comments[0].body)
    assert reactions(say(station, pull, "eve", f"/leakcheck explain {id[:4]}")) == ["eyes", "rocket"]
    assert reactions(say(station, pull, "eve", "/leakcheck")) == ["eyes", "rocket"]
    assert reactions(say(station, pull, "eve", "/leakcheck fix")) == ["confused"]


def test_explain_shows_the_code_along_the_path_and_the_proof(station: Station) -> None:
    pull, id = reviewed(station)
    say(station, pull, "ann", f"/leakcheck explain {id[:8]}")
    text = last(station, pull)
    assert re.search(r"> +\d+ .*new FileInputStream", text)
    assert "| finding is gone | proved |" in text


def test_ignore_is_final_until_it_is_undone(station: Station) -> None:
    pull, id = reviewed(station)
    say(station, pull, "ann", f"/leakcheck ignore {id[:8]} closed by @the pool -->")
    assert pull.threads[0].is_resolved
    assert list(state(station, pull).ignored) == [id]
    assert station.checks(pull.head)[-1] == ("completed", "success")
    station.github.push(station.repo, "topic", {"src/Reader.java": JAVA + "// more\n"}, by="ann")
    station.turn()
    assert len(pull.threads) == 1 and pull.threads[0].is_resolved
    say(station, pull, "ann", f"/leakcheck unignore {id[:8]}")
    assert not state(station, pull).ignored
    assert not pull.threads[0].is_resolved


def test_an_id_that_means_nothing_is_refused_with_a_word(station: Station) -> None:
    pull, _ = reviewed(station)
    comment = say(station, pull, "ann", "/leakcheck ignore ffff nothing")
    assert reactions(comment) == ["eyes", "confused"]
    assert "No finding of this pull request is called `ffff`" in last(station, pull)


def test_pause_keeps_quiet_and_resume_speaks_again(station: Station) -> None:
    pull, _ = reviewed(station)
    say(station, pull, "ann", "/leakcheck pause")
    again = JAVA.replace("int first(", "int primary(")
    station.github.push(station.repo, "topic", {"src/Reader.java": again}, by="ann")
    station.turn()
    assert len(pull.threads) == 1
    assert station.checks(pull.head)[-1] == ("completed", "neutral")
    say(station, pull, "ann", "/leakcheck resume")
    assert len(pull.threads) == 2


def test_unknown_commands_get_one_line_and_help_the_table(station: Station) -> None:
    pull, _ = reviewed(station)
    comment = say(station, pull, "ann", "/leakcheck frobnicate")
    assert reactions(comment) == ["confused"]
    assert "Unknown command" in last(station, pull)
    say(station, pull, "rob", "/leakcheck help")
    assert "| `/leakcheck fix ID` |" in last(station, pull)


def test_several_commands_get_one_answer(station: Station) -> None:
    pull, id = reviewed(station)
    before = len(station.ours(pull))
    say(station, pull, "ann", f"/leakcheck explain {id[:8]}\n/leakcheck help\n/leakcheck ignore {id[:8]} fine")
    assert len(station.ours(pull)) == before + 1
    assert list(state(station, pull).ignored) == [id]


def test_code_quotes_bots_and_edits_command_nothing(station: Station, github: FakeGitHub) -> None:
    pull, _ = reviewed(station)
    for text in ("> /leakcheck fix", "```\n/leakcheck fix\n```", "please /leakcheck fix"):
        assert reactions(say(station, pull, "ann", text)) == []
    github.add_comment(pull, station.app.bot, "/leakcheck fix")
    station.turn()
    assert "Committed" not in station.text(pull)


def test_without_reactions_there_is_the_answer_alone(github: FakeGitHub, tmp_path) -> None:  # type: ignore[no-untyped-def]
    station = Station(github, tmp_path, permissions={"metadata": "read", "contents": "read", "pull_requests": "write", "checks": "write"})
    pull, _ = reviewed(station)
    comment = say(station, pull, "ann", "/leakcheck fix")
    assert reactions(comment) == []
    assert "Not committed: leakmend may not write" in last(station, pull) and "```diff" in last(station, pull)


def test_a_fork_gets_the_patch(station: Station, github: FakeGitHub) -> None:
    fork = github.fork(station.repo, "stranger")
    github.push(fork, "topic", {"src/Reader.java": JAVA}, by="stranger")
    pull = github.open_pull(station.repo, "topic", by="stranger", from_repo=fork)
    station.turn()
    assert "```suggestion" in pull.threads[0].comments[0].body
    before = pull.head
    say(station, pull, "ann", "/leakcheck fix")
    assert pull.head == before
    assert "lies in a fork" in last(station, pull) and "+        try (" in last(station, pull)


def forked(station: Station, github: FakeGitHub, kind: str = "User", maintainer_can_modify: str = "yes") -> Pull:
    """A reviewed pull request from a fork."""
    fork = github.fork(station.repo, "stranger", kind)
    fork.collaborators["mona"] = "write"
    github.push(fork, "topic", {"src/Reader.java": JAVA}, by="mona")
    pull = github.open_pull(station.repo, "topic", by="mona", from_repo=fork, maintainer_can_modify=maintainer_can_modify)
    station.turn()
    return pull


def test_a_fork_that_lets_maintainers_write_gets_the_commit_when_asked(station: Station, github: FakeGitHub) -> None:
    pull = forked(station, github)
    before = pull.head
    say(station, pull, "ann", "/leakcheck fix")
    assert pull.head == before and "`/leakcheck fix --push` does" in last(station, pull)
    comment = say(station, pull, "ann", "/leakcheck fix --push")
    assert pull.head != before and f"Committed {pull.head}" in last(station, pull)
    bare = pull.head_repo.bare
    assert bare.git("rev-parse", f"{pull.head}^").strip() == before
    assert "+        try (" in bare.git("diff", before, pull.head) and bare.git("diff", "--name-only", before, pull.head) == "src/Reader.java\n"
    who = f"leakmend[bot] <{station.app.bot.id}+leakmend[bot]@users.noreply."
    assert bare.git("log", "-1", "--format=%an <%ae> %cn <%ce>", pull.head).count(who) == 2
    assert re.search(r"Co-authored-by: ann ", bare.git("log", "-1", "--format=%B", pull.head))
    assert reactions(comment) == ["eyes", "rocket"] and pull.threads[0].is_resolved and len(pull.threads) == 1


def test_a_fork_that_does_not_gets_the_patch_and_the_reason(station: Station, github: FakeGitHub) -> None:
    closed = forked(station, github, maintainer_can_modify="")
    before = closed.head
    say(station, closed, "ann", "/leakcheck fix --push")
    assert closed.head == before and "does not let maintainers write" in last(station, closed) and "```diff" in last(station, closed)


def test_a_fork_of_an_organization_gets_the_patch_and_the_reason(station: Station, github: FakeGitHub) -> None:
    pull = forked(station, github, kind="Organization")
    before = pull.head
    say(station, pull, "ann", "/leakcheck fix --push")
    assert pull.head == before and "belongs to an organization" in last(station, pull) and "```diff" in last(station, pull)


def test_a_fork_whose_author_took_it_back_gets_the_patch(station: Station, github: FakeGitHub) -> None:
    """Unticking sends no event; here it happens between our question and our push."""
    pull = forked(station, github)
    before = pull.head

    def untick() -> None:
        pull.maintainer_can_modify = False

    github.fail(meanwhile("GIT push", untick))
    say(station, pull, "ann", "/leakcheck fix --push")
    assert pull.head == before and "may not write to this branch" in last(station, pull)


def test_a_fork_that_is_pushed_to_at_the_same_moment_keeps_what_was_pushed(station: Station, github: FakeGitHub) -> None:
    pull = forked(station, github)

    def push() -> None:
        github.push(pull.head_repo, "topic", {"README.md": "mine\n"}, by="mona")

    github.fail(meanwhile("GIT push /git-receive-pack", push))
    comment = say(station, pull, "ann", "/leakcheck fix --push")
    assert pull.head_repo.bare.read(pull.head, "README.md") == b"mine\n"
    assert reactions(comment) == ["eyes", "confused"] and "moved at this very moment" in station.text(pull)


def test_who_may_not_write_to_the_base_pushes_to_no_fork(station: Station, github: FakeGitHub) -> None:
    pull = forked(station, github)
    before = pull.head
    say(station, pull, "rob", "/leakcheck fix --push")
    say(station, pull, "mona", "/leakcheck fix --push")
    assert pull.head == before


def test_a_push_whose_answer_is_lost_is_not_made_twice(station: Station, github: FakeGitHub) -> None:
    pull = forked(station, github)
    before = pull.head
    github.fail(bad_gateway_after("GIT push /git-receive-pack"))
    github.comment(pull, "ann", "/leakcheck fix --push")
    station.turn()
    assert "Committed" not in station.text(pull) and pull.head != before
    with station.parts.database.transaction("test") as database:
        database.rows("UPDATE job SET ready = 0")
    station.turn()
    assert pull.head_repo.bare.git("rev-list", "--count", f"{before}..{pull.head}").strip() == "1"
    assert station.text(pull).count("Committed") == 1


def test_a_protected_branch_gets_the_patch_and_the_reason(station: Station) -> None:
    pull, _ = reviewed(station)
    station.repo.protected.add("topic")
    say(station, pull, "ann", "/leakcheck fix")
    assert "Not committed" in last(station, pull) and "```diff" in last(station, pull)


def test_the_buttons_of_the_check_do_the_same_for_who_may(station: Station, github: FakeGitHub) -> None:
    pull, _ = reviewed(station)
    run = station.repo.checks[-1]
    before = pull.head
    github.press(run, "fix", "rob")
    station.turn()
    assert pull.head == before
    github.press(run, "fix", "ann")
    station.turn()
    assert pull.head != before and pull.threads[0].is_resolved


def test_rerequesting_the_check_makes_a_new_one_and_no_comment_twice(station: Station, github: FakeGitHub) -> None:
    pull, _ = reviewed(station)
    texts = station.text(pull)
    github.rerequest(station.repo.checks[-1], "ann")
    station.turn()
    assert station.checks(pull.head) == [("completed", "neutral")] * 2
    assert station.text(pull) == texts


def test_autofix_never_refuses(station: Station, github: FakeGitHub) -> None:
    github.push(station.repo, "main", {".leakmend.toml": '[bot]\nautofix = "never"\n'}, by="ann")
    pull, _ = reviewed(station)
    before = pull.head
    say(station, pull, "ann", "/leakcheck fix")
    assert pull.head == before and "switched off" in last(station, pull)
    assert all(action["identifier"] == "run" for action in station.repo.checks[-1].actions)
