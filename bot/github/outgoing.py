"""What we send, cut to what GitHub takes: a refused comment helps nobody."""

from __future__ import annotations

from collections.abc import Sequence

from bot import fences, marks
from bot.github.model import Annotation, InlineComment, Verdict

MAX_BODY = 65_536
MAX_CHECK_TEXT = 65_535
MAX_ANNOTATIONS = 50
"""Of one request; more are added by further requests."""

_MAX_ANNOTATION = 16_000
_MAX_TITLE = 255
_CUT = "\n\n… cut: GitHub takes no more than 65,536 characters."


def cut(text: str, most: int = MAX_BODY) -> str:
    """The text as GitHub takes it, cut at the end of a line where it is too long. The marks at its end stay: without
    them we would not know it again.
    """
    clean = text.encode("utf-8", "replace").decode()
    if len(clean) <= most:
        return clean
    tail = marks.tail(clean)
    room = most - len(_CUT) - len(tail)
    kept = _whole_lines(clean[:room])
    if fence := fences.left_open(kept):
        kept = _whole_lines(clean[: room - len(fence) - 1])
        kept += f"\n{fence}" if fences.left_open(kept) else ""
    return kept + _CUT + tail


def _whole_lines(text: str) -> str:
    line_end = text.rfind("\n")
    return text[:line_end] if line_end > len(text) // 4 else text


def inline(comment: InlineComment) -> dict[str, object]:
    """A comment of a review."""
    asked: dict[str, object] = {
        "path": comment.path, "body": cut(comment.body), "line": comment.last_line, "side": "RIGHT",
    }  # fmt: skip
    if comment.first_line < comment.last_line:
        asked |= {"start_line": comment.first_line, "start_side": "RIGHT"}
    return asked


def ending(verdict: Verdict, annotations: Sequence[Annotation]) -> dict[str, object]:
    """What completes a check run, with some of its annotations."""
    output: dict[str, object] = {
        "title": verdict.title[:_MAX_TITLE],
        "summary": cut(verdict.summary, MAX_CHECK_TEXT),
        "annotations": [
            {
                "path": each.path,
                "start_line": each.start_line,
                "end_line": each.end_line,
                "annotation_level": each.level,
                "title": each.title[:_MAX_TITLE],
                "message": each.message[:_MAX_ANNOTATION],
                **({"raw_details": each.raw_details[:_MAX_ANNOTATION]} if each.raw_details else {}),
            }
            for each in annotations
        ],
    }
    if verdict.text:
        output["text"] = cut(verdict.text, MAX_CHECK_TEXT)
    return {
        "status": "completed",
        "conclusion": verdict.conclusion,
        "output": output,
        "actions": [
            {"label": each.label[:20], "description": each.description[:40], "identifier": each.identifier[:20]}
            for each in verdict.buttons[:3]
        ],
    }
