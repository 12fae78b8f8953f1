"""`#define` as Macro and, where the body is an expression or whole statements, as a procedure.

The result of an expression is returned. Statements just end; a `return` among them is the caller's, and a
jump out of them is a `Return` of `=break`, `=continue` or `=goto label`: attributes say `control-flow`. Other
attributes: `assigns(0)` for a formal that is assigned, `heads-loop` for `for (…)` without a body, `varargs`, `declares` for variables that
whoever uses the macro goes on with.
No procedure for bodies that paste tokens, do not balance, or hold case labels.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.frontends.c.body import Body
from analyzers.frontends.c.file import File
from analyzers.frontends.c.procedures import LOWERING, begin, finish
from analyzers.frontends.c.repair.tokens import Token, directive_end, pairs, tokenise
from analyzers.frontends.c.trees import DEEPEST, move
from analyzers.frontends.c.words import STATEMENT_KEYWORDS
from analyzers.syntax import C, Node, parse

_BEFORE, _AFTER = b"void f(){", b"\n;}"
_BEFORE_VALUE, _AFTER_VALUE = b"void f(){(", b"\n);}"
_LONGEST = 20_000
"""Bytes of a body past which it is not lowered."""


class Definition:
    """A `#define` read: its name, parameters and the tokens of its body."""

    __slots__ = ("body", "end", "name", "parameters", "start", "text")

    def __init__(self, source: str, start: int) -> None:
        self.start = start
        self.end = directive_end(source, start)
        tokens = tokenise(source, source.index("define", start) + len("define"), self.end)
        self.name = tokens[0].text if tokens and tokens[0].kind == "name" else ""
        self.parameters: tuple[str, ...] | None = None
        first = 1
        if len(tokens) > 1 and tokens[1].text == "(" and tokens[1].start == tokens[0].end:
            first = next((number + 1 for number, token in enumerate(tokens) if token.text == ")"), len(tokens))
            self.parameters = _formals(tokens[2 : first - 1])
        self.body = tokens[first:]
        self.text = _joined(self.body)


def _formals(tokens: list[Token]) -> tuple[str, ...]:
    names: list[str] = []
    for token in tokens:
        if token.kind == "name":
            names.append(token.text)
        elif token.text == "...":
            if names and tokens[-2:-1] and tokens[-2].kind == "name":
                names[-1] += "..."
            else:
                names.append("...")
    return tuple(names)


def _joined(tokens: list[Token]) -> str:
    """The text of tokens: one space where there was any."""
    parts: list[str] = []
    end = -1
    for token in tokens:
        if parts and token.start > end:
            parts.append(" ")
        parts.append(token.text)
        end = token.end
    return "".join(parts)


def define(file: File, start: int) -> ir.Macro | None:
    """Read the `#define` at an offset, and lower it if it can be."""
    definition = Definition(file.source, start)
    if not definition.name:
        return None
    procedure = ""
    if _may_be_lowered(definition):
        procedure = _lower(file, definition)
    return ir.Macro(
        definition.name, definition.parameters, definition.text, definition.start, definition.end, procedure
    )


def _may_be_lowered(definition: Definition) -> bool:
    tokens = definition.body
    if not tokens or tokens[-1].end - tokens[0].start > _LONGEST:
        return False
    texts = [token.text for token in tokens]
    if "#" in texts or "##" in texts or "case" in texts or "default" in texts:
        return False
    if definition.parameters is None and not _does_something(tokens):
        return False
    return pairs(tokens) is not None


def _does_something(tokens: list[Token]) -> bool:
    """Whether the body of a macro without parameters is more than a constant: a call, a jump, an assignment."""
    for number, token in enumerate(tokens[:-1]):
        if token.kind == "name" and tokens[number + 1].text == "(" and token.text != "sizeof":
            return True
    return any(token.text in STATEMENT_KEYWORDS or token.text in ("=", "++", "--") for token in tokens)


def _lower(file: File, definition: Definition) -> str:
    """Lower a body; the name of its procedure, empty where it cannot be one."""
    start, end = definition.body[0].start, definition.body[-1].end
    text = _one_line(file.data[start:end])
    is_statements = any(token.text == ";" for token in definition.body) or (
        definition.body[0].text in STATEMENT_KEYWORDS or definition.body[0].text == "{"
    )
    forms = ((_BEFORE, _AFTER),) if is_statements else ((_BEFORE_VALUE, _AFTER_VALUE), (_BEFORE, _AFTER))
    for before, after in forms:
        syntax = parse(C, before + text + after)
        definitions = syntax.root.kids
        if syntax.errors or syntax.depth > DEEPEST or len(definitions) != 1 or definitions[0].kind != "function_definition":
            continue
        block = definitions[0].kids[-1]
        move(block, start - len(before), definition.start, definition.end)
        procedure = _procedure(file, definition, block, start)
        if procedure is not None:
            file.procedures.append(procedure)
            return procedure.name
    return ""


def _one_line(text: bytes) -> bytes:
    """The text with its continuations blanked."""
    return text.replace(b"\\\r\n", b"   ").replace(b"\\\n", b"  ")


def _procedure(file: File, definition: Definition, block: Node, header_end: int) -> ir.Procedure | None:
    """The procedure of a body that parsed; nothing that it says by the way is kept if it fails."""
    notes, suspects, globals_, statics = (
        len(file.notes), len(file.suspects), len(file.global_declarations), len(file.initialisers)
    )
    root = Node("macro", definition.start, definition.end, [block])
    body = Body(file, LOWERING, definition.start, definition.name, "", root)
    body.is_macro = True
    begin(body, root)
    body.push(definition.start, definition.end)
    for parameter in definition.parameters or ():
        name = parameter.removesuffix("...") or "__VA_ARGS__"
        body.parameters.append(body.declare(name, "", "parameter", definition.start, ()))
        if parameter.endswith("..."):
            body.attributes.append("varargs")
    try:
        is_value = _content(body, block)
    except RecursionError:
        is_value = None
    del file.notes[notes:], file.suspects[suspects:], file.global_declarations[globals_:], file.initialisers[statics:]
    body.drop()
    if is_value is None or body.error is not None or body.pending:
        return None
    body.name = file.unique_name(definition.name)
    attributes = [*body.attributes, *_assigned(body)]
    if body.has_returned:
        attributes.append("control-flow")
    if any(kid.kind == "declaration" for kid in block.kids):
        attributes.append("declares")
    attributes.append("expression" if is_value else "statements")
    return finish(body, root, header_end, "macro", "", tuple(attributes))


def _content(body: Body, block: Node) -> bool | None:
    """Lower the content; whether it is an expression, None where it can be no procedure."""
    kids = [kid for kid in block.kids if kid.kids or kid.kind != "expression_statement"]
    if len(kids) == 1 and kids[0].kind == "expression_statement":
        operand = body.value(kids[0].kids[0])
        if body.has_returned:
            return None
        body.emit(ir.Return(kids[0].start - body.base, kids[0].end - body.base, operand))
        return True
    if kids and kids[-1].kind in ("for_statement", "while_statement") and _is_empty(kids[-1].kids[-1]):
        body.attributes.append("heads-loop")
    body.push(block.start, block.end)
    for kid in kids:
        body.statement(kid)
    body.pop()
    return False


def _is_empty(node: Node) -> bool:
    return node.kind == "expression_statement" and not node.kids


def _assigned(body: Body) -> list[str]:
    """`assigns(i)` for each formal that the body assigns."""
    written = {node.dst for node in body.nodes if isinstance(node, _WRITES)}
    return [f"assigns({number})" for number, name in enumerate(body.parameters) if name in written]


_WRITES = (ir.Copy, ir.Op, ir.Load, ir.LoadElement, ir.AddressOf, ir.Call)
