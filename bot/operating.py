"""The commands of operators: `serve`, `worker`, `app create`, `app forget`."""

from __future__ import annotations

import os

from bot.books import DatabaseBooks
from bot.console import say
from bot.database import connect
from bot.errors import CannotRun
from bot.run import Given
from bot.server.creating import Creation
from bot.server.creating import create as create_app
from bot.server.keeping import Keeping
from bot.server.run import serve as serve_app
from bot.server.run import work
from bot.server.settings import APP_FILE, database_in, database_of, endpoint_of, folder_of, from_environment

_PATIENCE = 3600.0
"""Seconds that GitHub's code is good for."""


def serve() -> int:
    """`leakmend serve`."""
    return serve_app(from_environment(os.environ))


def worker() -> int:
    """`leakmend worker`."""
    settings = from_environment(os.environ)
    if not settings.database.startswith(("postgresql://", "postgres://")):
        say("no PostgreSQL in LEAKMEND_DATABASE_URL: this worker serves the embedded database of this machine")
    return work(settings)


def create(given: Given) -> int:
    """`leakmend app create`."""
    folder = folder_of(os.environ)
    if (folder / APP_FILE).exists():
        raise CannotRun(f"{folder / APP_FILE} holds an App already: move it away, or set LEAKMEND_DATA to another folder")
    if not given.webhook.startswith(("https://", "http://")):
        raise CannotRun("--webhook must be an address that GitHub can reach, as in https://leakmend.example.org/webhook")
    creation = Creation(
        endpoint_of(os.environ), folder, given.kind, given.name, given.webhook, given.organization
    )
    created = create_app(creation, say, _PATIENCE)
    say(f"the App {created.slug} is created; its key is in {folder / APP_FILE}; next: `leakmend serve`")
    return 0


def forget(given: Given) -> int:
    """`leakmend app forget`: needs no App and no key, since both may be gone by now."""
    folder = folder_of(os.environ)
    database = connect(database_in(folder, database_of(os.environ)))
    keeping = Keeping(DatabaseBooks(database), folder)
    id = keeping.books.id_of(given.repo)
    if id is None:
        raise CannotRun(f"nothing is kept of {given.repo} in {folder}")
    keeping.forget(id)
    say(f"{given.repo} is forgotten: its clone, its cached results, its findings")
    return 0
