"""What one Java file declares, turned round for look-ups. Everything is as written; `hierarchy` resolves it."""

from __future__ import annotations

from analyzers import ir


class DeclaredType:
    """A type of a file: its declaration, turned round for look-ups by name."""

    __slots__ = ("declaration", "fields", "local", "methods", "name", "nested", "outer", "parameters", "path", "simple")

    def __init__(self, path: str, declaration: ir.TypeDeclaration, outer: str, simple: str) -> None:
        self.path = path
        self.declaration = declaration
        self.name = declaration.name
        self.outer = outer
        self.simple = simple
        self.parameters = parameters_of(declaration.type_parameters)
        self.nested: dict[str, str] = {}
        self.local: dict[str, list[str]] = {}
        self.fields = {each.name: each for each in declaration.fields}
        self.methods: dict[str, list[ir.MethodDeclaration]] = {}
        for each in declaration.methods:
            self.methods.setdefault(each.name, []).append(each)

    @property
    def is_interface(self) -> bool:
        """Whether methods without a modifier are public, and abstract without a body."""
        return self.declaration.kind in ("interface", "annotation")


class FileTypes:
    """The types of a file and how names are meant in it.

    singles     simple name -> qualified name, of single-type imports (and static ones of nested types)
    on_demand   packages and types that are imported whole
    members     those of them of which static members are imported
    """

    __slots__ = ("members", "on_demand", "package", "path", "singles", "static_singles", "tops", "types")

    def __init__(self, path: str, unit: ir.Unit) -> None:
        self.path = path
        self.package = unit.package
        self.singles: dict[str, str] = {}
        self.static_singles: dict[str, str] = {}
        self.on_demand: list[str] = []
        self.members: set[str] = set()
        self._read_imports(unit.imports)
        self.types: dict[str, DeclaredType] = {}
        self.tops: dict[str, str] = {}
        self._read_types(unit)

    def _read_imports(self, imports: tuple[str, ...]) -> None:
        for written in imports:
            name = written.removeprefix("static ").strip()
            qualified, _, last = name.rpartition(".")
            if last == "*":
                self.on_demand.append(qualified)
                if written.startswith("static "):
                    self.members.add(qualified)
            elif written.startswith("static "):
                self.static_singles.setdefault(last, name)
            else:
                self.singles.setdefault(last, name)

    def _read_types(self, unit: ir.Unit) -> None:
        names = {each.name for each in unit.types}
        for each in unit.types:
            outer = _outer_of(each.name, names)
            tail = each.name[len(outer) + 1 :] if outer else _tail(each.name, unit.package)
            simple = tail.lstrip("0123456789") if outer else tail
            self.types.setdefault(each.name, DeclaredType(self.path, each, outer, simple))
            if not outer:
                self.tops.setdefault(simple, each.name)
        for found in self.types.values():
            if not found.outer or not found.simple:
                continue
            around = self.types[found.outer]
            if found.name[len(found.outer) + 1].isdigit():
                around.local.setdefault(found.simple, []).append(found.name)
            else:
                around.nested.setdefault(found.simple, found.name)


def parameters_of(written: tuple[str, ...]) -> dict[str, tuple[int, str]]:
    """Type parameters by name: position and first bound as written."""
    found: dict[str, tuple[int, str]] = {}
    for position, each in enumerate(written):
        name, _, bound = each.partition(":")
        found[name.strip()] = (position, bound.strip())
    return found


def _outer_of(name: str, names: set[str]) -> str:
    outer = name.rpartition("$")[0]
    while outer and outer not in names:
        outer = outer.rpartition("$")[0]
    return outer


def _tail(name: str, package: str) -> str:
    return name[len(package) + 1 :] if package else name


def raised_by_name(procedure: ir.Procedure) -> tuple[str, ...]:
    """The written types that a body throws by name and does not catch itself."""
    found: dict[str, None] = {}
    for position, node in enumerate(procedure.nodes):
        if not isinstance(node, ir.Throw):
            continue
        handlers = [procedure.nodes[each] for each in procedure.raises[position]]
        if not any(isinstance(each, ir.Catch) and each.types != (ir.ANY_EXCEPTION,) for each in handlers):
            written = node.type or allocated_type(procedure, node.src)
            if written:
                found[written] = None
    return tuple(found)


def allocated_type(procedure: ir.Procedure, variable: str) -> str:
    """The written type of the one allocation that a temporary holds, empty where there is none."""
    if not ir.is_temporary(variable):
        return ""
    for node in procedure.nodes:
        if isinstance(node, ir.Alloc) and node.dst == variable:
            return node.type
    return ""
