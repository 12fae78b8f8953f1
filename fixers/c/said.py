"""What comments of C say of a release that is missing: that it is not meant to be there, or is somebody else's.

Read are those on the line of the acquisition, of a place where it is lost and of an edit, those right above one of these lines or the one above an edit, and code that was
taken out of the function (in a comment, or below `#if 0`) and is what the patch writes in. A comment beside may speak of something else: then a
patch is called less safe than it is. Misses what is said in other words, and elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set

from analyzers.handles.unknown import is_releaser
from fixers.fix import Edit
from fixers.leak import Leak

_RELEASED = r"(?:free|freed|freeing|frees|release|released|releases|close|closed|closes|closing|unref|unref'd|destroyed|destroy|deallocated?|reclaimed|reclaims?|cleaned up|clean up)\b"
_MEANT = r"(?:intentional(?:ly)?|intended|deliberate(?:ly)?|on purpose|purposely|harmless|acceptable|benign|tolerated?|don't care|do not care|who cares|ignore)\b"

_SAID = re.compile(
    r"\b(?:do not|don't|must not|mustn't|should not|shouldn't|cannot|can't|need not|needn't|no need|not necessary|instead of)\b(?: \w+){0,3} " + _RELEASED
    + r"|\bnot (?:\w+ ){0,2}" + _RELEASED + r" (?:because|since|as|so that)\b"
    + rf"|\b{_MEANT}[^.;]{{0,40}}\b(?:leak\w*|{_RELEASED}|open\b)"
    + rf"|\b(?:not|never) (?:\w+ ){{0,2}}{_RELEASED}[^.;]{{0,20}}\b{_MEANT}"
    + rf"|\b(?:leak\w*|left open|leave (?:it |this )?open|keep (?:it |this )?open)\b[^.;]{{0,40}}\b{_MEANT}"
    + r"|\b(?:just |simply )?(?:letting|let) (?:it|this|them|these) (?:go|leak)\b|\b(?:leak\w*)(?: \w+){0,3},? but\b"
    + r"|\b(?:leak\w*) (?:is|are) (?:ok|okay|fine)\b|\bstays? open\b|\b(?:leave|left|keep|kept|remain|remains) (?:\w+ ){0,4}open\b"
    + r"|\b(?:free|freed|released?|closed?|reclaimed|cleaned up|destroyed) (?:by|at exit|on exit|at the end of|elsewhere|later|when|once|in)\b"
    + r"|\b(?:takes|took|take|has|have|passes|transfers?) (?:over )?(?:the )?ownership\b|\bowned by\b|\bnow owns\b",
)

_MISSING = re.compile(r"\b(?:fixme|todo|xxx|bug|should be|must be|has to be|needs to be|avoid|prevent|missing|misses|forgot(?:ten)?|forgets?|flaw|potential(?:ly)?|problem|wrong|(?:may|might|will) not be|without)\b")
"""What says that a release is missing and ought to be there."""

_APPROVED = re.compile(rf"\b{_MEANT}|\bleak\w*(?: \w+){{0,3}},? but (?:it is |it's |that is |only )?(?:bounded|limited|only|once|small|tiny|rare|at most)\b|\b(?:is|are) (?:ok|okay|fine)\b")
"""What makes of a comment that names a leak more than a description of the fault."""

_GIVEN_UP = re.compile(r"\b(?:better|best) not to (?:do|bother|free|release|close)\b|\bnot worth\b|\bnothing (?:we|one|you) can do\b")
"""What says of a leak that is named that it is left as it is, whatever else is said of it (`we leak the map; it is better not to do anything`)."""

_COMMENT = re.compile(rb"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)
_OFF = re.compile(rb"^[ \t]*#[ \t]*if[ \t]+0\b.*?^[ \t]*#[ \t]*(?:endif|else|elif)\b", re.DOTALL | re.MULTILINE)
_CALL = re.compile(r"\w+\s*\([^()]*\)")


def meant_to_stay(leak: Leak, edits: Sequence[Edit]) -> str:
    """Why a comment speaks against these edits; empty for no reason."""
    low, high = leak.procedure.start, leak.procedure.end
    comments = [each.span() for each in _COMMENT.finditer(leak.data, low, high) if leak.data[each.start() : each.start() + 1] == b"/"]
    calls = {"".join(each.split()) for edit in edits for each in _CALL.findall(edit.text)}
    off = [leak.data[start:end] for start, end in (*comments, *(each.span() for each in _OFF.finditer(leak.data, low, high)))]
    taken_out = [text.decode("utf-8", "replace") for text in off]
    if any(_releases_so(text, calls) and not _MISSING.search(text.lower()) for text in taken_out):
        return "the same release stands there, but as a comment"
    finding = leak.finding
    places = [(finding.acquired.start, finding.acquired.end), *((each.start, each.start) for each in (finding.lost, *finding.exits))]
    written = [(edit.span.start, edit.span.end) for edit in edits]
    for start, end in (*places, *written, *(_line_above(leak.data, start) for start, _ in written)):
        for text in _beside(leak.data, comments, start, end):
            words = " ".join(re.sub(r"[*/]+", " ", text.decode("utf-8", "replace").lower()).split())
            is_given_up = "leak" in words and _GIVEN_UP.search(words)
            is_deplored = "leak" in words and not _APPROVED.search(words)
            if is_given_up or (_SAID.search(words) and not _MISSING.search(words) and not is_deplored):
                return "a comment beside says that it is not released here, or by somebody else"
    return ""


def _releases_so(text: str, calls: Set[str]) -> bool:
    """Whether code that was taken out is one of these calls, or one that by its name releases the same (`Py_DECREF` where a patch asks for
    null, too)."""
    bare = "".join(text.split())
    given = {call[call.index("(") :] for call in calls}
    others = ("".join(each.split()) for each in _CALL.findall(text))
    return any(call in bare for call in calls) or any(is_releaser(each[: each.index("(")]) and each[each.index("(") :] in given for each in others)


def _line_above(data: bytes, place: int) -> tuple[int, int]:
    """The line above that of a place: what is said there of one release may be said of the next, too."""
    end = max(data.rfind(b"\n", 0, place), 0)
    return data.rfind(b"\n", 0, end) + 1, end


def _beside(data: bytes, comments: Sequence[tuple[int, int]], start: int, end: int) -> Iterator[bytes]:
    """The comments on the lines of a stretch, and right above them."""
    low, high = data.rfind(b"\n", 0, start) + 1, data.find(b"\n", end)
    high = len(data) if high < 0 else high
    for first, last in reversed(comments):
        is_above = last <= low and not data[last:low].strip() and data[last:low].count(b"\n") == 1
        if (low <= first < high) or is_above:
            yield data[first:last]
        if is_above:
            low = data.rfind(b"\n", 0, first) + 1
