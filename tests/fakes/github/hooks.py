"""Webhook deliveries: signed, sent over HTTP, kept for the list, and lost, doubled or reordered on demand."""

from __future__ import annotations

import collections
import hashlib
import hmac
import json
import threading
import time
import uuid
from collections.abc import Callable, Sequence

import httpx

from tests.fakes.github.clock import Clock
from tests.fakes.github.state import App, Delivery

KEPT_SECONDS = 3 * 24 * 3600.0
"""How long GitHub can send a delivery again."""


class Hooks:
    """The outbox. Nothing is sent before `send_all`, or `start` for a thread that sends at once.

    `lost` so many next deliveries never arrive (they are in the list as failed); `doubled` so many arrive twice.
    """

    def __init__(self, clock: Clock, number: Callable[[], int]) -> None:
        self._clock, self._number = clock, number
        self._outbox: collections.deque[Delivery] = collections.deque()
        self._wake = threading.Condition()
        self._sender: threading.Thread | None = None
        self._is_stopping = False
        self._busy = 0
        self.log: list[Delivery] = []
        self.lost = 0
        self.doubled = 0
        self.is_held = False

    # --- what GitHub does

    def add(self, app: App, event: str, payload: dict[str, object], installation: int | None, repository: int | None) -> None:
        """Put an event into the outbox, if the App asked for it."""
        if not app.hook_url or (event not in app.events and event not in ("installation", "installation_repositories", "ping")):
            return
        action = payload.get("action")
        delivery = Delivery(
            id=self._number(), guid=str(uuid.uuid4()), event=event, action=action if isinstance(action, str) else None,
            payload=json.dumps(payload).encode(), app=app, installation=installation, repository=repository,
            created=self._clock(),
        )  # fmt: skip
        with self._wake:
            self.log.append(delivery)
            if self.lost > 0:
                self.lost -= 1
                delivery.is_pending = False
                return
            self._outbox.append(delivery)
            if self.doubled > 0:
                self.doubled -= 1
                self._outbox.append(self._again(delivery))
            self._wake.notify_all()

    def redeliver(self, delivery: Delivery) -> None:
        """What an App may ask for within three days."""
        with self._wake:
            again = self._again(delivery)
            self.log.append(again)
            self._outbox.append(again)
            self._wake.notify_all()

    def _again(self, delivery: Delivery) -> Delivery:
        return Delivery(
            id=self._number(), guid=delivery.guid, event=delivery.event, action=delivery.action, payload=delivery.payload,
            app=delivery.app, installation=delivery.installation, repository=delivery.repository, created=self._clock(),
            is_redelivery=True,
        )  # fmt: skip

    # --- sending

    def take(self) -> list[Delivery]:
        """Empty the outbox without sending: for tests that hand deliveries over themselves."""
        with self._wake:
            taken = list(self._outbox)
            self._outbox.clear()
        return taken

    def put_back(self, deliveries: Sequence[Delivery]) -> None:
        """Into the outbox again, in this order."""
        with self._wake:
            self._outbox.extend(deliveries)
            self._wake.notify_all()

    def send_all(self) -> list[Delivery]:
        """Send what is in the outbox; what was sent."""
        sent = self.take()
        for delivery in sent:
            self._send(delivery)
        return sent

    def _send(self, delivery: Delivery) -> None:
        start = time.perf_counter()
        try:
            answer = httpx.post(delivery.app.hook_url, content=delivery.payload, headers=headers(delivery), timeout=10)
            delivery.status = answer.status_code
        except httpx.HTTPError:
            delivery.status = 0
        delivery.took = time.perf_counter() - start
        delivery.is_pending = False

    def start(self) -> None:
        """Send from a thread from now on."""
        self._sender = threading.Thread(target=self._run, name="fake-github-hooks", daemon=True)
        self._sender.start()

    def stop(self) -> None:
        """End the thread."""
        with self._wake:
            self._is_stopping = True
            self._wake.notify_all()
        if self._sender is not None:
            self._sender.join(timeout=15)

    def is_idle(self) -> bool:
        """Whether all was sent."""
        with self._wake:
            return not self._outbox and not self._busy

    def _run(self) -> None:
        while True:
            with self._wake:
                while (self.is_held or not self._outbox) and not self._is_stopping:
                    self._wake.wait(0.5)
                if self._is_stopping:
                    return
                delivery = self._outbox.popleft()
                self._busy += 1
            self._send(delivery)
            with self._wake:
                self._busy -= 1


def headers(delivery: Delivery) -> dict[str, str]:
    """The headers of a delivery."""
    return {
        "Content-Type": "application/json",
        "User-Agent": "GitHub-Hookshot/fake",
        "X-GitHub-Delivery": delivery.guid,
        "X-GitHub-Event": delivery.event,
        "X-GitHub-Hook-Installation-Target-ID": str(delivery.app.id),
        "X-GitHub-Hook-Installation-Target-Type": "integration",
        "X-Hub-Signature-256": sign(delivery.app.secret, delivery.payload),
    }


def sign(secret: str, payload: bytes) -> str:
    """The signature of a payload."""
    return "sha256=" + hmac.new(secret.encode(), payload, hashlib.sha256).hexdigest()
