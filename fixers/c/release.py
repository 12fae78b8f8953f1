"""The call that releases a handle of C: what the function does elsewhere, else what the specs say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from analyzers import ir
from analyzers.graphs.cfg import reverse_post_order
from analyzers.graphs.operands import assigned, operands
from analyzers.handles.unknown import is_ender, words_of
from analyzers.syntax import Node
from fixers.c.alike import name_alike
from fixers.c.error_places import CLEARING, is_asked_twice
from fixers.c.working_ends import works
from fixers.leak import Leak
from fixers.tree import COMMENTS, child, find


class Call(msgspec.Struct, frozen=True):
    """A call that releases something: the function, the argument that goes as it is written, what is written behind that (`, count`), how
    many members go with it, whether it does something else, too, though the library's own release would do, and what is written before it
    (`file, `)."""

    name: str
    argument: str
    rest: str
    members: int
    works: bool = False
    before: str = ""


_ARGUMENT = re.compile(r"\$\d(?:\.\*)?")
"""A place in the words of a release for what the acquisition was passed there, or put there (`$1.*`)."""

_FORMAL = re.compile(r"\$\d+")
"""What a formal is called among Effects."""

_OF_ANYTHING = frozenset(("XFree", "free", "g_free"))
"""What releases any block, and is declared for those that may be written to."""

_ENDING = frozenset(("close", "end", "finish", "shutdown", "stop"))
"""Words of functions that end an object, beside those that are taken for that of a function that nobody knows."""

_SIZE = re.compile(r"sizeof\s*\(\s*([A-Za-z_][\w ]*?)\s*\)")
"""The size of a type, in words."""

_CAST = re.compile(r"^\([A-Za-z_][\w ]*\) *")
"""A cast to a type of numbers before a name."""


def release_call(leak: Leak, target: str) -> str:
    """The call that releases an expression; empty where that takes more than the handle."""
    return next(iter(release_calls(leak, target)), "")


def release_calls(leak: Leak, target: str) -> tuple[str, ...]:
    """The calls that may release an expression, what the function itself calls before what specs say."""
    if is_asked_twice(leak, target):
        return (f"{CLEARING}(&{target})",)
    own = own_releases(leak, target)
    made = leak.enders[:1] if is_made(leak, target) else ()
    found = dict.fromkeys((*(f"{each.name}({each.before}{target}{each.rest})" for each in own), *(f"{name}({target})" for name in made)))
    if not leak.releases:
        return tuple(_with_cast(leak, target, each) for each in found)
    chosen = leak.releases[0]
    if not own and (alike := name_alike(leak, target, chosen.call)):
        found = {f"{alike}({target})": None, **found}
    is_special = any(each.name != chosen.call for each in own[:1])
    if chosen.text and (is_special or (not own and not _is_ended_at_times(leak, target) and not _is_ended_otherwise(leak, target))):
        words = _with_arguments(leak, _through_pointer(leak, chosen.call, chosen.text))
        if words:
            plain = words.replace("{}", target)
            found = dict.fromkeys((plain, *found)) if own and own[0].works else {**found, plain: None}
    elif chosen.argument == ("$0", "*"):
        found[f"{chosen.call}({target[1:] if target[0] == '*' else f'&{target}'})"] = None
    return tuple(_with_cast(leak, target, each) for each in found)


def _is_ended_at_times(leak: Leak, target: str) -> bool:
    """Whether the procedure calls a function of the program that ends an expression, unless that fails (`status = session_end(session)`):
    there is more to end than the block."""
    for node, call in enumerate(leak.linked.body.nodes):
        known = leak.linked.targets.get(node)
        is_own = isinstance(call, ir.Call) and call.args and known is not None and known.procedures and ir.source_name(call.args[0]) == target
        if isinstance(call, ir.Call) and is_own and (is_ender(call.name) or not _ENDING.isdisjoint(words_of(call.name))):
            ends = [one.fate for effects in leak.effects.get(node, ()) for each in effects.transfers if each.entry == ("$0",) for one in each.outcomes]
            if "released" in ends and "held" in ends:
                return True
    return False


def _is_ended_otherwise(leak: Leak, target: str) -> bool:
    """Whether the procedure hands an expression to a function of the program that always releases it, with something else that no patch
    can write elsewhere (`file_free(file->owner, block)`): who takes the block back may count it."""
    for node, call in enumerate(leak.linked.body.nodes):
        known = leak.linked.targets.get(node)
        if not isinstance(call, ir.Call) or len(call.args) < 2 or known is None or not known.procedures:
            continue
        for transfer in (each for effects in leak.effects.get(node, ()) for each in effects.transfers):
            at = int(transfer.entry[0][1:]) if len(transfer.entry) == 1 and _FORMAL.fullmatch(transfer.entry[0]) else len(call.args)
            is_it = at < len(call.args) and ir.source_name(call.args[at]) == target and transfer.resource in ("", leak.resource)
            if is_it and all(each.fate == "released" for each in transfer.outcomes):
                return True
    return False


def _through_pointer(leak: Leak, name: str, words: str) -> str:
    """A release in words, as the function itself writes it where nothing else than a member that points to a function has its name
    (`c->reader->fn->drop(reply)`)."""
    body = leak.linked.body
    calls = [each for each in body.nodes if isinstance(each, ir.Call) and each.name == name]
    if not calls or any(each.kind != "pointer" or len(each.args) != 1 for each in calls):
        return words
    function, paren, _ = leak.data[body.start + calls[0].start : body.start + calls[0].end].decode("utf-8", "surrogateescape").partition("(")
    return words.replace(f"{name}(", f"{function.strip()}(", 1) if paren and function.strip().endswith(name) else words


def _with_cast(leak: Leak, target: str, call: str) -> str:
    """A call of what takes `void *`, with the cast that a compiler asks for where the variable points to what is `const`: as the function itself
    writes it elsewhere, without one too."""
    name, _, rest = call.partition("(")
    pointee = leak.linked.types.get(target, "").partition("*")
    if name not in _OF_ANYTHING or rest != f"{target})" or "const" not in pointee[0].split() or pointee[1] != "*" or "*" in pointee[2]:
        return call
    written = [each.argument for each in _released(leak) if each.name == name and each.argument.endswith(target)]
    cast = next((each for each in written if each[0] == "(" and each[: -len(target)].rstrip().endswith(")")), "")
    if not cast and target in written:
        return call
    is_tight = b"(void*)" in leak.data and b"(void *)" not in leak.data
    return f"{name}({cast or ('(void*)' if is_tight else '(void *)') + target})"


def is_made(leak: Leak, target: str) -> bool:
    """Whether an expression is a variable of the type of what the acquisition makes."""
    body, types = leak.linked.body, leak.linked.types
    at = leak.finding.acquired.start - body.start
    call = next((each for each in body.nodes if isinstance(each, ir.Call) and each.start == at and each.dst), None)
    written = "".join(types.get(call.dst, "").split()) if isinstance(call, ir.Call) else ""
    return bool(written) and "".join(types.get(target, "").split()) == written


def _with_arguments(leak: Leak, words: str) -> str:
    """A release in words, where it takes what the acquisition was passed (`munmap({}, $1)`) or put into a variable of the caller's
    (`drop({}, $1.*)`); empty where that may be something else by then, or out of sight: a function of the program may have passed it on
    in another place."""
    wanted = sorted(set(_ARGUMENT.findall(words)), reverse=True)
    if not wanted:
        return words
    body = leak.linked.body
    at = leak.finding.acquired.start - body.start
    call = next((each for each in body.nodes if isinstance(each, ir.Call) and each.start == at), None)
    syntax = next((each for each in find(leak.tree.root, "call_expression") if each.start == leak.finding.acquired.start), None)
    given = child(syntax, "argument_list") if syntax is not None else None
    texts = _as_written(leak, given) if given is not None else []
    target = leak.linked.targets.get(body.nodes.index(call)) if call is not None else None
    if call is None or len(texts) != len(call.args) or (target is not None and target.procedures):
        return ""
    for each in wanted:
        number, is_behind = int(each[1]), len(each) > 2
        at_call = body.nodes.index(call)
        if number >= len(texts):
            return ""
        if is_behind:
            text = _filled(leak, at_call, call.args[number], texts[number])
        else:
            is_lasting = _is_of_type(leak, call.dst, texts[number]) or _is_lasting(leak, at_call, call.args[number], texts[number])
            text = texts[number] if is_lasting else ""
        if not text:
            return ""
        words = words.replace(each, text)
    return words


def _as_written(leak: Leak, given: Node) -> list[str]:
    """The arguments of a call as the file has them: in the tree a type may have become something that the grammar takes for an argument."""
    kids = [kid for kid in given.kids if kid.kind not in COMMENTS]
    if len(kids) < len(given.kids):
        return [leak.tree.text(kid) for kid in kids if kid.kind not in ("(", ")", ",")]
    ends = [kid.start for kid in kids if kid.kind in (")", ",")]
    starts = [kid.end for kid in kids if kid.kind in ("(", ",")]
    return [leak.data[start:end].decode("utf-8", "surrogateescape").strip() for start, end in zip(starts, ends, strict=False)]


def _is_of_type(leak: Leak, name: str, text: str) -> bool:
    """Whether words name the type of what a variable points to, or the size of that (`g_slice_new(Node)`, `g_slice_alloc(sizeof(Node))`)."""
    sized = _SIZE.fullmatch(text)
    words = (sized[1] if sized is not None else text).split()
    written = (leak.linked.types.get(name, ""), *(each.type for each in leak.linked.body.variables if each.name == name))
    pointees = (each.rpartition("*") for each in written)
    return bool(words) and any(star and not more.strip() and words == [each for each in pointee.split() if each != "const"] for pointee, star, more in pointees)


def _filled(leak: Leak, at: int, operand: str, text: str) -> str:
    """The variable whose address the call at a node is passed (`&count`), where nobody but that call knows the address and nothing
    assigns the variable behind it; else empty."""
    name = text.removeprefix("&").strip()
    body = leak.linked.body
    variable = next((each for each in body.variables if each.name == name and each.kind in ("parameter", "local")), None)
    behind = [body.nodes[node] for node in reverse_post_order(leak.linked.next, at)]
    taken = [each for each in body.nodes if isinstance(each, ir.AddressOf) and each.base == name]
    if variable is None or not text.startswith("&") or [each.dst for each in taken] != [operand] or any(name in assigned(each) for each in behind):
        return ""
    return name


def _is_lasting(leak: Leak, at: int, operand: str, text: str) -> bool:
    """Whether the words of an argument of the call at a node mean the same anywhere behind it: a number, a variable that nothing
    assigns there or knows the address of, a member of a local struct (`st.st_size`) that nothing touches there."""
    if ir.is_literal(operand):
        return "(" not in text
    body = leak.linked.body
    if (plain := _CAST.sub("", text)) != text:
        source = next((each.operands[0] for each in body.nodes if isinstance(each, ir.Op) and each.operator == "cast" and each.dst == operand), operand)
        return _is_lasting(leak, at, source, plain)
    asked = [n for n, each in enumerate(body.nodes) if isinstance(each, ir.Call) and each.dst == operand and not each.args]
    if asked:  # `GetProcessHeap()`
        return bool(leak.effects.get(asked[0])) and all(each.is_pure for each in leak.effects[asked[0]])
    name, dot, member = text.partition(".")
    variable = next((each for each in body.variables if each.name == name and each.kind in ("parameter", "local")), None)
    if variable is None or (dot and (not member.isidentifier() or "*" in leak.linked.types.get(name, "*"))):
        return False
    behind = [body.nodes[node] for node in reverse_post_order(leak.linked.next, at)]
    if dot:
        places = {each.dst for each in body.nodes if isinstance(each, ir.AddressOf) and each.base == name}
        if any(isinstance(each, ir.Copy | ir.Store | ir.StoreElement) and each.src in places for each in body.nodes):
            return False
        return not any(
            (isinstance(each, ir.AddressOf | ir.Store) and each.base == name) or name in assigned(each) for each in behind
        ) and any(isinstance(each, ir.Load) and (each.dst, each.base, each.field) == (operand, name, member) for each in body.nodes)
    return text == operand and not variable.is_address_taken and not any(operand in assigned(each) for each in behind)


def accepts_none(leak: Leak, call: str) -> bool:
    """Whether a release may be called with what means «none»."""
    name = call.partition("(")[0]
    return name in leak.tolerant or next((each.accepts_null for each in leak.releases if each.call == name), False)


def own_releases(leak: Leak, target: str) -> tuple[Call, ...]:
    """The calls that release an expression, or else the finding's variable, elsewhere in the procedure, one of each function;
    those first that release members, too."""
    calls = sorted(_released(leak), key=lambda each: (-each.members, each.works))
    for wanted in (target, leak.finding.variable):
        named = {each.name: each for each in reversed(calls) if each.argument == wanted and (not (each.rest or each.before) or wanted == target)}
        if named:
            return tuple(each for each in dict.fromkeys(calls) if named.get(each.name) == each)
    return ()


def put_into(nodes: Sequence[ir.Instruction], acquisitions: Iterable[int]) -> frozenset[str]:
    """The variables that get what some calls return."""
    made = {each.dst for node in acquisitions if isinstance(each := nodes[node], ir.Call)}
    return frozenset(made | {each.dst for each in nodes if isinstance(each, ir.Copy) and ir.is_temporary(each.src) and each.src in made})


def released_names(leak: Leak) -> frozenset[str]:
    """The expressions that the procedure itself releases somewhere."""
    return frozenset(each.argument for each in _released(leak))


def destructors(leak: Leak) -> frozenset[str]:
    """The functions that the procedure calls to release something together with its members."""
    return frozenset(each.name for each in _released(leak) if each.members)


def emptiers(leak: Leak) -> frozenset[str]:
    """The functions that release an object together with all elements of an array that it has, or is: by what the procedure calls, by specs."""
    found = {each.call for each in leak.releases if each.has_elements}
    for node, call in enumerate(leak.linked.body.nodes):
        transfers = [t for effects in leak.effects.get(node, ()) for t in effects.transfers if any(one.fate == "released" for one in t.outcomes)]
        if isinstance(call, ir.Call) and any("[]" in t.entry for t in transfers) and any(len(t.entry) == 1 for t in transfers):
            found.add(call.name)
    return frozenset(found)


def _released(leak: Leak) -> list[Call]:
    """The calls that release the resource."""
    return leak.remember(("released", leak.finding, leak.resource), lambda: _releasing(leak))


def _releasing(leak: Leak) -> list[Call]:
    body = leak.linked.body
    found: list[Call] = []
    for node, call in enumerate(body.nodes):
        if not isinstance(call, ir.Call) or not call.args or (call.kind != "function" and len(call.args) != 1):
            continue
        transfers = [t for effects in leak.effects.get(node, ()) for t in effects.transfers]
        members = len({t.entry for t in transfers if len(t.entry) > 1 and any(o.fate == "released" for o in t.outcomes)})
        if any(path == ("$ret",) for t in transfers if len(t.entry) != 1 for o in t.outcomes if o.fate == "held" for path in o.paths):
            continue  # It hands out a part (`g_string_free(text, FALSE)`), which would be lost.
        for transfer in transfers:
            at = int(transfer.entry[0][1:]) if len(transfer.entry) == 1 and _FORMAL.fullmatch(transfer.entry[0]) else len(call.args)
            is_release = at < len(call.args) and all(each.fate == "released" for each in transfer.outcomes)
            if is_release and transfer.resource in ("", leak.resource):
                words = leak.data[body.start + call.start : body.start + call.end].decode("utf-8", "surrogateescape")
                function, _, behind = words.partition("(")
                inside = behind.rpartition(")")[0]
                if len(call.args) > 1 and not _is_counted(leak, call, at):
                    continue
                given = inside.split(",") if len(call.args) > 1 else [inside]
                before, argument = ",".join((*given[:at], "")), given[at]
                before += argument[: len(argument) - len(argument.lstrip())] if at else ""
                rest = "".join(f",{each}" for each in given[at + 1 :])
                name = call.name if call.kind == "function" else function.strip()
                written = dict.fromkeys((argument.strip(), ir.source_name(call.args[at])))
                busy = not members and works(leak, call)
                found += [Call(name, each, rest, members, busy, before) for each in written if name]
    return found


def _is_counted(leak: Leak, call: ir.Call, at: int) -> bool:
    """Whether all that a release is told beside the handle, its argument `at`, are numbers that are the same wherever the handle is held: literals,
    parameters that never change, and what the calls that make the handle count in the same breath."""
    body = leak.linked.body
    words = leak.data[body.start + call.start : body.start + call.end].decode("utf-8", "surrogateescape")
    if words.count(",") != len(call.args) - 1 or words.count("(") != 1:
        return False
    given = words.partition("(")[2].rpartition(")")[0].split(",")
    return all(
        number == at or _is_number(each) or _is_of_type(leak, call.args[at], given[number].strip()) or _is_of_maker(leak, call.args[at], each)
        for number, each in enumerate(call.args)
    )


def _is_number(operand: str) -> bool:
    return ir.is_literal(operand) and operand[1:].lstrip("-").isdigit()


def _is_of_maker(leak: Leak, handle: str, count: str) -> bool:
    """Whether a variable is written by nothing but calls that make the handle, and by those all."""
    body = leak.linked.body
    if count in {name for node in body.nodes for name in assigned(node)} or ir.is_literal(count) or ir.is_temporary(count):
        return False
    addresses = {node.dst for node in body.nodes if isinstance(node, ir.AddressOf) and node.base == count}
    using = [n for n, node in enumerate(body.nodes) if not addresses.isdisjoint(operands(node))]
    if not using:
        return count in body.parameters
    sites = [n for n, node in enumerate(body.nodes) if _makes(leak, n) and _is_for(body, node, handle)]
    return bool(sites) and sites == using


def _makes(leak: Leak, node: int) -> bool:
    return any(not each.entry for effects in leak.effects.get(node, ()) for each in effects.transfers)


def _is_for(body: ir.Procedure, call: ir.Instruction, handle: str) -> bool:
    """Whether the result of a call goes to a variable."""
    made = call.dst if isinstance(call, ir.Call) else ""
    copies = (node.dst for node in body.nodes if isinstance(node, ir.Copy) and made and node.src == made)
    return handle in (made, *copies)
