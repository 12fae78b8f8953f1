"""Types as a procedure writes them: type parameters of methods around, local classes, then the file's names."""

from __future__ import annotations

from analyzers import ir
from analyzers.frontends.java.declarations import parameters_of
from analyzers.frontends.java.type_text import OBJECT, PRIMITIVES, erase, plain, resolve_written
from analyzers.queries import ProcedureKey, Queries


def enclosing(unit: ir.Unit, procedure: ir.Procedure) -> ir.Procedure | None:
    """The procedure that a lambda, or the local or anonymous class of a method, stands in."""
    start, end = procedure.start, procedure.end
    own = ""
    if procedure.kind != "lambda":
        own = procedure.owner
        declared = next((each for each in unit.types if each.name == own), None) if may_be_local(own) else None
        if declared is None:
            return None
        start, end = declared.start, declared.end
    around = [
        each
        for each in unit.procedures
        if each.start <= start and end <= each.end and each.name != procedure.name and each.owner != own
    ]
    return min(around, key=lambda each: (each.end - each.start, each.name), default=None)


def may_be_local(owner: str) -> bool:
    """Whether a binary name may be that of a class inside a procedure, or of one nested in such a class."""
    return any(part[:1].isdigit() for part in owner.split("$")[1:])


def classes_around(unit: ir.Unit, owner: str) -> tuple[str, ...]:
    """A class of the file and those that it is nested in, the inner first."""
    names = {each.name for each in unit.types}
    found = []
    while owner:
        if owner in names:
            found.append(owner)
        owner = owner.rpartition("$")[0]
    return tuple(found)


class WrittenTypes:
    """Resolves what one procedure writes; answers are kept."""

    def __init__(self, key: ProcedureKey, unit: ir.Unit, procedure: ir.Procedure, queries: Queries) -> None:
        self._path = key.path
        self._owner = procedure.owner
        self._queries = queries
        self._full: dict[str, str] = {"": ""}
        self._unit = unit
        self._bounds: dict[str, str] = {}
        self._local: dict[str, str] = {}
        around: ir.Procedure | None = procedure
        while around is not None:
            for name, (_, bound) in parameters_of(around.type_parameters).items():
                self._bounds.setdefault(name, bound)
            self._find_local(unit, around)
            around = enclosing(unit, around) if around.kind == "lambda" or may_be_local(around.owner) else None

    def _find_local(self, unit: ir.Unit, around: ir.Procedure) -> None:
        start, end = around.start, around.end
        for each in unit.types:
            if start <= each.start and each.end <= end:
                tail = each.name.rpartition("$")[2]
                simple = tail.lstrip("0123456789")
                if simple and simple != tail:
                    self._local.setdefault(simple, each.name)

    def full(self, written: str) -> str:
        """A written type resolved, with its type arguments; empty where unknown."""
        found = self._full.get(written)
        if found is None:
            is_simple = written.isidentifier()
            found = self._name(written) if is_simple else resolve_written(written, self._name)
            self._full[written] = found
        return found

    def name(self, written: str) -> str:
        """A written type resolved and erased; empty where unknown."""
        return erase(self.full(written))

    def _name(self, simple: str) -> str:
        if simple in PRIMITIVES:
            return simple
        if simple in self._bounds:
            bound = self._bounds[simple]
            return self._queries.resolve_type(self._path, self._owner, erase(bound)) if bound else OBJECT
        name = self._local.get(simple, simple)
        return self._queries.resolve_type(self._path, self._owner, name)

    def around(self, owner: str) -> tuple[str, ...]:
        """A class of the file and those that it is nested in, the inner first, as `name` has them."""
        return tuple(self.name(each) for each in classes_around(self._unit, plain(owner)))
