"""git as the bot runs it: without anybody's settings, hooks, filters or prompts, and only for so long.

Credentials are in the environment of one process and nowhere else.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from bot.errors import CannotRun
from bot.git_settings import as_environment
from bot.github.api import Remote
from bot.github.auth import redacted

_SETTINGS = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.attributesFile": os.devnull,
    "credential.helper": "",
    "protocol.allow": "never",
    "submodule.recurse": "false",
    "push.recurseSubmodules": "no",
    "http.followRedirects": "false",
}
_HARDENED = {
    "HOME": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
    "GIT_LFS_SKIP_SMUDGE": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    "LC_ALL": "C.UTF-8",
}


class Ended(msgspec.Struct, frozen=True):
    """What a git process left behind; `complaint` is its last words, without secrets."""

    status: int
    output: str
    complaint: str


def run(
    folder: Path, words: Sequence[str], seconds: float, *, remote: Remote | None = None, given: str | bytes = "",
    more: Mapping[str, str] | None = None,
) -> Ended:  # fmt: skip
    """Run git in a folder. Killed with all its children when the time is up: CannotRun."""
    environment = {**_environment(remote), "GIT_CEILING_DIRECTORIES": str(folder.parent), **(more or {})}
    sent = given.encode("utf-8", "surrogateescape") if isinstance(given, str) else given
    with subprocess.Popen(
        ["git", *words], cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, start_new_session=True,
    ) as process:  # fmt: skip
        try:
            output, errors = process.communicate(sent, timeout=seconds)
        except BaseException as error:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            if isinstance(error, subprocess.TimeoutExpired):
                raise CannotRun(f"git took longer than {seconds:.0f} s to reach the repository") from None
            raise
    said = [line for line in errors.decode("utf-8", "replace").splitlines() if line.strip()]
    complaint = redacted(said[-1]) if said else str(process.returncode)
    return Ended(process.returncode, output.decode("utf-8", "surrogateescape"), complaint)


def _environment(remote: Remote | None) -> dict[str, str]:
    """All that git is told: no settings of the machine, no prompts, no protocols but the one in question."""
    settings = dict(_SETTINGS)
    if remote is not None:
        settings[f"protocol.{urlsplit(remote.url).scheme}.allow"] = "always"
        if remote.authorization:
            settings[f"http.{remote.url}.extraHeader"] = remote.authorization
    kept = {name: value for name, value in os.environ.items() if _is_passed_on(name)}
    return {**kept, **_HARDENED, **as_environment(settings)}


def _is_passed_on(name: str) -> bool:
    return name in ("PATH", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR") or name.lower().endswith("_proxy")
