"""`python -I -m bot.action`: the entry point of `action.yml`. Exit status as `leakmend review`."""

from __future__ import annotations

import logging
import os
import sys

from bot.action.inputs import from_environment
from bot.action.running import Job
from bot.action.telling import error
from bot.errors import CannotRun
from bot.github.auth import Redaction, redacted
from bot.github.errors import GitHubError


def main() -> int:
    """Run the step. Whatever goes wrong is one line that says what to do."""
    shown = logging.StreamHandler(sys.stderr)
    shown.addFilter(Redaction())
    logging.basicConfig(level=logging.WARNING, handlers=[shown], force=True)
    try:
        job = Job(from_environment(os.environ))
        status = job.run()
    except (CannotRun, GitHubError) as problem:
        _say([error(redacted(str(problem)))])
        return 2
    _say(job.lines)
    return status


def _say(lines: list[str]) -> None:
    sys.stdout.buffer.write("".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace"))


if __name__ == "__main__":
    sys.exit(main())
