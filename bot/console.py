"""What a run at a terminal needs beside its result: the page, the progress bar, the log, the last lines."""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from analyzers.means import nobody
from bot.errors import CannotRun
from bot.reporters.page import Page

Progress = Callable[[str, int, int], None]

_LINKING = ("iTerm.app", "vscode", "WezTerm", "ghostty", "Hyper", "rio")
_LINKING_TERMS = ("kitty", "alacritty", "foot", "ghostty", "contour")


def page_of_stdout(folder: str, is_stats: bool) -> Page:
    """What standard output can show."""
    is_terminal = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    has_color = (is_terminal or bool(os.environ.get("FORCE_COLOR"))) and not os.environ.get("NO_COLOR")
    return Page(
        width=shutil.get_terminal_size((100, 24)).columns,
        has_color=has_color,
        has_links=has_color and _knows_links(),
        folder=folder,
        has_stats=is_stats,
    )


def _knows_links() -> bool:
    """Whether the terminal is one that is known to show hyperlinks: others print rubbish."""
    known = os.environ
    return (
        known.get("TERM_PROGRAM", "") in _LINKING
        or any(name in known.get("TERM", "") for name in _LINKING_TERMS)
        or (known.get("VTE_VERSION", "0").isdigit()
        and int(known.get("VTE_VERSION", "0")) >= 5000)
        or "WT_SESSION" in known
        or "KITTY_WINDOW_ID" in known
    )


@contextlib.contextmanager
def progress_bar() -> Iterator[Progress]:
    """A bar on standard error while a run goes on; none in a pipe."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield nobody
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(bar_width=30), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=None)

        def report(stage: str, done: int, total: int) -> None:
            bar.update(task, description=stage, completed=done, total=total if total > 1 else None)

        yield report


def write_report(text: str, output: Path | None) -> None:
    """Write to a file, or to standard output: UTF-8 whatever the locale says."""
    content = text.encode("utf-8", "backslashreplace")
    if output is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(output, content)
    except OSError as error:
        raise CannotRun(f"cannot write {output}: {error.strerror}") from None


def write_atomically(target: Path, content: bytes) -> None:
    """Replace a file as a whole, or leave it as it was. Keeps its mode; follows a link to what it names."""
    import tempfile

    real = Path(os.path.realpath(target))
    if real.exists() and not real.is_file():
        real.write_bytes(content)
        return
    handle, name = tempfile.mkstemp(dir=real.parent, prefix=f".{real.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        if real.exists():
            shutil.copymode(real, name)
        else:
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(name, 0o666 & ~mask)
        os.replace(name, real)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def say(line: str) -> None:
    """One line on standard error."""
    sys.stderr.write(" ".join(line.split()) + "\n")
    sys.stderr.flush()


NOTHING = logging.CRITICAL + 1
"""The level of a log that nobody asked for: what failed is a Note in the report all the same."""


def log_to_stderr(level: int) -> None:
    """Send the log from this level on to standard error."""
    logging.basicConfig(level=level, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s", force=True)
