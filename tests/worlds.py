"""A small world of procedures written as IR text, for tests of analyses without a front end.

`World` answers what the analyses ask. A call runs the procedure of its name, else what MODELS says of it.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from analyzers import ir
from analyzers.domains.obligation import Limits
from analyzers.effects import summarise
from analyzers.handles.runs import Handles, Run
from analyzers.printing import parse_procedure
from analyzers.queries import Callee, Linked, MethodFacts, ProcedureKey, Target
from analyzers.summaries import UNKNOWN, Condition, Effects, Outcome, Transfer

PATH = "world.c"
RET = ("$ret",)


def held(*paths: tuple[str, ...], when: tuple[Condition, ...] = ()) -> Outcome:
    """Still open on return, at these paths."""
    return Outcome("return", when, "held", paths)


def acquires(resource: str, *outcomes: Outcome) -> Transfer:
    """A handle that a call makes."""
    return Transfer((), resource, resource, outcomes)


NOT_NULL = Condition(RET, "!=", "=null")
IS_NULL = Condition(RET, "==", "=null")
RELEASED = (Outcome("return", (), "released"), Outcome("throw", (), "released"))

MODELS = {
    "acquire": Effects((acquires("R", held(RET)),), result=(NOT_NULL,)),
    "release": Effects((Transfer(("$0",), "", "", RELEASED),)),
    "malloc": Effects((acquires("heap-memory", held(RET, when=(NOT_NULL,))),)),
    "free": Effects((Transfer(("$0",), "heap-memory", "", RELEASED[:1]),)),
    "open": Effects((acquires("descriptor", held(RET, when=(Condition(RET, ">=", "=0"),))),)),
    "close": Effects((Transfer(("$0",), "descriptor", "", RELEASED[:1]),)),
    "realloc": Effects((
        acquires("heap-memory", held(RET, when=(NOT_NULL,))),
        Transfer(("$0",), "heap-memory", "", (
            Outcome("return", (NOT_NULL,), "released"), held(("$0",), when=(IS_NULL,)),
        )),
    )),
    "wrap": Effects((Transfer(("$0",), "", "", (held(("$0",), ("$ret", "~")), Outcome("throw", (), "held", (("$0",),)))),)),
    "keep": Effects((Transfer(("$0",), "", "", (Outcome("return", (), "retained"),)),)),
    "statement": Effects((acquires("R", held(RET, ("$0", "^"))),)),
    "use": Effects(),
    "exit": Effects(returns="never"),
}


class World:
    """Implements `Queries` over procedures written by hand."""

    def __init__(self, *texts: str, language: str = "c", types: dict[str, str] | None = None) -> None:
        self.language = language
        self.types = types or {}
        bodies = [parse_procedure(text) for text in texts]
        self.bodies = {ProcedureKey(PATH, body.name): body for body in bodies}
        self._effects: dict[ProcedureKey, Effects] = {}
        self.constants: dict[str, str] = {}
        self.declared: dict[str, ir.TypeDeclaration] = {}

    def key(self, name: str) -> ProcedureKey:
        """The key of a procedure."""
        return ProcedureKey(PATH, name)

    def linked(self, key: ProcedureKey) -> Linked | None:
        body = self.bodies.get(key)
        if body is None:
            return None
        targets = {
            number: self._target(node.name) for number, node in enumerate(body.nodes) if isinstance(node, ir.Call)
        }
        return Linked(key, self.language, body, body.next, body.raises, self.types, targets)

    def _target(self, name: str) -> Target:
        key = self.key(name)
        if key in self.bodies:
            return Target((key,), (), "", True, (), "")
        return Target((), (name,), "", True, (), "")

    def effects(self, key: ProcedureKey) -> Effects:
        if key not in self._effects:
            self._effects[key] = Effects(returns="never")
            linked = self.linked(key)
            if linked is None:
                return UNKNOWN
            for _ in range(4):
                self._effects[key] = summarise(linked, self)
        return self._effects[key]

    def model(self, names: tuple[str, ...], parameters: tuple[str, ...]) -> Effects | None:
        return next((MODELS[name] for name in names if name in MODELS), None)

    def procedure(self, key: ProcedureKey) -> ir.Procedure | None:
        return self.bodies.get(key)

    def text(self, key: ProcedureKey, start: int, end: int) -> str:
        return f"[{start}]"

    def source_of(self, key: ProcedureKey) -> bytes:
        return b""

    def constant(self, path: str, name: str) -> str:
        return self.constants.get(name, "")

    def type_heading(self, path: str, name: str) -> ir.TypeDeclaration | None:
        """See `Queries`."""
        declared = self.c_type(path, name)
        return msgspec.structs.replace(declared, fields=()) if declared is not None else None

    def member_type(self, path: str, name: str, member: str) -> str:
        """See `Queries`."""
        declared = self.c_type(path, name)
        return next((each.type for each in declared.fields if each.name == member), "") if declared is not None else ""

    def c_type(self, path: str, name: str) -> ir.TypeDeclaration | None:
        return self.declared.get(name)

    def functions(self, path: str, name: str) -> tuple[ProcedureKey, ...]:
        return (self.key(name),) if self.key(name) in self.bodies else ()

    def is_closeable(self, type_name: str) -> bool | None:
        return None

    def is_subtype(self, type_name: str, ancestor: str) -> bool | None:
        return True if type_name == ancestor else None

    def resolve_type(self, path: str, owner: str, written: str) -> str:
        return written

    def field_type(self, type_name: str, field: str) -> str:
        return ""

    def declaring_file(self, type_name: str) -> str:
        return ""

    def methods(self, type_name: str, name: str) -> tuple[MethodFacts, ...]:
        return ()

    def has_method(self, type_name: str, names: tuple[str, ...]) -> bool:
        return False

    def callee(self, receiver: str, name: str, is_exact: bool, is_loose: bool, actuals: tuple[str, ...]) -> Callee:
        return Callee(Target((), (), receiver, is_exact, actuals, ""), (), "", None)

    def is_customarily_closed(self, path: str, type_name: str, name: str, arguments: int) -> bool:
        return False

    def declared_types(self, path: str, type_name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return (), ()

    def overriders(self, type_name: str, name: str) -> tuple[MethodFacts, ...]:
        return ()

    def supertypes(self, type_name: str) -> tuple[str, ...]:
        return ()

    def subtypes(self, type_name: str) -> tuple[str, ...]:
        return ()

    def unit(self, path: str) -> ir.Unit | None:
        return None

    def prototype(self, path: str, name: str) -> ir.MethodDeclaration | None:
        return None

    def macro(self, path: str, name: str) -> tuple[ir.Macro, ...]:
        return ()

    def variable_type(self, path: str, name: str) -> str:
        return ""

    def spliced(self, key: ProcedureKey) -> ir.Procedure | None:
        return self.bodies.get(key)

    def function_pointers(self, field: str) -> tuple[ProcedureKey, ...]:
        return ()

    def never_returns(self, key: ProcedureKey) -> bool:
        return False

    def mentioning(self, word: str) -> tuple[str, ...]:
        return (PATH,)

    def callers(self, name: str) -> tuple[ProcedureKey, ...]:
        return ()

    # --- what tests look at

    def handles(self, name: str, limits: Limits | None = None) -> Handles:
        """The handles of a procedure."""
        linked = self.linked(self.key(name))
        assert linked is not None
        return Handles(linked, self, limits or Limits(), is_summary=False)

    def runs(self, name: str, limits: Limits | None = None) -> list[Run]:
        """What becomes of each handle that a procedure acquires, in full."""
        handles = self.handles(name, limits)
        return [handles.run_in_full(*each) for each in handles.acquisitions()]

    def lost(self, name: str, limits: Limits | None = None) -> list[list[int]]:
        """Per acquisition the nodes at which it is lost."""
        return [sorted({loss.node for loss in run.losses}) for run in self.runs(name, limits)]


def facts_after(handles: Handles, labels: Iterable[int]) -> dict[int, list[tuple[str, ...]]]:
    """Per node the facts that reach it, as sorted tuples of dotted paths, of the first acquisition."""
    trace: dict[tuple[int, tuple[int, int, int]], list[tuple[int, tuple[int, int, int]]]] = {}
    run = handles.run_in_full(*handles.acquisitions()[0], trace)
    seen = {*run.begun, *trace, *(state for following in trace.values() for state in following)}
    table = handles.scene.paths
    return {
        node: sorted({tuple(".".join(path) for path in table.list(fact[0])) for at, fact in seen if at == node})
        for node in labels
    }
