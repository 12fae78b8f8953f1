"""What a step leaves behind: its summary, its outputs, its files, and annotations where no check can hold them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import templates
from bot.action.inputs import Inputs
from bot.config import Config
from bot.console import write_atomically
from bot.github.model import Annotation
from bot.publishing.verdicts import annotations_of
from bot.report import Report
from bot.reporters import json, sarif
from bot.reporters.page import Page

MAX_PER_LEVEL = 10
"""GitHub shows so many annotations of one level of a step."""

MAX_PAGE = 1_000_000
"""GitHub takes a step summary of 1 MiB."""

_COMMANDS = {"notice": "notice", "warning": "warning", "failure": "error"}


def write_files(inputs: Inputs, report: Report) -> None:
    """The report as SARIF and as JSON, and the outputs that name them."""
    for path, text in ((inputs.sarif, sarif.render(report, Page())), (inputs.report, json.render(report, Page()))):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text.encode("utf-8", "backslashreplace"))
    lines = [
        f"findings={len(report.introduced)}",
        f"sarif-file={_one_line(inputs.sarif)}",
        f"report={_one_line(inputs.report)}",
    ]
    _append(inputs.outputs, "".join(f"{line}\n" for line in lines))


def write_page(inputs: Inputs, title: str, text: str, remarks: Sequence[str]) -> None:
    """The step summary: the same text as the check, and what could not be done."""
    page = templates.render("action/page.md", title=title, text=text, remarks=remarks)
    _append(inputs.page, page if len(page.encode()) <= MAX_PAGE else templates.render("action/page.md", title=title, text="", remarks=remarks))


def annotate(report: Report, config: Config) -> list[str]:
    """Workflow commands, as many as GitHub shows of a level."""
    counted: dict[str, int] = {}
    lines = []
    for annotation in annotations_of(report, config):
        counted[annotation.level] = counted.get(annotation.level, 0) + 1
        if counted[annotation.level] <= MAX_PER_LEVEL:
            lines.append(_command(annotation))
    return lines


def _command(annotation: Annotation) -> str:
    properties = {
        "file": annotation.path, "line": str(annotation.start_line), "endLine": str(annotation.end_line),
        "title": annotation.title,
    }  # fmt: skip
    shown = ",".join(f"{name}={_escaped(value, ':,')}" for name, value in properties.items())
    return f"::{_COMMANDS[annotation.level]} {shown}::{_escaped(annotation.message, '')}"


def error(message: str) -> str:
    """A failure, as the page of the run shows it."""
    return f"::error title=leakmend::{_escaped(message, '')}"


def _escaped(text: str, more: str) -> str:
    """So that nothing in a text can end a workflow command or begin another."""
    for character in "%\r\n" + more:
        text = text.replace(character, f"%{ord(character):02X}")
    return text


def _one_line(path: Path) -> str:
    return " ".join(str(path).split("\n"))


def _append(path: Path | None, text: str) -> None:
    if path is not None:
        with path.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
