"""Reads procedures from the text that `printing` describes, so that tests can write small ones by hand.

Raises ValueError with the line where the text is no IR; nothing but tests hands it any.
"""

from __future__ import annotations

import re

from analyzers import ir
from analyzers.wellformed import operands

_SPAN = re.compile(r" @(-?\d+)\.\.(-?\d+)$")
_HANDLERS = re.compile(r" !> ([\w$%]+(?:, [\w$%]+)*)$")
_FOLLOWING = re.compile(r" -> ([\w$%]+(?:, [\w$%]+)*)$")
_LABEL = re.compile(r"([\w%$]+): ")
_HEAD = re.compile(r"(\w+) (\S+) \((.*)\)(?: @(-?\d+)\.\.(-?\d+) body (-?\d+))?$")
_CALL = re.compile(
    r"(static|virtual|special|new|function|pointer) (?:(.*?)::)?([^\s(]*)\((.*)\)(?: on (\S.*))?$"
)
_BRANCH = re.compile(r"(.*?) (==|!=|<=|>=|<|>|instanceof) (=.*|\S+)$")
_ASSIGN = re.compile(r"([^\s=]+) = (.*)$", re.DOTALL)
_PLACE = re.compile(r"([^.\[]*|=\".*\")\.([^=\[]*)$")
_ELEMENT = re.compile(r"(.*)\[(.*)\]$")
_FIXED = {"entry": ir.ENTRY, "exit": ir.EXIT, "raise": ir.RAISE}


class _Line:
    """A node as written: its label, instruction text, successors, handlers, bytes."""

    def __init__(self, text: str, number: int) -> None:
        self.source = text
        text = text.strip()
        self.start, self.end = number, number + 1
        span = _SPAN.search(text)
        if span:
            self.start, self.end = int(span[1]), int(span[2])
            text = text[: span.start()]
        text, self.handlers = _targets(text, _HANDLERS)
        text, self.following = _targets(text, _FOLLOWING)
        label = _LABEL.match(text)
        self.label = label[1] if label else ""
        self.text = text[label.end() :].strip() if label else text.strip()


def _targets(text: str, sign: re.Pattern[str]) -> tuple[str, list[str] | None]:
    found = sign.search(text)
    return (text[: found.start()], found[1].split(", ")) if found else (text, None)


class _Reader:
    """A procedure while it is read."""

    def __init__(self, text: str) -> None:
        lines = [line for line in text.splitlines() if line.strip() and not line.strip().startswith("//")]
        head = _HEAD.match(lines[0].strip()) if lines else None
        if head is None:
            raise ValueError("the first line is not `kind name (parameters)`")
        self.kind, self.name = head[1], head[2]
        self.parameters = _split(head[3])
        self.span = (int(head[4] or 0), int(head[5] or 0), int(head[6] or 0))
        self.facts: dict[str, str] = {}
        self.variables: dict[str, ir.Variable] = {}
        self.loops: list[tuple[str, int, int]] = []
        self.lines: list[_Line] = []
        for line in lines[1:]:
            self._line(line.strip())

    def _line(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if word in ("owner", "result", "formals", "throws", "attributes", "error"):
            self.facts[word] = rest
        elif word == "var":
            variable = _variable(rest)
            self.variables[variable.name] = variable
        elif word == "loop":
            read = _Line(rest, 0)
            self.loops.append((read.text, read.start, read.end))
        else:
            self.lines.append(_Line(line, len(self.lines) + 3))

    def procedure(self) -> ir.Procedure:
        """The procedure that was read."""
        nodes: list[ir.Instruction] = [ir.Entry(0, 0), ir.Exit(0, 0), ir.Exit(0, 0)]
        following: list[list[str] | None] = [None, [], []]
        handlers: list[list[str]] = [[], [], []]
        labels = dict(_FIXED)
        for line in self.lines:
            fixed = _FIXED.get(line.text)
            if fixed is not None:
                nodes[fixed] = (
                    ir.Entry(line.start, line.end) if fixed == ir.ENTRY else ir.Exit(line.start, line.end)
                )
                following[fixed] = line.following if fixed == ir.ENTRY else []
            labels[line.label] = fixed if fixed is not None else len(nodes)
            if fixed is None:
                nodes.append(_instruction(line))
                following.append(line.following)
                handlers.append(line.handlers or [])
        successors = [self._following(labels, nodes, number, each) for number, each in enumerate(following)]
        self._name_variables(nodes)
        start, end, header_end = self.span
        error = self.facts.get("error", "").split("..")
        return ir.Procedure(
            self.name,
            self.kind,
            start,
            end,
            header_end,
            self.facts.get("owner", ""),
            self.facts.get("result", ""),
            _split(self.facts.get("throws", "")),
            self.parameters,
            tuple(each for each in self.facts.get("attributes", "").split("; ") if each),
            tuple(self.variables[name] for name in sorted(self.variables)),
            tuple(nodes),
            tuple(successors),
            tuple(tuple(_index(labels, each) for each in written) for written in handlers),
            tuple(ir.Loop(first, last, _index(labels, label)) for label, first, last in self.loops),
            (int(error[0]), int(error[1])) if len(error) == 2 else None,
            _split(self.facts.get("formals", "")),
        )

    def _following(
        self, labels: dict[str, int], nodes: list[ir.Instruction], number: int, written: list[str] | None
    ) -> tuple[int, ...]:
        if written is not None:
            return tuple(_index(labels, each) for each in written)
        after = number + 1 if number != ir.ENTRY else 3
        if isinstance(nodes[number], ir.Throw):
            return ()
        if isinstance(nodes[number], ir.Return) or after >= len(nodes):
            return (ir.EXIT,)
        return (after,)

    def _name_variables(self, nodes: list[ir.Instruction]) -> None:
        """Add the variables that no line declares."""
        for name in self.parameters:
            self.variables.setdefault(name, ir.Variable(name, "", "parameter"))
        for node in nodes:
            for name in operands(node):
                if name and not ir.is_literal(name):
                    kind: ir.VariableKind = (
                        "temporary" if ir.is_made_up(name) else "receiver" if name == "this" else "local"
                    )
                    if kind != "receiver":
                        self.variables.setdefault(name, ir.Variable(name, "", kind))


def parse_procedure(text: str) -> ir.Procedure:
    """The procedure that a text describes; ValueError where it describes none."""
    return _Reader(text).procedure()


def _index(labels: dict[str, int], label: str) -> int:
    if label not in labels:
        raise ValueError(f"no node is called `{label}`")
    return labels[label]


def _split(text: str) -> tuple[str, ...]:
    """Operands between commas, those in quotes or brackets aside."""
    parts, depth, quote, start = [], 0, "", 0
    position = 0
    while position < len(text):
        character = text[position]
        if quote:
            if character == "\\":
                position += 1
            elif character == quote:
                quote = ""
        elif character in "\"'":
            quote = character
        elif character in "([{<":
            depth += 1
        elif character in ")]}>":
            depth -= 1
        elif character == "," and depth <= 0:
            parts.append(text[start:position].strip())
            start = position + 1
        position += 1
    parts.append(text[start:].strip())
    return tuple(each for each in parts if each)


def _variable(text: str) -> ir.Variable:
    parts = [each.strip() for each in f"{text} ".split(" | ")]
    parts += ["", "local", "0..0", "0", ""][len(parts) - 1 :]
    name, written, kind, span, declared, attributes = parts[:6]
    kinds: dict[str, ir.VariableKind] = {
        "parameter": "parameter", "receiver": "receiver", "local": "local", "temporary": "temporary",
        "captured": "captured",
    }  # fmt: skip
    start, _, end = span.partition("..")
    named = tuple(each for each in attributes.split("; ") if each)
    return ir.Variable(
        name,
        written,
        kinds[kind],
        int(start),
        int(end),
        int(declared),
        tuple(each for each in named if each != "&"),
        "&" in named,
    )


def _instruction(line: _Line) -> ir.Instruction:
    read = _statement(line)
    if read is None:
        raise ValueError(f"this is no instruction: {line.source}")
    return read


def _statement(line: _Line) -> ir.Instruction | None:
    start, end = line.start, line.end
    word, _, rest = line.text.partition(" ")
    if rest.startswith("= "):
        return _assignment(start, end, word, rest[2:].strip())
    match word:
        case "return":
            return ir.Return(start, end, rest.strip())
        case "throw":
            src, _, written = rest.partition(" : ")
            return ir.Throw(start, end, src.strip(), written.strip())
        case "if":
            return _branch(start, end, rest.strip())
        case "end":
            return ir.ScopeEnd(start, end, _split(rest))
        case "havoc":
            variables, _, reason = f" {rest}".partition(" : ")
            return ir.Havoc(start, end, _split(variables), reason.strip())
        case "store":
            return _store(start, end, rest)
    if _CALL.match(line.text):
        return _call(start, end, "", line.text)
    assigned = _ASSIGN.match(line.text)
    return _assignment(start, end, assigned[1], assigned[2].strip()) if assigned else None


def _branch(start: int, end: int, text: str) -> ir.Branch:
    if text == "*":
        return ir.Branch(start, end, "*", "", "")
    compared = _BRANCH.match(text)
    if compared is None:
        return ir.Branch(start, end, "true", text, "")
    return ir.Branch(start, end, compared[2], compared[1], compared[3])


def _store(start: int, end: int, text: str) -> ir.Instruction | None:
    target, _, src = text.partition(" = ")
    element = _ELEMENT.match(target)
    if element:
        return ir.StoreElement(start, end, element[1], element[2], src.strip())
    place = _PLACE.match(target)
    return ir.Store(start, end, place[1], place[2], src.strip()) if place else None


def _call(start: int, end: int, dst: str, text: str) -> ir.Call | None:
    call = _CALL.match(text)
    if call is None:
        return None
    kinds: dict[str, ir.CallKind] = {
        "static": "static", "virtual": "virtual", "special": "special", "new": "new", "function": "function",
        "pointer": "pointer",
    }  # fmt: skip
    return ir.Call(start, end, dst, kinds[call[1]], call[3], call[2] or "", call[5] or "", _split(call[4]))


def _assignment(start: int, end: int, dst: str, text: str) -> ir.Instruction | None:
    word, _, rest = text.partition(" ")
    match word:
        case "alloc":
            return ir.Alloc(start, end, dst, rest)
        case "op":
            operator, _, operands = rest.partition(" ")
            operands, _, written = operands.partition(" : ")
            return ir.Op(start, end, dst, operator, _split(operands), written.strip())
        case "catch":
            return ir.Catch(start, end, dst, _split(rest))
        case "&":
            base, _, field = rest.partition(".")
            return ir.AddressOf(start, end, dst, base.strip(), field.strip())
        case "load":
            place = _PLACE.match(rest)
            if place:
                return ir.Load(start, end, dst, place[1], place[2])
            element = _ELEMENT.match(rest)
            return ir.LoadElement(start, end, dst, element[1], element[2]) if element else None
    if _CALL.match(text):
        return _call(start, end, dst, text)
    return ir.Copy(start, end, dst, text) if text else None
