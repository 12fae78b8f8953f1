from __future__ import annotations

import pytest

from bot.github.adapter import RestGitHub
from bot.github.auth import GivenToken, InstallationTokens, Token, redacted
from bot.github.errors import Conflict, Forbidden, RateLimited, Unauthorized, Unavailable
from bot.github.limits import LocalPace
from bot.github.model import Annotation, CheckRun, Verdict
from bot.github.outgoing import cut
from bot.github.transport import Transport
from bot.reviewing import Superseded

from .scripted import Asked, Reply, ScriptedGitHub

MARK = "<!-- leakmend:summary"


class Sleeps(list[float]):
    def __call__(self, seconds: float) -> None:
        self.append(seconds)


def transport(server: ScriptedGitHub, sleeps: Sleeps | None = None) -> Transport:
    sleep = sleeps if sleeps is not None else Sleeps()
    return Transport(server.url, GivenToken("ghs_secret"), LocalPace(0.0, clock=lambda: 0.0, sleep=sleep), sleep)


def repository(server: ScriptedGitHub) -> RestGitHub:
    return RestGitHub(transport(server), "acme/pump", "leakmend[bot]", server.url)


def comment(id: int, body: str) -> dict[str, object]:
    return {"id": id, "body": body, "user": {"login": "leakmend[bot]"}}


def test_a_comment_that_was_created_in_spite_of_502_is_not_created_again() -> None:
    kept: list[dict[str, object]] = []

    def script(asked: Asked) -> Reply:
        if asked.verb == "POST":
            kept.append(comment(7, asked.body["body"]))
            return 502, {}, {}
        return 200, kept, {}

    with ScriptedGitHub(script) as server:
        made = repository(server).create_comment(3, f"text\n{MARK} -->", MARK)
        assert made.id == 7
        assert server.count("POST", "/repos/acme/pump/issues/3/comments") == 1


def test_a_comment_that_was_not_created_is_tried_again() -> None:
    answers = [502, 201]

    def script(asked: Asked) -> Reply:
        if asked.verb == "POST":
            return answers.pop(0), comment(8, asked.body["body"]), {}
        return 200, [], {}

    with ScriptedGitHub(script) as server:
        assert repository(server).create_comment(3, f"text\n{MARK} -->", MARK).id == 8
        assert server.count("POST", "/") == 2


def test_a_comment_with_our_mark_that_somebody_else_wrote_is_not_ours() -> None:
    answers = [502, 201]
    forged = {"id": 1, "body": f"{MARK} -->", "user": {"login": "mallory"}}

    def script(asked: Asked) -> Reply:
        if asked.verb == "POST":
            return answers.pop(0), comment(9, asked.body["body"]), {}
        return 200, [forged], {}

    with ScriptedGitHub(script) as server:
        assert repository(server).create_comment(3, f"{MARK} -->", MARK).id == 9


@pytest.mark.parametrize(
    ("status", "headers", "wait"),
    [(429, {"retry-after": "7"}, 7.5), (403, {"retry-after": "2"}, 2.5), (429, {}, 60.0)],
)
def test_being_too_fast_is_waited_for_as_asked(status: int, headers: dict[str, str], wait: float) -> None:
    answers = [(status, headers), (200, {})]

    def script(asked: Asked) -> Reply:
        code, sent = answers.pop(0)
        return code, {"id": 1, "full_name": "acme/pump"}, sent

    sleeps = Sleeps()
    with ScriptedGitHub(script) as server:
        RestGitHub(transport(server, sleeps), "acme/pump", "me[bot]", server.url).repository()
    assert wait in sleeps


def test_a_limit_that_does_not_end_puts_the_job_off() -> None:
    with ScriptedGitHub(lambda asked: (429, {}, {"retry-after": "30"})) as server, pytest.raises(RateLimited):
        repository(server).repository()


def test_a_plain_403_is_no_limit() -> None:
    def script(asked: Asked) -> Reply:
        return 403, {"message": "Resource not accessible by integration"}, {}

    with ScriptedGitHub(script) as server, pytest.raises(Forbidden, match="not accessible"):
        repository(server).repository()


def test_what_did_not_change_is_not_sent_again() -> None:
    def script(asked: Asked) -> Reply:
        if asked.headers.get("if-none-match") == '"v1"':
            return 304, None, {}
        return 200, {"id": 1, "full_name": "acme/pump", "size": 4}, {"etag": '"v1"'}

    with ScriptedGitHub(script) as server:
        github = repository(server)
        assert github.repository() == github.repository()
        assert server.asked[1].headers["if-none-match"] == '"v1"'


def test_lists_are_read_to_their_last_page_wherever_the_next_link_leads() -> None:
    def script(asked: Asked) -> Reply:
        if "cursor=b" in asked.path:
            return 200, [comment(2, "b")], {}
        return 200, [comment(1, "a")], {"link": f'<{server.url}/x?cursor=b&per_page=100>; rel="next"'}

    with ScriptedGitHub(script) as server:
        assert [each.id for each in repository(server).comments(3)] == [1, 2]


def test_a_token_that_ended_is_renewed_once() -> None:
    issued = iter(("ghs_old", "ghs_new", "ghs_newer"))

    def script(asked: Asked) -> Reply:
        if "ghs_old" in asked.headers["authorization"]:
            return 401, {"message": "Bad credentials"}, {}
        return 200, {"id": 5}, {}

    with ScriptedGitHub(script) as server:
        tokens = InstallationTokens(lambda: Token(next(issued), 1e12), clock=lambda: 0.0)
        pace = LocalPace(0.0, clock=lambda: 0.0)
        github = RestGitHub(Transport(server.url, tokens, pace, Sleeps()), "acme/pump", "me[bot]", server.url)
        assert github.repository().id == 5


def test_a_token_that_is_refused_for_good_says_so_without_naming_it() -> None:
    def script(asked: Asked) -> Reply:
        return 401, {"message": "Bad credentials ghs_secret"}, {}

    with ScriptedGitHub(script) as server, pytest.raises(Unauthorized) as caught:
        repository(server).repository()
    assert "ghs_secret" not in str(caught.value)


def test_nobody_there_is_unavailable() -> None:
    with ScriptedGitHub(lambda asked: (200, {}, {})) as server:
        github = repository(server)
    with pytest.raises(Unavailable):
        github.repository()


def test_annotations_go_in_fifties_and_none_twice_after_a_crash() -> None:
    sent: list[int] = []

    def script(asked: Asked) -> Reply:
        sent.append(len(asked.body["output"]["annotations"]))
        return 200, {"id": 4}, {}

    many = tuple(Annotation("A.java", line, line, "warning", "t", "m") for line in range(1, 121))
    with ScriptedGitHub(script) as server:
        repository(server).update_check(CheckRun(4, "x", "queued"), Verdict("neutral", "t", "s", annotations=many))
        repository(server).update_check(CheckRun(4, "x", "queued", "", 100), Verdict("neutral", "t", "s", annotations=many))
    assert sent == [50, 50, 20, 20]


def test_who_lost_the_job_writes_nothing() -> None:
    def lost() -> None:
        raise Superseded

    with ScriptedGitHub([]) as server:
        transport = Transport(server.url, GivenToken("t"), LocalPace(0.0), guard=lost)
        with pytest.raises(Superseded):
            RestGitHub(transport, "acme/pump", "leakmend[bot]", "https://github.test").create_comment(3, "text", MARK)
        with pytest.raises(Superseded):
            transport.mutate("mutation", {}, object)
        assert not server.asked


def test_a_commit_on_a_branch_that_moved_is_a_conflict() -> None:
    def script(asked: Asked) -> Reply:
        return 200, {"data": None, "errors": [{"type": "STALE_DATA", "message": "Expected branch to point to"}]}, {}

    from bot.github.api import NewCommit

    with ScriptedGitHub(script) as server, pytest.raises(Conflict):
        repository(server).commit(NewCommit("topic", "a" * 40, "Close `in`", "", {"A.java": b"x"}))


def test_bodies_are_cut_but_keep_their_markers() -> None:
    marks = "\n<!-- leakmend:summary head=2 -->\n<!-- leakmend:state {} -->\n"
    text = cut("line\n" * 20_000 + marks)
    assert len(text) <= 65_536
    assert text.endswith(marks)
    assert "cut" in text
    assert cut("short") == "short"
    assert len(cut("\U0001f600" * 70_000)) <= 65_536


def test_secrets_are_redacted_whatever_their_length() -> None:
    text = "ghs_12_eyJhbGciOi.abc.def and Bearer abcdefghijklmnopqrstuvwxyz and github_pat_11ABC"
    assert redacted(text) == "… and … and …"


