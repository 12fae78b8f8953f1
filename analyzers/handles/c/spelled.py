"""Pointers of C that leave a procedure as the text of their address: `snprintf(name, sizeof name, "%p", job); setenv("JOB", name, 1);`,
and descriptors whose number is written out for somebody (`sprintf(path, "/dev/fd/%d", fd)`), other than in words for people.

Who reads the text has the pointer, and nobody can follow it there. The text leaves where it is written into what the procedure does not own, returned,
stored, or passed to anything but a log, a comparison or `free`; what a log or the screen shows nobody reads back. Errs towards taking: a
name that only tells objects apart (`"/job-%p"`) is taken to give the object away, too, unless the object itself keeps it.

And texts that a format ends: `%z` without a number behind it (`mprintf("%z, %s", text, more)`) is SQLite's, which frees its argument. Errs towards taking, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from analyzers import ir
from analyzers.handles.moves import handed_on
from analyzers.handles.scene import Scene
from analyzers.handles.sites import Exposure
from analyzers.handles.unknown import Policy, words_of

_INTO_TEXTS = ("sprintf", "snprintf", "scnprintf", "swprintf", "asprintf", "mprintf", "catprintf", "sprintf_s", "snprintf_s", "sprintf_chk", "snprintf_chk", "asprintf_chk")
"""How functions end that leave what they format in the program's memory."""

_TEXTS = frozenset(("append", "buf", "buffer", "dup", "str", "strbuf", "strdup", "string", "text"))
"""Words of those that are named after what they fill (`g_strdup_printf`, `g_string_append_printf`)."""

_SENDING = ("dprintf", "evbuffer_add_printf", "zsock_printf")
"""How functions end that send what they format."""

_FILE = re.compile(r"(f?access|f?chmod|f?chownat|chown|fopen|fstatat|lchown|l?stat|open|opendir|readlink|realpath|statfs|unlink|utimes)(at)?(64)?")
"""Functions that are done with the name of a file when they return."""

_OWN_STREAMS = frozenset(("=1", "=2", "=STDOUT_FILENO", "=STDERR_FILENO"))

_LOGGING = frozenset((
    "assert", "debug", "debugf", "die", "err", "error", "errx", "fail", "fatal", "fprintf", "fputs", "free", "info", "log", "perror", "print", "printf",
    "puts", "strcasecmp", "strcmp", "strlen", "strncmp", "syslog", "trace", "verbose", "warn", "warning", "warnx",
))
"""Words of functions that show a text, look at it or end it."""


_SIZED = "dioxXun"
"""What stands behind a `z` that is the length of a number."""

_DIRECTIVE = re.compile(rf"%[-+ #0-9.']*z(?![{_SIZED}*])")
_ENDING = "Z"
"""What stands for such a `z` among conversions."""


def spelled_out(scene: Scene, call: ir.Call) -> Iterator[Exposure]:
    """The pointers whose address, and the descriptors whose number, a call writes into a text that leaves the procedure; the texts that its format ends."""
    if scene.is_java or call.kind != "function":
        return
    yield from (Exposure((each,), Policy.ESCAPE) for each in _ended(scene, call))
    if not _formats(call.name):
        return
    spelled = [
        each for each, conversion in _spelled(call.args)
        if "*" in scene.type_of(each) or each in scene.addresses
        or (conversion in _NUMBERS and each in scene.holders and not call.name.endswith(_SENDING) and not _is_for_people(call))
    ]
    for each in spelled:
        if _leaves(scene, call, each):
            yield Exposure((each,), Policy.ESCAPE)
            if each in scene.addresses:
                yield Exposure(scene.addresses[each], Policy.ESCAPE)


def _formats(name: str) -> bool:
    return name.endswith((*_INTO_TEXTS, *_SENDING)) or (name.endswith("printf") and not _TEXTS.isdisjoint(words_of(name)))


_NUMBERS = "diu"
"""How a format shows a descriptor."""


def _is_for_people(call: ir.Call) -> bool:
    """Whether what is written are words, with blanks between them."""
    return any(each.startswith('="') and "%" in each and " " in each for each in call.args)


def _spelled(args: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The arguments that a format shows as numbers or addresses, not as what they lead to, and the letter that does so."""
    position = next((n for n, each in enumerate(args) if each.startswith('="') and "%" in each), len(args))
    formatted = iter(args[position + 1 :])
    for conversion in _conversions(args[position]) if position < len(args) else ():
        each = next(formatted, "")
        if conversion not in "sS*" and each and not ir.is_literal(each):
            yield each, conversion


def _ended(scene: Scene, call: ir.Call) -> Iterator[str]:
    """The arguments that a format frees when it has shown them."""
    for position, each in enumerate(call.args):
        given = (scene.nodes[node] for node in scene.definitions.get(each, ()) if "%" in each)
        texts = [each] if ir.is_literal(each) else [node.src for node in given if isinstance(node, ir.Copy)]
        for text in texts:
            if text.startswith('="') and _DIRECTIVE.search(text):
                shown = _conversions(_DIRECTIVE.sub(f"%{_ENDING}", text))
                yield from (
                    argument for letter, argument in zip(shown, call.args[position + 1 :], strict=False)
                    if letter == _ENDING and not ir.is_literal(argument)
                )


def _conversions(text: str) -> Iterator[str]:
    """What a format does with one argument after the other: its letter, `*` for a width; `"` where a macro gives the letter."""
    at = text.find("%")
    while at >= 0:
        at += 1
        while at < len(text) and text[at] in "-+ #0123456789.'*hlLqjzt":
            if text[at] == "*":
                yield "*"
            at += 1
        if at < len(text) and text[at] != "%":
            yield text[at]
        at = text.find("%", at + 1)


def _leaves(scene: Scene, call: ir.Call, spelled: str) -> bool:
    """Whether somebody outside of the procedure gets the text that a call writes, and does not need the object for that."""
    if call.name.endswith(_SENDING):
        return call.args[0] not in _OWN_STREAMS
    returned = call.dst if "*" in scene.type_of(call.dst) else ""
    given = call.args[0] if call.args and not ir.is_literal(call.args[0]) and not returned else ""
    place = scene.addresses.get(given, ())
    if place and place[0] == spelled:
        return False
    text = returned or (place[0] if place else given)
    declared = scene.variables.get(text)
    if len(place) > 1 or (not ir.is_temporary(text) and (declared is None or declared.kind != "local")):
        return True
    names = handed_on(scene.nodes, text, lambda node, names: isinstance(node, ir.Load) and node.base in names)
    return any(node is not call and _hands_out(scene, node, names, spelled) for node in scene.nodes)


def _hands_out(scene: Scene, node: ir.Instruction, names: set[str], spelled: str) -> bool:
    match node:
        case ir.Store(base=base) if base == spelled:
            return False
        case ir.Return(src=src) | ir.Store(src=src) | ir.StoreElement(src=src):
            return src in names
        case ir.Call(name=name, args=args):
            is_of_number = spelled not in scene.addresses and "*" not in scene.type_of(spelled)
            return not names.isdisjoint(args) and _LOGGING.isdisjoint(words_of(name)) and not (is_of_number and _FILE.fullmatch(name))
        case _:
            return False
