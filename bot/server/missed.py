"""Asks GitHub to send again what did not arrive: it never does so by itself, and forgets after three days."""

from __future__ import annotations

import logging
import threading
import time

from bot.github.app import App
from bot.github.errors import GitHubError
from bot.github.model import Delivery

_LOG = logging.getLogger(__name__)

EVERY = 600.0
WINDOW = 3 * 86400.0
"""How far back GitHub can go; looked at in whole at start."""

RECENT = 2 * 3600.0
"""How far back every later round looks."""

MOST = 100
"""Deliveries to ask for in one round."""


def missed(deliveries: list[Delivery]) -> list[Delivery]:
    """The newest attempt of each delivery of which no attempt was answered well, oldest first."""
    arrived = {each.guid for each in deliveries if 200 <= each.status_code < 300}
    newest: dict[str, Delivery] = {}
    for each in deliveries:
        if each.guid not in arrived:
            newest.setdefault(each.guid, each)
    return list(reversed(list(newest.values())))


def ask_again(app: App, asked: dict[str, float], now: float, window: float = WINDOW) -> int:
    """One round; how many were asked for. `asked` remembers when, so that each gets time to arrive."""
    count = 0
    for delivery in missed(app.deliveries(now - window))[:MOST]:
        if now - asked.get(delivery.guid, 0.0) < 2 * EVERY:
            continue
        app.deliver_again(delivery.id)
        asked[delivery.guid] = now
        count += 1
    return count


def keep_asking(app: App, stop: threading.Event) -> None:
    """At start, and every ten minutes."""
    asked: dict[str, float] = {}
    window = WINDOW
    while not stop.is_set():
        try:
            count = ask_again(app, asked, time.time(), window)
            window = RECENT
            if count:
                _LOG.info("asked for %d missed deliveries", count)
        except GitHubError as error:
            _LOG.warning("missed deliveries could not be asked for: %s", error)
        except Exception:
            _LOG.exception("missed deliveries could not be asked for")
        stop.wait(EVERY)
