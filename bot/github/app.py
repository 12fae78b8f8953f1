"""The App: its own name, its installations, its deliveries; and the way to a repository through one of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from urllib.parse import urlsplit

import msgspec

from bot.database import Database
from bot.github import wire
from bot.github.adapter import RestGitHub
from bot.github.auth import AppKey, InstallationTokens, Token, ends
from bot.github.errors import Forbidden, NotFound, Unauthorized, Unprocessable
from bot.github.limits import Limits, LocalPace, SharedPace
from bot.github.model import Delivery
from bot.github.transport import Etags, Transport

PUBLIC_API = "https://api.github.com"


class Endpoint(msgspec.Struct, frozen=True):
    """Where GitHub is: github.com, or an Enterprise Server by its `GITHUB_API_URL`."""

    api_url: str = PUBLIC_API
    web_url: str = ""

    @property
    def site(self) -> str:
        """Where people see it."""
        if self.web_url:
            return self.web_url.rstrip("/")
        parts = urlsplit(self.api_url)
        if parts.netloc == "api.github.com":
            return "https://github.com"
        return f"{parts.scheme}://{parts.netloc.removeprefix('api.')}"


class App:
    """Speaks as the App. One per process; repositories are handed out per job."""

    def __init__(
        self,
        endpoint: Endpoint,
        key: AppKey,
        database: Database,
        limits: Limits | None = None,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.endpoint = endpoint
        self._key, self._database = key, database
        self._limits = limits or Limits()
        self._clock, self._sleep = clock, sleep
        self._login = ""
        self._tokens: dict[tuple[int, int], InstallationTokens] = {}
        self._etags = Etags()

    @property
    def login(self) -> str:
        """`slug[bot]`, asked for once."""
        if not self._login:
            self._login = f"{self._own().get('/app', wire.AppJson).slug}[bot]"
        return self._login

    def repository(
        self, installation: int, id: int, full_name: str, guard: Callable[[], None] = lambda: None
    ) -> RestGitHub:
        """One repository, through a token that is good for it alone. `guard` raises where writing is not ours any more."""
        known = (installation, id)
        if known not in self._tokens:
            self._tokens[known] = InstallationTokens(lambda: self._installation_token(installation, id), self._clock)
        pace = SharedPace(self._database, installation, self._limits, self._clock, self._sleep)
        transport = Transport(self.endpoint.api_url, self._tokens[known], pace, self._sleep, etags=self._etags, guard=guard)
        return RestGitHub(transport, full_name, self.login, self.endpoint.site)

    def drop_tokens(self, installation: int) -> None:
        """An installation changed: what its tokens were good for may have changed with it."""
        for known in [each for each in self._tokens if each[0] == installation]:
            self._tokens.pop(known, None)

    def installation_of(self, full_name: str) -> int | None:
        """The installation that covers a repository."""
        try:
            return self._own().get(f"/repos/{full_name}/installation", wire.AppJson).id
        except (NotFound, Unauthorized):
            return None

    def deliveries(self, since: float) -> list[Delivery]:
        """The webhook deliveries since a time (seconds), newest first."""
        found: list[Delivery] = []
        for page in self._own().by_page("/app/hook/deliveries", wire.DeliveryJson):
            recent = [each for each in page if ends(each.delivered_at) >= since]
            found += [
                Delivery(each.id, each.guid, each.status, each.status_code, each.event, each.delivered_at)
                for each in recent
            ]
            if len(recent) < len(page):
                break
        return found

    def deliver_again(self, delivery: int) -> None:
        """Ask GitHub to send a delivery once more."""
        self._own().repeat("POST", f"/app/hook/deliveries/{delivery}/attempts")

    def _own(self) -> Transport:
        return Transport(self.endpoint.api_url, self._key, LocalPace(0.0, sleep=self._sleep), self._sleep)

    def _installation_token(self, installation: int, repository: int) -> Token:
        asked = {"repository_ids": [repository]}
        try:
            answer = self._own().repeat("POST", f"/app/installations/{installation}/access_tokens", asked)
        except (Forbidden, NotFound, Unprocessable) as error:
            raise Unauthorized(f"installation {installation} is suspended, or has this repository no more: {error}") from None
        found = msgspec.json.decode(answer.body, type=wire.TokenJson)
        return Token(found.token, ends(found.expires_at), found.permissions)
