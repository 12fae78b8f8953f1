"""The procedure around an acquisition as fixers see it: the variable, its closes, what may throw, types."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from copy import copy

from analyzers import ir
from analyzers.summaries import Certainty, Effects
from analyzers.syntax import Node
from fixers.java.asked_again import opened_when
from fixers.java.closing import Closer, is_named_quiet
from fixers.java.delayed import is_output
from fixers.java.imports import TypeNames
from fixers.java.region import derived
from fixers.java.shape import Shape
from fixers.java.statements import (
    CONTAINERS,
    LATER,
    LOOPS,
    TRIES,
    assignment,
    assigns,
    call_parts,
    catches,
    completes,
    declarators,
    declared,
    declared_type,
    initialiser,
    statements,
    try_body,
    uses,
)
from fixers.leak import Leak
from fixers.paths.names import WAITING
from fixers.paths.state import INSIDE
from fixers.tree import COMMENTS, Tree, child, find, walk

VAR = 10
"""The language level that brought `var`."""

_TYPE = rb"[A-Z]\w*[a-z]\w*"
"""A type by its simple name, which is no type variable by custom."""

_CLOSE = "close"

_MAKING = ("create", "new", "make", "prepare", "build", "open", "connect", "accept")
_GETTING = "get"
_ASKING = (_GETTING, "find", "lookup", "load", "resolve")
"""How methods begin that give something for sure, and those that look for it."""


class Scope:
    """Answers about one local variable that holds the resource."""

    def __init__(self, leak: Leak, shape: Shape) -> None:
        self.leak = leak
        self.shape = shape
        self.tree: Tree = leak.tree
        self.root = _where_it_lives(leak, shape)
        self.methods = frozenset(each.call.rpartition(".")[2] for each in leak.releases) | {_CLOSE}
        self._beside = _held_around(leak, shape)
        self.closer = self.closer_of(shape.variable)
        self.types = TypeNames(leak.resolve, leak.data)

    def closer_of(self, variable: str) -> Closer:
        """What closes a variable of the procedure."""
        flushed = tuple(find(self.root, "finally_clause")) if self._is_flushed_by_closing() and variable == self.variable else ()
        asked = opened_when(self.leak, self.shape) if variable == self.variable else ""
        return Closer(self.tree, variable, self.methods, self.surely_releases, self.only_closes, self._beside, flushed, asked)

    def _is_flushed_by_closing(self) -> bool:
        """Whether closing the resource writes out what is left: a stream or a writer of the JDK."""
        kind = self.leak.finding.resource.partition("<")[0]
        return kind.startswith(("java.io.", "java.util.zip.", "java.nio.")) and is_output(kind)

    def together_with(self, names: Iterable[str]) -> Scope:
        """The same, where some other variables are closed together with this one: one call may close them all."""
        scope = copy(self)
        scope._beside = self._beside | frozenset(names)
        scope.closer = scope.closer_of(self.variable)
        return scope

    def only_closes(self, call: Node) -> bool:
        """Whether a call does nothing but close what it is given."""
        numbers = list(self.calls_at(call))
        if any(isinstance(each := self.leak.linked.body.nodes[number], ir.Call) and each.kind == "virtual" for number in numbers):
            return False
        targets = [self.leak.linked.targets.get(number) for number in numbers]
        return bool(targets) and all(
            each is not None and bool(each.procedures) and all(map(self.leak.callees.only_closes, each.procedures)) for each in targets
        )

    def is_quiet(self, node: Node) -> bool:
        """Whether a close below a node, by a helper, swallows what closing throws."""
        calls = [each for each in find(node, "method_invocation") if call_parts(self.tree, each)[2]]
        return any(is_named_quiet(call_parts(self.tree, each)[1]) or (self.only_closes(each) and not self.may_throw(each)) for each in calls)

    def surely_releases(self, call: Node) -> bool:
        """Whether a call releases what it is given wherever it may be dispatched to, and changes nothing else."""
        numbers = list(self.calls_at(call))
        known = [each for number in numbers for each in self.leak.effects.get(number, ())]
        if any(isinstance(each := self.leak.linked.body.nodes[number], ir.Call) and each.kind == "virtual" for number in numbers):
            return False
        return bool(known) and all(not each.writes and not each.retains and _is_released(each) for each in known)

    @property
    def variable(self) -> str:
        """The local that holds the resource."""
        return self.shape.variable

    @property
    def release(self) -> str:
        """The method that releases, without its class: the one that the code calls already, if it does."""
        calls = [call_parts(self.tree, call) for each in self.closer.closes(self.root) for call in find(each, "method_invocation")]
        called = {
            name for receiver, name, given in calls
            if name in self.methods and not given and receiver is not None and self.tree.text(receiver) == self.variable
        }
        if len(called) == 1:
            return called.pop()
        return next((each.call.rpartition(".")[2] for each in self.leak.releases), _CLOSE)

    def release_statement(self) -> str:
        """The statement that releases the variable."""
        return f"{self.variable}.{self.release}();"

    def may_be_null(self) -> bool:
        """Whether the variable may hold null behind its acquisition. Who tests it takes it to be null at times."""
        if any(True for _ in self.emptied()) or (self.shape.outer.kind == "ternary_expression" and not _is_creation(self.shape.outer)):
            return True
        if self.shape.outer.kind == "method_invocation" and (self._is_tested() or self._is_asked_of_a_library()):
            return True
        targets = [self.leak.linked.targets.get(number) for number in self.calls_at(self.shape.outer)]
        if targets and all(
            target is not None and target.procedures and not any(map(self.leak.callees.may_give_null, target.procedures)) for target in targets
        ):
            return False
        return not self._is_trusted() and any(
            condition.path == ("$ret",) and condition.value == "=null"
            for number in self.calls_at(self.shape.outer)
            for effects in self.leak.effects.get(number, ())
            for transfer in effects.transfers
            if not transfer.entry
            for outcome in transfer.outcomes
            for condition in outcome.when
        )

    def is_surely_there(self, body: Sequence[Node]) -> bool:
        """Whether statements right behind the acquisition find what a library has made for them, which never gives null; whatever the
        variable held before it, or is found to hold elsewhere."""
        if any(each.start <= one.start < each.end for each in body for one in self.emptied()):
            return False
        known = [each for number in self.calls_at(self.shape.outer) for each in self.leak.effects.get(number, ())]
        made = [[one for one in each.transfers if not one.entry] for each in known]
        return self.shape.outer.kind in ("method_invocation", "object_creation_expression") and bool(known) and all(
            each.is_known and new and not any(condition.value == "=null" for one in new for outcome in one.outcomes for condition in outcome.when)
            for each, new in zip(known, made, strict=True)
        ) and not any(
            target is not None and target.procedures for target in map(self.leak.linked.targets.get, self.calls_at(self.shape.outer))
        )

    def _is_asked_of_a_library(self) -> bool:
        """Whether a library that nobody knows is asked for the resource: it may have none. What makes one has it."""
        targets = [self.leak.linked.targets.get(number) for number in self.calls_at(self.shape.outer)]
        _, name, _ = call_parts(self.tree, self.shape.outer)
        if any(target is not None and target.procedures for target in targets) or name.startswith(_MAKING):
            return False
        if name.startswith(_GETTING) and self._is_trusted():
            return False
        return self.leak.is_told or (name.startswith(_ASKING) and not any(
            each.is_known for number in self.calls_at(self.shape.outer) for each in self.leak.effects.get(number, ())
        ))

    def _is_trusted(self) -> bool:
        """Whether the code closes the variable without a test, or calls a method of it in the statement behind the
        acquisition: nothing would come of null."""
        called = [call_parts(self.tree, each.kids[0])[0] for each in self.closes() if each.kids[0].kind == "method_invocation"]
        if any(each is not None and self.tree.text(each) == self.variable for each in called):
            return True
        body = statements(self.shape.container) if self.shape.container is not None else []
        following = next((each for before, each in itertools.pairwise(body) if before is self.shape.statement), None)
        return following is not None and self.is_asked_first(following)

    def is_asked_first(self, statement: Node) -> bool:
        """Whether a statement calls a method of the variable, whatever else happens, and perhaps assigns what that gives."""
        value = assignment(statement)
        call = child(statement, "method_invocation") if value is None and statement.kind == "expression_statement" else value[1] if value else None
        receiver = call_parts(self.tree, call)[0] if call is not None and call.kind == "method_invocation" else None
        return receiver is not None and self.tree.text(receiver) == self.variable

    def _is_tested(self) -> bool:
        """Whether the variable is compared with null somewhere."""
        return bool(self.null_tests())

    def null_tests(self) -> list[Node]:
        """The comparisons of the variable with null."""
        return [each for each in find(self.root, "binary_expression") if self._is_null_test(each)]

    def _is_null_test(self, node: Node) -> bool:
        sides = [kid for kid in node.kids if kid.kind in ("identifier", "null_literal")]
        return len({kid.kind for kid in sides}) == 2 and any(self.tree.text(kid) == self.variable for kid in sides)

    def is_left_for_null(self, statement: Node) -> bool:
        """Whether a statement is `if (v == null)` with a way out."""
        kids = [kid for kid in statement.kids if kid.kind not in COMMENTS]
        if statement.kind != "if_statement" or len(kids) != 3:
            return False
        test = child(kids[1], "binary_expression")
        is_test = test is not None and self._is_null_test(test) and any(kid.kind == "==" for kid in test.kids)
        return is_test and not completes(kids[2])

    def is_made_for_null(self, statement: Node) -> bool:
        """Whether a statement is `if (v == null)` whose block does nothing but give the variable something."""
        kids = [kid for kid in statement.kids if kid.kind not in COMMENTS]
        test = child(kids[1], "binary_expression") if statement.kind == "if_statement" and len(kids) == 3 else None
        if test is None or not self._is_null_test(test) or not any(kid.kind == "==" for kid in test.kids):
            return False
        body = statements(kids[2]) if kids[2].kind == "block" else [kids[2]]
        given = assignment(body[0]) if len(body) == 1 else None
        return given is not None and self.tree.text(given[0]) == self.variable

    def is_asked_for(self, statement: Node) -> bool:
        """Whether a statement is `if (v != null)` without another branch."""
        kids = [kid for kid in statement.kids if kid.kind not in COMMENTS]
        return statement.kind == "if_statement" and len(kids) == 3 and self.asks_for(kids[1])

    def asks_for(self, question: Node) -> bool:
        """Whether a question in parentheses is `v != null`."""
        test = child(question, "binary_expression")
        return test is not None and self._is_null_test(test) and any(kid.kind == "!=" for kid in test.kids)

    def is_set_to_null(self) -> bool:
        """Whether a statement sets the variable to null."""
        return any(True for _ in self.emptied())

    def closes(self) -> list[Node]:
        """The statements of the procedure that only close the variable."""
        return self.closer.closes(self.root)

    def ends_maker(self, body: Iterable[Node]) -> bool:
        """Whether some statements close what the resource was asked of: a close behind them would come too late."""
        outer = self.shape.outer
        receiver = call_parts(self.tree, outer)[0] if outer.kind == "method_invocation" else None
        if receiver is None or receiver.kind != "identifier":
            return False
        closes = self.closer_of(self.tree.text(receiver)).closes(self.root)
        return any(each.start <= close.start and close.end <= each.end for each in body for close in closes)

    def last_closes(self, start: int, end: int) -> list[Node]:
        """Those of a stretch in which the variable gets no other value behind them: the others are still needed."""
        given = [
            each for each in assigns(self.tree, self.root, self.variable)
            if start <= each.start < end and (each.kind != "assignment_expression" or each.kids[-1].kind != "null_literal")
        ]
        loops = [each for each in find(self.root, *LOOPS) if start <= each.start]
        closes = [each for each in self.closes() if start <= each.start and each.end <= end]
        given += self._awaited()
        return [each for each in closes if not any(_comes_behind(other, each, loops) for other in given)]

    def _awaited(self) -> list[Node]:
        """Where the code waits for the end of what it has told to end: that comes first, then."""
        calls = ((each, call_parts(self.tree, each)) for each in find(self.root, "method_invocation"))
        return [
            each for each, (receiver, name, _) in calls
            if name in WAITING and receiver is not None and self.tree.text(receiver) == self.variable
        ]

    def is_reassigned(self) -> bool:
        """Whether the variable is assigned anywhere but where it is acquired or set to null for good."""
        here = self.shape.expression
        idle = self.nullings()
        for each in assigns(self.tree, self.root, self.variable):
            if each.start <= here.start and here.end <= each.end:
                continue
            if not any(statement.start <= each.start and each.end <= statement.end for statement in idle):
                return True
        return False

    def is_only_wrapped(self) -> bool:
        """Whether each further assignment of the variable puts what it held inside of something new: `in = new GZIPInputStream(in)`."""
        here = self.shape.expression
        later = [each for each in assigns(self.tree, self.root, self.variable) if not (each.start <= here.start and here.end <= each.end)]
        return all(
            each.kind == "assignment_expression" and each.kids[-1].kind == "object_creation_expression"
            and bool(uses(self.tree, each.kids[-1], [self.variable])) for each in later
        )

    def nullings(self) -> list[Node]:
        """Statements `v = null;` of the procedure that can go: nothing but what closes it reads the variable then."""
        found = list(self.emptied())
        if not found:
            return found
        closes = self.closes()
        uses = [
            each for each in self.closer.mentions(self.root, [*closes, *found])
            if not any(each is assigned.kids[0] for assigned in assigns(self.tree, self.root, self.variable))
        ]
        loops = list(find(self.root, *LOOPS))
        return [each for each in found if not any(self._may_meet(each, use, loops) for use in uses)]

    def emptied(self) -> Iterator[Node]:
        """Statements `v = null;`."""
        for statement in find(self.root, "expression_statement"):
            each = child(statement, "assignment_expression")
            if each is None or each.kids[-1].kind != "null_literal":
                continue
            if each.kids[0].kind == "identifier" and self.tree.text(each.kids[0]) == self.variable:
                yield statement

    def _may_meet(self, nulling: Node, use: Node, loops: list[Node]) -> bool:
        """Whether a use may find the null that a statement leaves, as far as their places tell."""
        path = self.tree.path(nulling.start, nulling.end)
        at = next((n for n, node in enumerate(path) if node is nulling), 0)
        if path[at - 1].kind not in CONTAINERS:
            return True
        here = self.shape.expression
        if use.start >= nulling.end:
            return nulling.start >= here.end or use.start < here.start
        return any(
            loop.start <= use.start and nulling.end <= loop.end and not loop.start <= here.start < use.start
            for loop in loops if loop.start <= nulling.start and use.end <= loop.end
        )

    def only_try(self, container: Node) -> Node | None:
        """The try statement deeper in a container whose block alone uses the variable, but for asking whether it is null."""
        tests = [each for each in find(container, "binary_expression") if self._is_null_test(each)]
        uses = list(self.closer.mentions(container, [self.shape.statement, *self.closes(), *tests]))
        for each in find(container, "try_statement"):
            body = try_body(each)
            if uses and body is not None and all(body.start <= use.start and use.end <= body.end for use in uses):
                is_later = any(node.kind in LATER and container.start < node.start for node in self.tree.path(each.start, each.end))
                return each if each not in statements(container) and not is_later else None
        return None

    def last_try(self, region: Iterable[Node]) -> Node | None:
        """The try statement among others from which on only its block uses the variable, or what is made of it."""
        found = list(region)
        closes = self.closes()
        users = [self.closer_of(name) for name in sorted(derived(self.tree, found, self.variable))]
        for at, each in enumerate(found):
            body = try_body(each) if each.kind in TRIES else None
            if body is None or not any(user.uses_besides(body, closes) for user in users):
                continue
            uses = [use for other in found[at:] for user in users for use in user.mentions(other, closes)]
            if at and all(body.start <= use.start and use.end <= body.end for use in uses):
                return each
        return None

    def first_try(self, region: Iterable[Node]) -> Node | None:
        """That statement, where no `try` before it uses the variable: of several in a row the last is no place for a header."""
        found = list(region)
        last = self.last_try(found)
        is_alone = last is not None and not any(each.kind in TRIES and self.closer.uses_besides(each, self.closes()) for each in found if each.start < last.start)
        return last if is_alone and last is not None and last.kind == "try_statement" else None

    def declaration(self) -> tuple[Node, Node] | None:
        """(statement, declarator) that declares the variable, where it is the nearest above the acquisition."""
        at = self.shape.statement.start
        best = None
        for statement in find(self.root, "local_variable_declaration"):
            if statement.start > at:
                break
            for declarator in declarators(statement):
                if self.tree.text(declarator.kids[0]) == self.variable:
                    best = (statement, declarator)
        return best

    def is_declared_empty(self) -> bool:
        """Whether the declaration gives no value, or null."""
        found = self.declaration()
        if found is None:
            return False
        value = initialiser(found[1])
        return value is None or value.kind == "null_literal"

    def may_throw(self, node: Node) -> bool:
        """Whether a call or creation of the source may throw something that counts."""
        if node.kind == "ternary_expression":
            node = self.shape.expression
        return any(self.leak.linked.raises[n] for n in self.calls_at(node))

    def met_by(self, node: Node, *, is_header: bool = False) -> set[int]:
        """The try statements, by where they begin, whose handlers meet what a statement throws, or itself, where that has handlers; of a
        `try` (`is_header`) what its header throws."""
        own = {node.start} if (node.kind in TRIES and catches(node)) or (not is_header and self.is_quiet(node)) else set()
        return own | self.met_beside(node)

    def met_beside(self, node: Node) -> set[int]:
        """The same of what would stand beside a statement."""
        around = (each for each in self.tree.path(node.start, node.end) if each.kind in TRIES and catches(each))
        return {each.start for each in around if (body := try_body(each)) is not None and body.start < node.start < body.end}

    def may_fail(self, node: Node) -> bool:
        """Whether anything inside an expression may throw something that counts."""
        start, end = node.start - self.leak.linked.body.start, node.end - self.leak.linked.body.start
        nodes = self.leak.linked.body.nodes
        inside = (n for n, each in enumerate(nodes) if isinstance(each, ir.Call) and start <= each.start and each.end <= end)
        return any(self.leak.linked.raises[n] for n in inside)

    def may_give_nothing(self, node: Node) -> bool:
        """Whether an expression may give null, as far as is known."""
        if node.kind != "method_invocation":
            return node.kind != "object_creation_expression" and not (node.kind == "ternary_expression" and _is_creation(node))
        numbers = list(self.calls_at(node))
        targets = [self.leak.linked.targets.get(number) for number in numbers]
        if targets and all(each is not None and each.procedures for each in targets):
            return any(self.leak.callees.may_give_null(key) for each in targets if each is not None for key in each.procedures)
        known = [each for number in numbers for each in self.leak.effects.get(number, ())]
        return not known or any(
            not each.is_known or any(condition.value == "=null" for one in each.transfers for outcome in one.outcomes for condition in outcome.when)
            for each in known
        )

    def wraps(self, creation: Node, inner: str) -> bool:
        """Whether a constructor call makes an object that closes `inner` when it is closed itself, perhaps by way of
        another that it is given."""
        return any(self._is_wrapping(number, inner) for number in self.calls_at(creation))

    def _is_wrapping(self, number: int, inner: str) -> bool:
        nodes = self.leak.linked.body.nodes
        call = nodes[number]
        for transfer in (t for effects in self.leak.effects.get(number, ()) for t in effects.transfers):
            root = transfer.entry[0] if len(transfer.entry) == 1 else ""
            is_given = isinstance(call, ir.Call) and root[1:].isdigit() and int(root[1:]) < len(call.args)
            given = call.args[int(root[1:])] if isinstance(call, ir.Call) and is_given else ""
            if not given or not any(("this", "~") in outcome.paths for outcome in transfer.outcomes):
                continue
            makers = [
                n for n, each in enumerate(nodes)
                if isinstance(each, ir.Call) and each.kind == "new" and each.receiver == given and ir.is_temporary(given)
            ]
            if ir.source_name(given) == inner or any(self._is_wrapping(each, inner) for each in makers):
                return True
        return False

    def releases(self, call: Node) -> bool:
        """Whether a call may release something that it is given."""
        return any(
            transfer.entry and any(outcome.fate == "released" for outcome in transfer.outcomes)
            for number in self.calls_at(call)
            for effects in self.leak.effects.get(number, ())
            for transfer in effects.transfers
        )

    def hands_on(self, call: Node) -> bool:
        """Whether a method gives something whose closing closes what it is called on, or that itself (`scanner.useDelimiter(…)`)."""
        known = [effects for number in self.calls_at(call) for effects in self.leak.effects.get(number, ())]
        return any(effects.aliases == ("this",) for effects in known) or any(
            transfer.entry == ("this",) and any(("$ret", "~") in outcome.paths for outcome in transfer.outcomes)
            for effects in known for transfer in effects.transfers
        )

    def makes_inside(self, call: Node) -> bool:
        """Whether a method makes something that is closed with what it is called on, and should be closed before that."""
        return any(
            not transfer.entry and any(("this", INSIDE) in outcome.paths for outcome in transfer.outcomes)
            for number in self.calls_at(call)
            for effects in self.leak.effects.get(number, ())
            for transfer in effects.transfers
        )

    def calls_at(self, node: Node) -> Iterator[int]:
        """The IR nodes of the call with these bytes."""
        start = node.start - self.leak.linked.body.start
        end = node.end - self.leak.linked.body.start
        for number, each in enumerate(self.leak.linked.body.nodes):
            if isinstance(each, ir.Call) and each.start == start and each.end == end:
                yield number

    def type_of(self, node: Node) -> str:
        """How the source can name the type of an acquiring expression; empty where that is not known."""
        if node.kind == "object_creation_expression":
            written = child(node, "type_identifier", "scoped_type_identifier", "generic_type")
            if written is None or child(node, "class_body") is not None:
                return ""
            text = self.tree.text(written)
            return "" if "<>" in text else text
        for number in self.calls_at(node):
            target = self.leak.linked.targets.get(number)
            if target is not None and (found := self.types.of_result(target.models, target.result)):
                return "var" if self.types.is_import_needed(found) and self._prefers_var() else found
            if target is not None and target.procedures and not self._prefers_var() and (own := self.leak.own_name(target.result)):
                return own
        acquired = self.leak.finding.acquired
        is_ours = (node.start, node.end) == (acquired.start, acquired.end) and self._gives_what_it_says(node)
        if is_ours and (found := self.types.of_library(self.leak.finding.resource)):
            return "var" if self.types.is_import_needed(found) and self._prefers_var() else found
        return self._declared_of(node) or ("var" if self.leak.level >= VAR else "")

    def _gives_what_it_says(self, node: Node) -> bool:
        """Whether no method of the code gives a resource as something more general than it is known to be."""
        own = [target for number in self.calls_at(node) if (target := self.leak.linked.targets.get(number)) is not None and target.procedures]
        kind = self.leak.finding.resource.partition("<")[0].rpartition(".")[2]
        return all(each.result.partition("<")[0].rpartition(".")[2] == kind for each in own)

    def _declared_of(self, node: Node) -> str:
        """What the file says that a method of its own gives, which is called by its name alone: a plain name, or one with such names as
        arguments, no type variable."""
        receiver, name, _ = call_parts(self.tree, node) if node.kind == "method_invocation" else (node, "", [])
        if receiver is not None or self._prefers_var():
            return ""
        found = set(re.findall(rb"^[ \t]+(?:(?:public|protected|private|static|final|synchronized|abstract) +)*([\w.<>\[\]]+(?:, ?[\w.<>\[\]]+)*) +%s *\(" % re.escape(name.encode()), self.leak.data, re.MULTILINE))
        found -= {b"return", b"new", b"throw", b"else"}
        [only] = found if len(found) == 1 else [b""]
        return only.decode() if re.fullmatch(rb"%s(<%s(, ?%s)*>)?" % (_TYPE, _TYPE, _TYPE), only) else ""

    def kind_of(self, node: Node) -> str:
        """The type of an acquiring expression by which a variable for it is named, also where the source leaves it out."""
        if (written := self.type_of(node)) != "var":
            return written
        targets = (self.leak.linked.targets.get(number) for number in self.calls_at(node))
        return next((target.result for target in targets if target is not None and target.result), self.leak.finding.resource)

    def _prefers_var(self) -> bool:
        """Whether most variables of the file leave out what they are."""
        written = [declared_type(self.tree, each) for each in find(self.tree.root, "local_variable_declaration", "resource")]
        return self.leak.level >= VAR and 2 * written.count("var") > len(written)


def _is_creation(choice: Node) -> bool:
    """Whether both sides of a choice make an object."""
    return sum(kid.kind == "object_creation_expression" for kid in choice.kids) == 2


def _is_released(effects: Effects) -> bool:
    """Whether a callee releases a parameter on each of its normal ways out."""
    return any(
        transfer.entry
        and all(outcome.fate == "released" for outcome in transfer.outcomes if outcome.exit == "return" and not outcome.when)
        and any(outcome.fate == "released" and outcome.certainty is Certainty.MUST for outcome in transfer.outcomes)
        for transfer in effects.transfers
    )


def _comes_behind(other: Node, node: Node, loops: list[Node]) -> bool:
    """Whether something may run behind something else, as far as their places tell."""
    return other.start >= node.end or any(
        loop.start <= min(other.start, node.start) and max(other.end, node.end) <= loop.end for loop in loops
    )


def _where_it_lives(leak: Leak, shape: Shape) -> Node:
    """The procedure, or of a variable whose name another block of it has, too, the block that declares it."""
    root = procedure_node(leak)
    named = [each for each in find(root, "local_variable_declaration") if shape.variable in declared(leak.tree, each)] if shape.variable else []
    headers = [each for each in find(root, "resource") if (name := child(each, "identifier")) is not None and leak.tree.text(name) == shape.variable]
    if len(named) + len(headers) < 2:
        return root
    around = (each for each in reversed(shape.path) if each.kind in CONTAINERS and root.start <= each.start)
    return next((each for each in around if any(one is other for one in statements(each) for other in named)), root)


def _held_around(leak: Leak, shape: Shape) -> frozenset[str]:
    """Variables that a header around an acquisition holds."""
    headers = (child(each, "resource_specification") for each in shape.path if each.kind in TRIES)
    held = (find(each, "resource") for each in headers if each is not None and each.end <= shape.statement.start)
    names = (child(each, "identifier") for resource in held for each in resource)
    return frozenset(leak.tree.text(each) for each in names if each is not None)


def procedure_node(leak: Leak) -> Node:
    """The syntax of the method, or of the lambda, around the acquisition, or the block of an initialiser."""
    kinds = (
        "method_declaration", "constructor_declaration", "compact_constructor_declaration", "static_initializer",
        "lambda_expression",
    )
    path = leak.tree.path(leak.finding.acquired.start, leak.finding.acquired.end)
    around = [inner for outer, inner in itertools.pairwise(path) if inner.kind in kinds or (outer.kind == "class_body" and inner.kind == "block")]
    return around[-1] if around else leak.tree.root


def index_in(container: Node, statement: Node) -> int:
    """The place of a statement in its container, -1 where it is not one of its statements."""
    return next((n for n, each in enumerate(statements(container)) if each is statement), -1)


def names_in(tree: Tree, node: Node) -> frozenset[str]:
    """All identifiers at or below a node."""
    return frozenset(tree.text(each) for each in walk(node) if each.kind == "identifier")
