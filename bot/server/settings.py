"""How a server is set up: environment variables, and what `leakmend app create` left in the folder of its state."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from bot.errors import CannotRun
from bot.github.app import PUBLIC_API, Endpoint

APP_FILE = "app.json"


class AppFile(msgspec.Struct, frozen=True, omit_defaults=True):
    """What GitHub handed out when the App was created. Readable by its owner only."""

    app_id: str
    private_key: str
    webhook_secret: str
    slug: str = ""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a server or a worker is told.

    folder     clones, cache, and the embedded database
    database   `postgresql://…`, or empty for the embedded one
    workers    how many jobs this process does at once; 0 for none
    learns     whether default branches are analysed when nobody waits, so that reviews are fast
    status_token   what the status page asks for; empty: it answers this machine only
    """

    app_id: str
    private_key: str
    webhook_secret: str
    endpoint: Endpoint
    folder: Path
    database: str = ""
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 2
    jobs: int = 1
    per_installation: int = 2
    learns: bool = True
    status_token: str = ""
    write_gap: float = 1.0

    def __repr__(self) -> str:
        return f"Settings(app_id={self.app_id!r}, …)"

    @property
    def database_url(self) -> str:
        """Where the queue is."""
        return database_in(self.folder, self.database)


def endpoint_of(environment: Mapping[str, str]) -> Endpoint:
    """github.com, or the Enterprise Server that `GITHUB_API_URL` names."""
    return Endpoint(environment.get("GITHUB_API_URL", PUBLIC_API), environment.get("GITHUB_SERVER_URL", ""))


def folder_of(environment: Mapping[str, str]) -> Path:
    """Where state is kept."""
    base = environment.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    return Path(environment.get("LEAKMEND_DATA") or os.path.join(base, "leakmend"))


def database_of(environment: Mapping[str, str]) -> str:
    """The database to share, empty for the embedded one; CannotRun where it is of another kind."""
    url = secret(environment, "LEAKMEND_DATABASE_URL")
    if url and not url.startswith(("postgresql://", "postgres://")):
        raise CannotRun("LEAKMEND_DATABASE_URL must begin with postgresql://; leave it out for the embedded database")
    return url


def database_in(folder: Path, url: str) -> str:
    """The database that a URL names, or the one embedded in the folder of the state."""
    return url or f"sqlite://{folder / 'leakmend.sqlite'}"


def from_environment(environment: Mapping[str, str]) -> Settings:
    """The settings; CannotRun that names what is missing."""
    folder = folder_of(environment)
    created = _created(folder)
    app_id = environment.get("LEAKMEND_APP_ID") or created.app_id
    key = secret(environment, "LEAKMEND_PRIVATE_KEY") or created.private_key
    hook = secret(environment, "LEAKMEND_WEBHOOK_SECRET") or created.webhook_secret
    for name, value in (
        ("LEAKMEND_APP_ID", app_id), ("LEAKMEND_PRIVATE_KEY", key), ("LEAKMEND_WEBHOOK_SECRET", hook)
    ):  # fmt: skip
        if not value:
            raise CannotRun(f"{name} is not set: `leakmend app create` makes an App and keeps what it needs")
    return Settings(
        app_id=app_id,
        private_key=key.replace("\\n", "\n"),
        webhook_secret=hook,
        endpoint=endpoint_of(environment),
        folder=folder,
        database=database_of(environment),
        host=environment.get("LEAKMEND_HOST", "127.0.0.1"),
        port=number(environment, "LEAKMEND_PORT", 8000, most=65_535),
        workers=number(environment, "LEAKMEND_WORKERS", 2),
        jobs=number(environment, "LEAKMEND_JOBS", 1),
        per_installation=number(environment, "LEAKMEND_PER_INSTALLATION", 2),
        learns=number(environment, "LEAKMEND_LEARN", 1, most=1) == 1,
        status_token=secret(environment, "LEAKMEND_STATUS_TOKEN"),
        write_gap=seconds(environment, "LEAKMEND_WRITE_GAP", 1.0),
    )


def keep(folder: Path, created: AppFile) -> Path:
    """Write down what GitHub handed out, for its owner's eyes only."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / APP_FILE
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(msgspec.json.format(msgspec.json.encode(created)))
    return path


def _created(folder: Path) -> AppFile:
    path = folder / APP_FILE
    try:
        return msgspec.json.decode(path.read_bytes(), type=AppFile)
    except FileNotFoundError:
        return AppFile("", "", "")
    except (OSError, msgspec.MsgspecError) as error:
        raise CannotRun(f"{path} cannot be read: {error}") from None


def secret(environment: Mapping[str, str], name: str) -> str:
    """A secret in a variable, or in the file that `NAME_FILE` names."""
    if path := environment.get(f"{name}_FILE"):
        try:
            return Path(path).read_text().strip()
        except OSError as error:
            raise CannotRun(f"{name}_FILE: {path}: {error.strerror}") from None
    return environment.get(name, "")


def number(environment: Mapping[str, str], name: str, default: int, most: int = 1_000_000) -> int:
    """A whole number; CannotRun with the name of the variable where it is none."""
    text = environment.get(name, "")
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) <= most):
        raise CannotRun(f"{name} is {text!r}, not a number from 0 to {most}")
    return int(text)


def seconds(environment: Mapping[str, str], name: str, default: float) -> float:
    """A time; CannotRun with the name of the variable where it is none."""
    text = environment.get(name, "")
    try:
        found = float(text) if text else default
    except ValueError:
        found = -1.0
    if not 0 <= found < 3600:
        raise CannotRun(f"{name} is {text!r}, not a number of seconds")
    return found
