"""Lets a test declare what closing throws: nobody but a test runner calls it, and a handler in it would only hide a failure. A private
method that declares a kind of it (`FileNotFoundException`) declares all of it (`IOException`), where its callers may let that pass; so does
a handler around that only tells of such a kind.

Declines where the file calls the test itself, or where it overrides another.
"""

from __future__ import annotations

import re

from analyzers.syntax import Node
from fixers.draft import Draft
from fixers.java.delayed import is_output
from fixers.java.exceptions import EVERYTHING, handlers
from fixers.java.imports import insert_import
from fixers.java.scope import procedure_node
from fixers.java.statements import LATER, TRIES, call_parts, catches, try_body
from fixers.leak import Leak
from fixers.text import line_end, line_start
from fixers.tree import COMMENTS, Tree, child, find, parse_file

_RUN = frozenset((
    "Test", "ParameterizedTest", "RepeatedTest", "Theory", "Before", "After", "BeforeEach", "AfterEach", "BeforeAll", "AfterAll",
    "BeforeClass", "AfterClass", "BeforeMethod", "AfterMethod",
))  # fmt: skip
"""Annotations of what a test runner calls, which may throw anything."""

_WHOLE = frozenset(("Exception", "java.lang.Exception"))
"""Beside what the others need not be named."""


def declare_thrown(draft: Draft, leak: Leak, at: int = -1) -> bool:
    """Add what closing throws to the `throws` of a test, where nothing handles it. Returns whether that was done. `at`: a byte of what the
    new block holds, where the acquisition is not in it."""
    at = leak.finding.acquired.start if at < 0 else at
    thrown = [each for each in leak.caught.split(" | ") if each] if leak.at_most is None else list(leak.at_most)
    handled, is_lambda = handlers(leak.tree, at)
    known = {each.rpartition(".")[2] for each in handled}
    missing = [each for each in thrown if each.rpartition(".")[2] not in known]
    method = procedure_node(leak)
    if missing and _WHOLE.isdisjoint(missing) and _widen_handler(draft, leak, missing, at):
        return True
    if not missing or is_lambda or not known.isdisjoint(EVERYTHING) or method.kind != "method_declaration":
        return False
    if _is_closed_alike(leak, method, handled):
        return False
    modifiers, name, parameters = child(method, "modifiers"), child(method, "identifier"), child(method, "formal_parameters")
    written = {leak.tree.text(kid).lstrip("@").partition("(")[0] for each in (modifiers,) if each is not None for kid in each.kids}
    if "private" in written:
        return _WHOLE.isdisjoint(missing) and _declares_all(draft, leak, missing)
    is_run = not written.isdisjoint(_RUN) or _is_run_by_name(leak, method)
    if name is None or parameters is None or not is_run or "Override" in written:
        return False
    word = re.escape(leak.tree.text(name).encode())
    if len(re.findall(rb"(?:(?<![.\w])|\bthis\.)%s\s*\(|\.%s\s*\(\s*\)" % (word, word), leak.data)) > 1:
        return False  # Whom others of its name are asked of, with something, is no test.
    clause = child(method, "throws")
    if clause is not None and not _WHOLE.isdisjoint(missing):
        draft.replace(clause.start, clause.end, f"throws {missing[0]}")
    elif clause is not None and (wider := _widened(leak, clause, missing)):
        draft.replace(clause.start, clause.end, wider)
    elif clause is not None:
        draft.insert(clause.end, "".join(f", {each}" for each in missing))
    else:
        draft.insert(parameters.end, f" throws {', '.join(missing)}")
    for each in leak.unnamed:
        if each.rpartition(".")[2] in missing:
            insert_import(draft, each)
    return True


def _widened(leak: Leak, clause: Node, missing: list[str]) -> str:
    """The exceptions of a method with the one that is missing in the place of its own kinds, which need not be named beside it; empty where
    there are none."""
    words = leak.tree.text(clause)
    given = [each.strip() for each in words.removeprefix("throws").split(",")]
    if len(missing) != 1 or "\n" in words or not all(each.replace(".", "").isidentifier() for each in given):
        return ""
    whole = next((each for each in leak.unnamed if each.rpartition(".")[2] == missing[0]), "") or leak.resolve(missing[0])
    kinds = [each for each in given if whole and leak.is_below(leak.resolve(each), whole) is True]
    if not kinds:
        return ""
    return "throws " + ", ".join(missing[0] if each == kinds[0] else each for each in given if each == kinds[0] or each not in kinds)


def _is_run_by_name(leak: Leak, method: Node) -> bool:
    """Whether a test runner finds a method by its name: `public void testAll()` of a class below `TestCase`."""
    head = leak.tree.text(method).partition("{")[0]
    is_test = re.search(r"\bpublic\s+void\s+test\w*\s*\(\s*\)", head) is not None
    return is_test and re.search(rb"\bextends\s+[\w.]*TestCase\b", leak.data) is not None


def _is_closed_alike(leak: Leak, method: Node, handled: list[str]) -> bool:
    """Whether the code closes the variable where no more is handled than at the acquisition: who compiled that knows that nothing has to be."""
    names = {each.call.rpartition(".")[2] for each in leak.releases} | set(leak.finding.methods or ("close",))
    for call in find(method, "method_invocation"):
        receiver, asked, given = call_parts(leak.tree, call)
        if receiver is None or given or asked not in names or leak.tree.text(receiver) != leak.finding.variable:
            continue
        if handlers(leak.tree, call.start) == (handled, False):
            return True
    return False


def _widen_handler(draft: Draft, leak: Leak, missing: list[str], at: int) -> bool:
    """Put what closing throws in the place of the kind of it that the next handler around a place catches, which does nothing with it
    but tell of it. Returns whether that was done."""
    wanted = missing[0].rpartition(".")[2]
    path = leak.tree.path(at, at + 1)
    around = [each for each in path if each.kind in TRIES and _is_in_body(each, at)]
    owner = around[-1] if around else None
    inner = path[path.index(owner) + 1 :] if owner is not None else []
    if owner is None or len(missing) > 1 or any(each.kind in LATER for each in inner) or b"neakyThrow" in leak.data:
        return False  # Where exceptions are sneaked past the language, more than the kind may come out of the block.
    kinds = [(clause, kind) for clause in catches(owner) if (kind := _kind_caught(leak, clause, missing[0])) is not None]
    if len(kinds) != 1 or not _only_tells(leak, kinds[0][0]) or any(_meets_all(leak, clause) for clause in catches(owner)):
        return False
    [(_, kind)] = kinds
    draft.replace(kind.start, kind.end, wanted)
    for thrown in leak.unnamed:
        if thrown.rpartition(".")[2] == wanted:
            insert_import(draft, thrown)
    _drop_import(draft, {leak.tree.text(kind)}, [kind])
    return True


def _meets_all(leak: Leak, clause: Node) -> bool:
    """Whether a handler meets whatever is thrown: then what closing throws is met there, and no other needs to."""
    types = [each for each in find(clause, "catch_type") for each in each.kids if each.kind not in ("|", *COMMENTS)]
    return any(leak.tree.text(each).rpartition(".")[2] in EVERYTHING for each in types)


def _is_in_body(owner: Node, at: int) -> bool:
    body = try_body(owner)
    return body is not None and body.start <= at < body.end and bool(catches(owner))


def _kind_caught(leak: Leak, clause: Node, wanted: str) -> Node | None:
    """The only type that a handler catches, where it is a kind of what is wanted there."""
    types = [each for each in find(clause, "catch_type") for each in each.kids if each.kind not in ("|", *COMMENTS)]
    meant = _meant(leak, wanted)
    name = leak.tree.text(types[0]) if len(types) == 1 else ""
    return types[0] if name and leak.is_below(leak.resolve(name) or name, meant) is True else None


def _meant(leak: Leak, wanted: str) -> str:
    simple = wanted.rpartition(".")[2]
    return next((each for each in leak.unnamed if each.rpartition(".")[2] == simple), "") or leak.resolve(simple) or wanted


_TELLING = ("getMessage", "getLocalizedMessage", "toString", "printStackTrace", "getStackTrace", "getCause")
"""What every exception is asked for."""


_ANSWERING = ("return_statement", "assignment_expression", "update_expression", "break_statement", "continue_statement")
"""What a handler says of what has failed, beside telling of it."""


_OF_ABSENCE = re.compile(r"not? (?:be )?(?:found|find|exist|such)|missing|absent|(?:not|n't) (?:find|locate|exist)|no \w+ found", re.IGNORECASE)
"""What a message says that is true of a file that is not there, and of no other failure."""


def _only_tells(leak: Leak, clause: Node) -> bool:
    """Whether a handler only logs its exception, wraps it in another, or does without it: then it may be of a wider type. Not where it answers
    for an output without a look at it: `return 404;` would be said of a full disk."""
    parameter, block = child(clause, "catch_formal_parameter"), child(clause, "block")
    name = next((leak.tree.text(each) for each in parameter.kids if each.kind == "identifier"), "") if parameter is not None else ""
    if not name or block is None:
        return False
    named = [each for each in find(block, "identifier") if leak.tree.text(each) == name]
    if not named and any(_OF_ABSENCE.search(leak.tree.text(each)) for each in find(block, "string_literal")):
        return False  # It would say that of a disk that cannot be read.
    if not named and any(True for _ in find(block, "local_variable_declaration", *COMMENTS)):
        return False  # It goes another way, or says why: for the failure that it names.
    if not named and is_output(leak.finding.resource.partition("<")[0]) and any(True for _ in find(block, *_ANSWERING)):
        return False
    for each in named:
        above = leak.tree.path(each.start, each.end)
        call = next((one for one in reversed(above) if one is not each), block)
        receiver, asked, _ = call_parts(leak.tree, call) if call.kind == "method_invocation" else (None, "", [])
        if call.kind not in ("method_invocation", "argument_list") or (call.kind == "method_invocation" and (receiver is not each or asked not in _TELLING)):
            return False
    return True


def _declares_all(draft: Draft, leak: Leak, missing: list[str]) -> bool:
    """Put what closing throws in the place of the kind of it that a private method, and who calls it, declare. Returns whether that was done."""
    tree, wanted = parse_file("java", leak.data), missing[0].rpartition(".")[2]
    found: list[Node] = []
    waiting = [procedure_node(leak)]
    seen = {waiting[0].start}
    while waiting:
        method = waiting.pop()
        kind, name = _kind_declared(leak, method, missing[0]), child(method, "identifier")
        if kind is None or name is None or len(missing) > 1:
            return False
        found.append(kind)
        if _words_of(leak, method).isdisjoint(_RUN):
            called = leak.tree.text(name)
            if any(each.kids[-1].kind == "identifier" and tree.text(each.kids[-1]) == called for each in find(tree.root, "method_reference")):
                return False
            for call in find(tree.root, "method_invocation"):
                around = next((each for each in reversed(tree.path(call.start, call.end)) if each.kind == "method_declaration"), None)
                if call_parts(tree, call)[1] != called or _passes(tree, call, wanted):
                    continue
                if around is None or handlers(tree, call.start)[1] or _words_of(leak, around).isdisjoint({*_RUN, "private"}):
                    return False
                if around.start not in seen:
                    seen.add(around.start)
                    waiting.append(around)
    for each in found:
        draft.replace(each.start, each.end, wanted)
    for thrown in leak.unnamed:
        if thrown.rpartition(".")[2] == wanted:
            insert_import(draft, thrown)
    _drop_import(draft, {leak.tree.text(each) for each in found}, found)
    return True


def _words_of(leak: Leak, method: Node) -> set[str]:
    """The modifiers and annotations of a method, without what these are given."""
    modifiers = child(method, "modifiers")
    text = leak.data[modifiers.start : modifiers.end].decode("utf-8", "replace") if modifiers is not None else ""
    return {each.lstrip("@").partition("(")[0] for each in text.split()}


def _kind_declared(leak: Leak, method: Node, wanted: str) -> Node | None:
    """The only type in the `throws` of a method that is a kind of what is wanted there."""
    clause = child(method, "throws")
    types = [kid for kid in clause.kids if "type" in kid.kind] if clause is not None else []
    meant = next((each for each in leak.unnamed if each.rpartition(".")[2] == wanted), "") or leak.resolve(wanted) or wanted
    names = [leak.data[each.start : each.end].decode("utf-8", "replace") for each in types]
    below = [each for each, name in zip(types, names, strict=True) if leak.is_below(leak.resolve(name) or name, meant) is True]
    return below[0] if len(below) == 1 else None


def _passes(tree: Tree, call: Node, wanted: str) -> bool:
    """Whether an exception may pass a call, or is handled there."""
    known = {each.rpartition(".")[2] for each in handlers(tree, call.start)[0]}
    return wanted in known or not known.isdisjoint(EVERYTHING)


def _drop_import(draft: Draft, names: set[str], replaced: list[Node]) -> None:
    """Take the imports out that only the types that were replaced have needed."""
    for name in sorted(names):
        uses = [found.start() for found in re.finditer(rb"\b%s\b" % re.escape(name.encode()), draft.data)]
        left = [at for at in uses if not any(each.start <= at < each.end for each in replaced)]
        line = draft.data[line_start(draft.data, left[0]) : line_end(draft.data, left[0])] if len(left) == 1 else b""
        if line.startswith(b"import ") and line.strip().endswith(b"." + name.encode() + b";"):
            draft.remove_line(line_start(draft.data, left[0]))
