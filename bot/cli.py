"""`leakmend`: review, scan, fix, explain, ignore, specs, serve, worker, app.

Only what a command needs is imported when it runs: `leakmend --version` must start at once.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NoReturn

import click

from bot.errors import CannotRun

if TYPE_CHECKING:
    from bot.run import Given

INTERRUPTED = 130
"""Exit status of a run that somebody ended with Ctrl-C."""

_ANALYSING = frozenset(("review", "scan", "fix"))

_CONFIDENCES = ("witnessed", "assumed")

_GIT_VARIABLES = frozenset(
    ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_PREFIX", "GIT_EXTERNAL_DIFF", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT"]
)
"""Set for hooks: they would point git at another repository than the one that is named."""


def main() -> None:
    """Run the command line and leave with its status: 0 nothing to report, 1 something, 2 not run as asked."""
    if not _ANALYSING.isdisjoint(sys.argv[1:2]):
        from analyzers.collection import young_to_the_end

        young_to_the_end()
    status = status_of(sys.argv[1:])
    if status == INTERRUPTED:
        os._exit(status)  # the analysis runs in a thread that nobody waits for any more
    if _ANALYSING.isdisjoint(sys.argv[1:2]):
        sys.exit(status)
    _leave(status)


def _leave(status: int) -> NoReturn:
    """Leave at once: to take all that was computed apart takes as long as a review, and everything is written."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


def status_of(arguments: Sequence[str]) -> int:
    """The exit status of one command line. Whatever goes wrong is one line on standard error."""
    for name in _GIT_VARIABLES & os.environ.keys():
        del os.environ[name]
    try:
        status = cli.main(args=list(arguments), prog_name="leakmend", standalone_mode=False)
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.ClickException as error:
        return _refuse(error.format_message())
    except CannotRun as error:
        return _refuse(str(error))
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        return _internal(error, arguments)
    return status if isinstance(status, int) else 0


def _refuse(message: str) -> int:
    sys.stderr.write(f"leakmend: {' '.join(message.split())}\n")
    return 2


def _internal(error: Exception, arguments: Sequence[str]) -> int:
    """The last resort: no traceback unless it is asked for."""
    import logging

    if "--verbose" in arguments:
        logging.getLogger(__name__).error("internal error", exc_info=error)
        return _refuse(f"internal error: {type(error).__name__}: {error}")
    return _refuse(f"internal error, --verbose shows where: {type(error).__name__}: {error}")


class _Command(click.Command):
    """Hands its function all parameters as one typed value."""

    def invoke(self, context: click.Context) -> object:
        """See `click.Command`."""
        from bot.run import given

        assert self.callback is not None
        return self.callback(given(context.params))


def _show_version(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        import importlib.metadata

        click.echo(f"leakmend {importlib.metadata.version('leakmend')}")
        context.exit()


_VERSION = click.Option(
    ["--version"], is_flag=True, expose_value=False, is_eager=True, callback=_show_version, help="Print the version."
)
_REPO = click.Option(["--repo"], metavar="DIR", default=".", help="The repository, bare or not (default: here).")
_BASE = click.Option(["--base"], metavar="REV", help="Compare with REV (default: the upstream branch, or origin/HEAD).")
_HEAD = click.Option(["--head"], metavar="REV", help="Review this commit, or `worktree` (the default).")
_OUTPUT = click.Option(["--output"], metavar="FILE", help="Write to FILE instead of standard output.")
_CONFIG = click.Option(["--config"], metavar="FILE", help="Read FILE instead of .leakmend.toml.")
_VERBOSE = click.Option(["--verbose"], is_flag=True, help="Log to standard error.")
_ID = click.Argument(["id"], metavar="ID")
_PATHS = click.Argument(["paths"], metavar="PATH...", nargs=-1)

_ANNOTATE = click.Option(
    ["--annotate"], is_flag=True, help="Print the ownership annotations that Java code implies, as a diff, and nothing else."
)

_ANALYSIS = [
    _CONFIG,
    click.Option(["--jobs"], type=click.IntRange(1), metavar="N", help="Processes to use (default: one per core)."),
    click.Option(["--no-cache"], is_flag=True, help="Neither read nor write stored results."),
    click.Option(["--min-confidence"], type=click.Choice(_CONFIDENCES), help="Leave out what is less sure."),
    click.Option(
        ["--fail-on"], type=click.Choice(("never", *_CONFIDENCES)), help="Exit with 1 from this on (default: witnessed)."
    ),
    click.Option(["--detectors"], metavar="NAME,...", help="Run only these analyses."),
    click.Option(
        ["--time-budget"], type=click.FloatRange(0, min_open=True), metavar="SECONDS",
        help="Leave out what is not begun by then.",
    ),
    click.Option(["--stats"], is_flag=True, help="Also say how long what took."),
    _VERBOSE,
    _VERSION,
]  # fmt: skip
_REPORT = [
    click.Option(
        ["--format", "form"], type=click.Choice(("text", "json", "sarif", "html", "markdown")), default="text",
        show_default=True, help="How the report is written.",
    ),
    _OUTPUT,
]  # fmt: skip


def _review(given: Given) -> int:
    """Review a change: what it introduces since it left BASE, with fixes. What the bot would post."""
    from bot.run import review

    return review(given)


def _scan(given: Given) -> int:
    """Report every leak below PATHs: files or folders, in git or not."""
    from bot.run import scan

    return scan(given)


def _fix(given: Given) -> int:
    """Print the safe fixes below PATHs, or of a change (--base), as one diff."""
    from bot.run import fix

    return fix(given)


def _explain(given: Given) -> int:
    """Show one finding of the last run whole: its path through the code, and the proof of its fix."""
    from bot.run import explain

    return explain(given)


def _ignore(given: Given) -> int:
    """Write one finding of the last run to .leakmend/baseline.json: it is not reported any more."""
    from bot.run import ignore

    return ignore(given)


def _specs(given: Given) -> int:
    """List the API models in force, and where each comes from."""
    from bot.run import specs

    return specs(given)


def _serve(given: Given) -> int:
    """Run the GitHub App: receive webhooks, review pull requests. Set up by environment variables."""
    from bot.operating import serve

    return serve()


def _worker(given: Given) -> int:
    """Run a further worker on the database of a server."""
    from bot.operating import worker

    return worker()


def _create(given: Given) -> int:
    """Make the App on GitHub, and keep its key here. KIND: `comment` may not write contents, `mend` may."""
    from bot.operating import create

    return create(given)


def _forget(given: Given) -> int:
    """Delete all that is kept of a repository: its clone, its cached results, its findings."""
    from bot.operating import forget

    return forget(given)


_REASON = click.Option(["--reason"], required=True, metavar="TEXT", help="Why it is fine, for those who read the file.")
_IN_PLACE = click.Option(["--in-place"], is_flag=True, help="Change the files instead of printing a diff.")
_UNSAFE = click.Option(["--unsafe"], multiple=True, metavar="ID", help="Also this fix, though not proved safe.")
_INFERRED = click.Option(["--inferred"], is_flag=True, help="What the code tells of its own functions, and why, instead.")
_SPECS_FORMAT = click.Option(["--format", "form"], type=click.Choice(("text", "json")), default="text")

_KIND = click.Option(["--kind"], type=click.Choice(("comment", "mend")), default="mend", show_default=True)
_WEBHOOK = click.Option(["--webhook"], required=True, metavar="URL", help="Where GitHub reaches this server: https://…/webhook.")
_OWNER = click.Option(["--organization"], metavar="NAME", default="", help="The organization that owns the App (default: you).")
_NAME = click.Option(["--name"], metavar="NAME", default="leakmend", show_default=True, help="Unique on GitHub.")
_FULL_NAME = click.Argument(["repo"], metavar="OWNER/NAME")


def _command(function: Callable[[Given], int], params: Sequence[click.Parameter]) -> click.Command:
    name = function.__name__.lstrip("_")
    return _Command(name, params=list(params), callback=function, help=function.__doc__)


_COMMANDS = (
    _command(_review, [_REPO, _BASE, _HEAD, *_REPORT, *_ANALYSIS]),
    _command(_scan, [_PATHS, _ANNOTATE, *_REPORT, *_ANALYSIS]),
    _command(_fix, [_PATHS, _REPO, _BASE, _HEAD, _IN_PLACE, _UNSAFE, _OUTPUT, *_ANALYSIS]),
    _command(_explain, [_ID, _REPO, _VERBOSE, _VERSION]),
    _command(_ignore, [_ID, _REASON, _REPO, _VERBOSE, _VERSION]),
    _command(_specs, [_REPO, _INFERRED, _SPECS_FORMAT, _CONFIG, _OUTPUT, _VERBOSE, _VERSION]),
    _command(_serve, [_VERSION]),
    _command(_worker, [_VERSION]),
    click.Group(
        "app",
        commands=[
            _command(_create, [_KIND, _WEBHOOK, _OWNER, _NAME]),
            _command(_forget, [_FULL_NAME]),
        ],
        help="Set up the GitHub App, or forget a repository.",
    ),
)

cli = click.Group(
    "leakmend",
    commands=_COMMANDS,
    params=[_VERSION],
    help="""Find leaks in Java and C, show how each happens, and mend them. Nothing is built or run.

    Exit status: 0 nothing to report, 1 leaks, 2 not run as asked.""",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


if __name__ == "__main__":
    main()
