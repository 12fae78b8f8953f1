"""What a workflow tells the Action: variables of the runner, and the inputs of `action.yml`."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from bot.config import Config
from bot.errors import CannotRun
from bot.github.app import Endpoint
from bot.server.settings import endpoint_of, number, seconds
from bot.trees import CONFIG_FILE, is_setting

FailOn = Literal["", "never", "witnessed", "assumed"]
Autofix = Literal["", "never", "on-command", "pull-request"]


class Inputs(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that the Action reads of its surroundings.

    repository   `owner/name`
    folder       where clones and cached results are kept between jobs
    outputs, page   files of the runner: outputs of the step, and its summary
    fail_on, autofix   empty: as the config on the base branch says
    sarif, report   files to write
    config       the settings file, read on the base commit
    run          a name that no other attempt of a workflow has
    """

    token: str
    event: str
    payload: bytes
    repository: str
    endpoint: Endpoint
    folder: Path
    sarif: Path
    report: Path
    outputs: Path | None = None
    page: Path | None = None
    fail_on: FailOn = ""
    autofix: Autofix = ""
    config: str = CONFIG_FILE
    run: str = ""
    jobs: int = 1
    write_gap: float = 1.0

    def __repr__(self) -> str:
        return f"Inputs({self.event!r}, {self.repository!r}, …)"

    def adjusted(self, config: Config) -> Config:
        """The config of the base branch, as the workflow's author wants it."""
        if not self.autofix:
            return config
        return msgspec.structs.replace(config, bot=msgspec.structs.replace(config.bot, autofix=self.autofix))


def from_environment(environment: Mapping[str, str]) -> Inputs:
    """The inputs; CannotRun with one line that says what is missing or wrong."""
    token = environment.get("INPUT_TOKEN") or environment.get("GITHUB_TOKEN", "")
    if not token:
        raise CannotRun("no token: the step needs `github-token`, which is `${{ github.token }}` where it is left out")
    config = environment.get("INPUT_CONFIG") or CONFIG_FILE
    if not is_setting(config) or ".." in config.split("/"):
        raise CannotRun(f"config: {config!r} is neither {CONFIG_FILE} nor below .leakmend/")
    temporary = Path(environment.get("RUNNER_TEMP") or tempfile.gettempdir())
    folder = Path(environment.get("LEAKMEND_CACHE") or temporary / "leakmend-cache")
    given = {
        "fail_on": environment.get("INPUT_FAIL_ON", "").strip(),
        "autofix": environment.get("INPUT_AUTOFIX", "").strip(),
    }
    try:
        chosen = msgspec.convert(given, _Chosen)
    except msgspec.ValidationError as error:
        raise CannotRun(f"an input of the action is wrong: {error}") from None
    return Inputs(
        token=token,
        event=environment.get("GITHUB_EVENT_NAME", ""),
        payload=_payload(environment.get("GITHUB_EVENT_PATH", "")),
        repository=environment.get("GITHUB_REPOSITORY", ""),
        endpoint=endpoint_of(environment),
        folder=folder,
        sarif=Path(environment.get("INPUT_SARIF") or temporary / "leakmend.sarif"),
        report=temporary / "leakmend.json",
        outputs=_file(environment, "GITHUB_OUTPUT"),
        page=_file(environment, "GITHUB_STEP_SUMMARY"),
        fail_on=chosen.fail_on,
        autofix=chosen.autofix,
        config=config,
        run=f"{environment.get('GITHUB_RUN_ID', '')}.{environment.get('GITHUB_RUN_ATTEMPT', '')}".strip("."),
        jobs=number(environment, "LEAKMEND_JOBS", 1),
        write_gap=seconds(environment, "LEAKMEND_WRITE_GAP", 1.0),
    )


class _Chosen(msgspec.Struct, frozen=True):
    fail_on: FailOn
    autofix: Autofix


def _payload(path: str) -> bytes:
    if not path:
        raise CannotRun("GITHUB_EVENT_PATH is not set: this runs inside a workflow; use `leakmend review` elsewhere")
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise CannotRun(f"cannot read the event of the workflow, {path}: {error.strerror}") from None


def _file(environment: Mapping[str, str], name: str) -> Path | None:
    return Path(environment[name]) if environment.get(name) else None
