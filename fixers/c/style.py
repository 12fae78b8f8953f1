"""How a function of C is written: braces, tests for null, declarations among statements."""

from __future__ import annotations

import itertools

from analyzers.syntax import Node
from fixers import text
from fixers.c.points import statements
from fixers.leak import Leak
from fixers.tree import Tree, find


def style_of(leak: Leak) -> Style:
    """How the function of a leak is written."""
    return leak.remember(("style", leak.linked.key, leak.standard), lambda: Style(leak.tree, leak.standard))


class Style:
    """Read off one function (and, for what it does not show, the defaults of most code)."""

    def __init__(self, tree: Tree, standard: str) -> None:
        self.tree = tree
        self.is_mixed = standard not in ("c89", "c90", "ansi") and self._mixes()
        self.is_allman = self._has_brace_on_own_line()
        self.is_gnu = self.is_allman and self._indents_braces()
        self.is_flush = self.is_gnu and self._is_flush()
        self.tests_truth = self._tests_truth()
        self.is_spaced = self._is_spaced()
        self.is_tight = self._is_tight()

    def _mixes(self) -> bool:
        """Whether a declaration follows a statement somewhere."""
        for block in find(self.tree.root, "compound_statement"):
            seen = False
            for each in statements(block):
                if each.kind != "declaration":
                    seen = True
                elif seen:
                    return True
        return False

    def _has_brace_on_own_line(self) -> bool:
        """Whether branches open their blocks on a line of their own; where the function has none, as the rest of its file does."""
        own = same = 0
        for holder in find(self.tree.root, "if_statement", "for_statement", "while_statement"):
            block = next((kid for kid in holder.kids if kid.kind == "compound_statement"), None)
            if block is not None:
                if text.starts_line(self.tree.data, block.start):
                    own += 1
                else:
                    same += 1
        if not own and not same:
            lines = [line.strip() for line in self.tree.data.splitlines() if line[:1].isspace()]
            own, same = lines.count(b"{"), sum(line.endswith((b") {", b"){")) for line in lines)
        return own > same

    def _is_flush(self) -> bool:
        """Whether what stands between such braces stands right below them (Whitesmiths), and not one step further."""
        flush = deeper = 0
        for block in find(self.tree.root, "compound_statement"):
            first = next((each for each in statements(block) if text.starts_line(self.tree.data, each.start)), None)
            if first is not None and text.starts_line(self.tree.data, block.start) and text.indentation(self.tree.data, block.start):
                brace, inner = (text.columns(text.indentation(self.tree.data, each.start)) for each in (block, first))
                flush, deeper = flush + (inner == brace), deeper + (inner > brace)
        return flush > deeper

    def _indents_braces(self) -> bool:
        """Whether the braces of branches stand one step to the right of them, as GNU has it; where the function has none, as in its file."""
        deeper = level = 0
        for holder in find(self.tree.root, "if_statement", "for_statement", "while_statement"):
            block = next((kid for kid in holder.kids if kid.kind == "compound_statement"), None)
            if block is not None and text.starts_line(self.tree.data, block.start) and text.starts_line(self.tree.data, holder.start):
                outer, brace = (text.columns(text.indentation(self.tree.data, each.start)) for each in (holder, block))
                deeper, level = deeper + (brace > outer), level + (brace == outer)
        if not deeper and not level:
            lines = self.tree.data.splitlines()
            for header, opening in itertools.pairwise(lines):
                if opening.strip() == b"{" and header[:1].isspace() and header.lstrip().startswith((b"if ", b"if(", b"for ", b"while ", b"else")):
                    outer, inner = (text.columns(text.indentation(each, 0)) for each in (header, opening))
                    deeper, level = deeper + (inner > outer), level + (inner == outer)
        return deeper > level

    def _tests_truth(self) -> bool:
        """Whether pointers are tested as `if (p)` rather than against NULL."""
        truth = null = 0
        for condition in find(self.tree.root, "parenthesized_expression"):
            inner = [kid for kid in condition.kids if kid.kind not in ("(", ")")]
            if len(inner) == 1 and inner[0].kind in ("identifier", "field_expression"):
                truth += 1
            if len(inner) == 1 and inner[0].kind == "unary_expression" and inner[0].kids[0].kind == "!":
                truth += 1
            if any(each.kind == "null" for each in find(condition, "null")):
                null += 1
        return truth > null

    def _is_spaced(self) -> bool:
        """Whether a blank stands between the name of a function and its arguments, as GNU has it."""
        calls = [each.kids for each in find(self.tree.root, "call_expression") if len(each.kids) > 1]
        return sum(kids[0].end < kids[1].start for kids in calls) * 2 > len(calls)

    def _is_tight(self) -> bool:
        """Whether nothing stands between an `if` and its condition."""
        found = [self.tree.data[each.start + 2 : each.start + 3] for each in find(self.tree.root, "if_statement")]
        return found.count(b"(") * 2 > len(found)

    def branches(self, lines: str, unit: str) -> str:
        """Lines whose `if`s are written as the function writes them."""
        if self.is_allman:
            lines = self._with_braces_apart(lines, unit)
        if not self.is_tight:
            return lines
        return "".join(line.replace("if (", "if(", 1) if line.lstrip().startswith("if (") else line for line in lines.splitlines(keepends=True))

    def _with_braces_apart(self, lines: str, unit: str) -> str:
        """Lines with each brace on a line of its own, one step to the right where GNU has it there."""
        found, more = [], unit if self.is_gnu else ""
        depth = 0
        for line in lines.splitlines():
            words = line.strip()
            indent = line[: len(line) - len(line.lstrip())] if words else ""
            if words == "}" and self.is_flush:
                found.append(f"{indent}{unit}}}")
            elif words.endswith(" {") and self.is_flush:
                found += [f"{indent}{words[:-2]}", f"{indent}{unit}{{"]
            elif words == "}":
                found.append(f"{indent}{more * depth}}}")
                depth -= 1
            elif words.endswith(" {"):
                found.append(f"{indent}{more * depth}{words[:-2]}")
                depth += 1
                found.append(f"{indent}{more * depth}{{")
            else:
                found.append(f"{indent}{more * depth}{words}" if words else "")
        return "\n".join(found) + "\n" * lines.endswith("\n")

    def call(self, words: str) -> str:
        """Calls, one per line, as the function writes them."""
        if not self.is_spaced:
            return words
        return "\n".join(f"{name} ({rest}" if rest else name for name, _, rest in (each.partition("(") for each in words.split("\n")))

    def open_brace(self, indent: str) -> str:
        """What stands between a condition and the first line of its block."""
        return f"\n{indent}{{" if self.is_allman else " {"

    def test(self, expression: str, nothing: str) -> str:
        """The condition that a handle is there."""
        if nothing == "-1":
            return f"{expression} >= 0"
        if self.tests_truth and nothing == "NULL":
            return expression
        return f"{expression} != {nothing or 'NULL'}"


def declarator_of(tree: Tree, name: str, before: int) -> tuple[Node, Node] | None:
    """(declaration, declarator) of a local: the nearest above an offset."""
    best = None
    for declaration in find(tree.root, "declaration"):
        if declaration.start >= before:
            break
        for kid in declaration.kids:
            inner = kid.kids[0] if kid.kind == "init_declarator" else kid
            if _declared_name(tree, inner) == name:
                best = (declaration, kid)
    return best


def _declared_name(tree: Tree, node: Node) -> str:
    while node.kind in ("pointer_declarator", "array_declarator", "parenthesized_declarator"):
        inner = next((kid for kid in node.kids if kid.kind.endswith("declarator") or kid.kind == "identifier"), None)
        if inner is None:
            return ""
        node = inner
    return tree.text(node) if node.kind == "identifier" else ""

