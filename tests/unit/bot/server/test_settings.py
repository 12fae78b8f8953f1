from __future__ import annotations

import re
import stat
from pathlib import Path

import httpx
import pytest

from bot import database
from bot.books import DatabaseBooks
from bot.errors import CannotRun
from bot.github.app import Endpoint
from bot.github.auth import AppKey
from bot.operating import forget
from bot.run import given
from bot.server.creating import Creation, manifest
from bot.server.keeping import Keeping
from bot.server.settings import APP_FILE, AppFile, database_in, from_environment, keep
from tests.fakes.github import FakeGitHub

ROOT = Path(__file__).parents[4]


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(CannotRun, match="LEAKMEND_APP_ID is not set: `leakmend app create`"):
        from_environment({"LEAKMEND_DATA": str(tmp_path)})


def test_secrets_may_lie_in_files(tmp_path: Path) -> None:
    for name, text in (("key", "key!"), ("secret", "secret!"), ("url", "postgresql://here")):
        (tmp_path / name).write_text(f"{text}\n")
    settings = from_environment(
        {"LEAKMEND_DATA": str(tmp_path), "LEAKMEND_APP_ID": "7", "LEAKMEND_PRIVATE_KEY_FILE": str(tmp_path / "key"),
         "LEAKMEND_WEBHOOK_SECRET_FILE": str(tmp_path / "secret"), "LEAKMEND_DATABASE_URL_FILE": str(tmp_path / "url")}
    )  # fmt: skip
    assert (settings.private_key, settings.webhook_secret, settings.database) == ("key!", "secret!", "postgresql://here")
    assert "key!" not in repr(settings)


def test_a_number_that_is_none_is_named(tmp_path: Path) -> None:
    keep(tmp_path, AppFile("7", "key", "secret"))
    with pytest.raises(CannotRun, match="LEAKMEND_PORT is 'http'"):
        from_environment({"LEAKMEND_DATA": str(tmp_path), "LEAKMEND_PORT": "http"})


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [("LEAKMEND_WRITE_GAP", "abc", "not a number of seconds"), ("LEAKMEND_WRITE_GAP", "-1", "not a number of seconds"),
     ("LEAKMEND_PORT", "99999", "from 0 to 65535"), ("LEAKMEND_JOBS", "²", "not a number"),
     ("LEAKMEND_DATABASE_URL", "mysql://here", "must begin with postgresql://")],
)  # fmt: skip
def test_every_setting_that_is_wrong_is_named(tmp_path: Path, name: str, value: str, says: str) -> None:
    keep(tmp_path, AppFile("7", "key", "secret"))
    with pytest.raises(CannotRun, match=f"{name}.*{says}"):
        from_environment({"LEAKMEND_DATA": str(tmp_path), name: value})


def test_a_database_that_does_not_answer_is_named_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_PATIENCE", 0.5)
    with pytest.raises(CannotRun, match="the PostgreSQL of LEAKMEND_DATABASE_URL does not answer") as caught:
        database.connect("postgresql://me:hush@127.0.0.1:1/none")
    assert "hush" not in str(caught.value)


def test_a_repository_is_forgotten_without_an_app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.environ", {"LEAKMEND_DATA": str(tmp_path)})
    kept = Keeping(DatabaseBooks(database.connect(database_in(tmp_path, ""))), tmp_path)
    kept.books.seen(7, "acme/pump", 1)
    kept.cache_of(7).parent.mkdir()
    kept.cache_of(7).write_bytes(b"results")
    assert forget(given({"repo": "acme/pump"})) == 0
    assert kept.books.id_of("acme/pump") is None and not kept.cache_of(7).exists()
    with pytest.raises(CannotRun, match="nothing is kept of acme/pump"):
        forget(given({"repo": "acme/pump"}))


def test_a_key_that_is_none_says_so_without_showing_it() -> None:
    with pytest.raises(CannotRun) as caught:
        AppKey("7", "-----BEGIN NONSENSE-----")
    assert "NONSENSE" not in str(caught.value)


@pytest.mark.parametrize(
    ("api", "site"),
    [("https://api.github.com", "https://github.com"), ("https://ghe.example.org/api/v3", "https://ghe.example.org"),
     ("https://api.acme.ghe.com", "https://acme.ghe.com")],
)  # fmt: skip
def test_enterprise_servers_are_found(api: str, site: str) -> None:
    assert Endpoint(api).site == site


def test_the_manifests_ask_for_no_more_than_they_need() -> None:
    comment, mend = (manifest(kind, "x", "https://x", "http://y")["default_permissions"] for kind in ("comment", "mend"))
    assert isinstance(comment, dict) and isinstance(mend, dict)
    assert comment["contents"] == "read" and mend["contents"] == "write"
    for permissions in (comment, mend):
        assert not permissions.keys() & {"workflows", "secrets", "administration", "members"}


def test_the_manifest_flow_ends_with_a_key_that_only_its_owner_reads(tmp_path: Path) -> None:
    with FakeGitHub(tmp_path / "hub") as github:
        creation = Creation(Endpoint(github.url), tmp_path / "state", "mend", "leakmend", "https://x/webhook", "acme")
        with creation:
            page = httpx.get(creation.url).text
            target = re.search(r'action="([^"]+)"', page)
            form = re.search(r'name="manifest" value="([^"]+)"', page)
            assert target is not None and form is not None
            import html

            sent = httpx.post(html.unescape(target[1]), data={"manifest": html.unescape(form[1])})
            assert sent.status_code == 302
            rebound = httpx.get(creation.url, headers={"Host": "evil.example.org"})
            assert rebound.status_code == 404 and "manifest" not in rebound.text, "a name that was made to mean this machine"
            forged = re.sub(r"state=[^&]*", "state=forged", sent.headers["location"])
            assert httpx.get(forged).status_code == 400 and not creation.done.is_set()
            assert httpx.get(sent.headers["location"]).status_code == 200
            assert creation.done.is_set()
    kept = tmp_path / "state" / APP_FILE
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    settings = from_environment({"LEAKMEND_DATA": str(tmp_path / "state")})
    assert AppKey(settings.app_id, settings.private_key).token().value.count(".") == 2


def test_the_settings_in_the_manual_are_those_that_are_read() -> None:
    manual = (ROOT / "docs" / "operators.md").read_text("utf-8")
    source = (ROOT / "bot" / "server" / "settings.py").read_text("utf-8")
    read = set(re.findall(r'"((?:LEAKMEND|GITHUB)_[A-Z_]+)"', source)) - {"LEAKMEND_WRITE_GAP"}
    assert read == set(re.findall(r"`((?:LEAKMEND|GITHUB)_[A-Z_]+)`", manual))
