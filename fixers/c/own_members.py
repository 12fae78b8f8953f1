"""Whether what a member of a struct of C holds is each object's own, so that its destructor may release it.

Only of structs that a `.c` file declares for itself: nobody else knows their members, or how large they are, so that all is in sight.
Each store is of nothing or of a block that was just made and has no other name; each object begins with a member that is set, or zeroed;
no object is copied; and what was read from the member is looked into at once and comes to nobody who may keep or release it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from analyzers import Program, ir
from analyzers.domains.obligation import Limits
from analyzers.facts import Facts, facts
from analyzers.graphs.operands import assigned, operands
from analyzers.handles.moves import identity
from analyzers.handles.scene import Scene
from analyzers.handles.unknown import block_family, is_releaser
from analyzers.queries import ProcedureKey
from analyzers.source import Span
from analyzers.summaries import Certainty, Effects

_MOST = 200
"""Procedures of a file that are read."""

_NOTHING = frozenset(("=null", "=0"))
_ZEROING = frozenset(("calloc", "zcalloc", "xcalloc", "g_new0", "g_malloc0"))
_SIZE = re.compile(rb"\bsizeof\b\s*\(?\s*([^();]*)")
_WORD = re.compile(rb"[A-Za-z_]\w*|\*")

_MACRO = re.compile(rb"\b[A-Z][A-Z0-9_]{2,}\s*\(([^;{}]*)")
"""A call of what is named like a macro, up to the end of the statement."""

_MOST_HEADERS = 60
"""Headers that may name a member in a macro."""

_EXPANSIONS = 6
"""Typedefs that are followed."""


def are_own(program: Program, path: str, owner: str, member: str, released: tuple[str, str]) -> bool:
    """Whether what a member of a struct holds is each object's own; `released`: the function that will
    release it, and the one that ends the object itself."""
    keys = program.procedures_of(path)
    data = program.source(path)
    if not path.endswith(".c") or len(keys) > _MOST or not _is_private(program, path, owner, member, data):
        return False
    made: list[Span] = []
    pointing: set[str] = set()
    for key in keys:
        linked, known = program.linked(key), facts(program, key)
        if linked is None or known is None or linked.body.error is not None:
            return False
        uses = _Uses(known, Scene(linked, program, Limits()), owner, member, released)
        if not uses.are_clean():
            return False
        made += uses.creations
        pointing |= uses.pointing()
    outside = (each[1] for each in _SIZE.finditer(data) if not any(one.start <= each.start() < one.end for one in made))
    return bool(made) and not any(_is_stray(program, path, owner, each, pointing) for each in outside)


def _is_private(program: Program, path: str, owner: str, member: str, data: bytes) -> bool:
    """Whether the file itself declares the struct, as one with that pointer in it, and no macro names the member."""
    unit = program.unit(path)
    declared = next((each for each in unit.types if each.name == owner and each.fields), None) if unit is not None else None
    fields = [each for each in declared.fields if each.name == member] if declared is not None and declared.kind == "struct" else []
    values = [*(each.type for each in unit.globals), *(field.type for each in unit.types for field in each.fields)] if unit is not None else []
    is_embedded = any("*" not in each and owner.removeprefix("struct ") in [_meant(program, path, word) for word in each.split()] for each in values)
    naming = [each for each in program.mentioning(member) if each.endswith(".h")]
    if len(naming) > _MOST_HEADERS:
        return False
    is_in_macro = any(_names_in_macro(each, member.encode()) for each in (data, *map(program.source, naming)))
    is_one = len(fields) == 1 and "*" in fields[0].type and "(" not in fields[0].type and "[" not in fields[0].type
    return is_one and not is_embedded and not is_in_macro and b"offsetof" not in data


def _names_in_macro(data: bytes, member: bytes) -> bool:
    """Whether a directive names a member, or a macro is passed its bare name."""
    lines = data.replace(b"\\\n", b" ").splitlines()
    if any(line.lstrip().startswith(b"#") and member in _WORD.findall(line) for line in lines):
        return True
    bare = re.compile(rb"(?<![>.\w])\s*\b" + re.escape(member) + rb"\b")
    return any(bare.search(each[1]) for each in _MACRO.finditer(data))


def _words(operand: bytes) -> list[str]:
    return [each.decode() for each in _WORD.findall(operand) if each not in (b"const", b"volatile")]


def _is_stray(program: Program, path: str, owner: str, operand: bytes, pointing: set[str]) -> bool:
    """Whether the operand of a `sizeof` may be the struct itself: its name, or what a pointer to it leads to."""
    words = _words(operand.partition(b"[")[0])
    if not words or words[0] == "*" or b"[" in operand:
        return not words or words[-1] in pointing
    return "*" not in words and any(_meant(program, path, each) == owner.removeprefix("struct ") for each in words if each != "struct")


def _meant(program: Program, path: str, name: str) -> str:
    """The struct that a name stands for."""
    for _ in range(_EXPANSIONS):
        declared = program.c_type(path, name)
        if declared is None or declared.kind != "typedef":
            return (declared.name if declared is not None else name).removeprefix("struct ")
        name = declared.supertypes[0].removeprefix("struct ") if declared.supertypes else ""
        if "*" in name:
            return ""
    return ""


class _Uses:
    """What one procedure does with such objects and their member."""

    def __init__(self, known: Facts, scene: Scene, owner: str, member: str, released: tuple[str, str]) -> None:
        self._known, self._scene, self._owner, self._member = known, scene, owner, member
        self._released, self._is_as_object = released[0], released[0] == released[1]
        self._nodes = known.linked.body.nodes
        self.creations: list[Span] = []

    def are_clean(self) -> bool:
        """Whether all of it is understood."""
        scene = self._scene
        if any(scene.c_types.struct_name(each.type) == self._owner and scene.is_aggregate(each.name) for each in self._known.linked.body.variables):
            return False
        return all(self._is_clean(at, node) for at, node in enumerate(self._nodes))

    def pointing(self) -> set[str]:
        """The variables and members by which such objects are named."""
        types = self._scene.c_types
        named = {ir.source_name(each.name) for each in self._known.linked.body.variables if types.struct_name(each.type) == self._owner}
        unit = self._scene.queries.unit(self._known.linked.key.path)
        fields = (field for each in (unit.types if unit is not None else ()) for field in each.fields)
        return named | {field.name for field in fields if types.struct_name(field.type) == self._owner}

    def _is_of(self, name: str) -> bool:
        """Whether a name may point to such an object."""
        written = self._scene.type_of(name) if name else ""
        return bool(name) and self._scene.c_types.struct_name(written) == self._owner

    def _is_clean(self, at: int, node: ir.Instruction) -> bool:
        match node:
            case ir.Load(base=base, field=field, dst=dst) if field == self._member:
                return self._is_of(base) and ir.is_temporary(dst) and self._is_looked_into(dst)
            case ir.Store(base=base, field=field, src=src) if field == self._member:
                return self._is_of(base) and (src in _NOTHING or self._is_new(src, base))
            case ir.Load(field=field) | ir.Store(field=field) | ir.AddressOf(field=field) if self._member in field.split("."):
                return False
            case ir.Load(base=base, field="*") | ir.Store(base=base, field="*") if self._is_of(base):
                return False
            case ir.LoadElement(base=base) | ir.StoreElement(base=base) if self._is_of(base) and "**" not in self._scene.type_of(base).replace(" ", ""):
                return False
            case ir.Call():
                return self._is_harmless(at, node)
            case _:
                return True

    # --- what is put there

    def _is_new(self, src: str, base: str) -> bool:
        """Whether what is stored was just made, and goes nowhere else; or is the member's own block, made larger."""
        names, at = {src}, -1
        while True:
            found = [n for n, each in enumerate(self._nodes) if any(name in assigned(each) for name in names) and not identity(each)]
            sources = {source for each in self._nodes if any(name in assigned(each) for name in names) and (source := identity(each))}
            if sources <= names:
                break
            names |= sources
        if len(found) != 1 or any(ir.is_literal(each) for each in names):
            return False
        at = found[0]
        call = self._nodes[at]
        if not isinstance(call, ir.Call) or not self._gives_memory(at) or self._release_of(call, at) != self._released:
            return False
        own = {each.dst for each in self._nodes if isinstance(each, ir.Load) and each.field == self._member and each.base == base}
        given = [n for n, each in enumerate(call.args) if each in own]
        if any(each in own for each in call.args) and given != [0]:
            return False
        for n, each in enumerate(self._nodes):
            is_put = isinstance(each, ir.Store) and each.src in names and (each.field, each.base) == (self._member, base)
            is_used = not names.isdisjoint(operands(each)) and n != at
            if is_used and not is_put and not isinstance(each, ir.Branch) and not (identity(each) in names and set(assigned(each)) <= names):
                return False
        return True

    def _gives_memory(self, at: int) -> bool:
        """Whether a call surely gives a block; an allocator of the code's own does, where its counterpart ends the object itself."""
        call = self._nodes[at]
        made = [t for effects in self._known.effects.get(at, ()) for t in effects.transfers if not t.entry]
        is_of_kin = self._is_as_object and isinstance(call, ir.Call) and self._released in block_family(call.name)
        return bool(made) and all(
            t.resource == "heap-memory" and all(one.paths == (("$ret",),) and (is_of_kin or one.certainty is Certainty.MUST) for one in t.outcomes) for t in made
        )

    def _release_of(self, call: ir.Call, at: int) -> str:
        """The function that releases what an allocator gives."""
        target = self._known.linked.targets.get(at)
        if target is None or target.procedures:
            return ""
        kin = block_family(call.name)
        is_library = self._scene.queries.model(target.models, target.parameters) is not None
        return "free" if is_library else kin[0] if kin else ""

    # --- what is taken from there

    def _is_looked_into(self, dst: str) -> bool:
        """Whether what was read from the member is looked into at once, and comes to nobody."""
        names, waiting = {dst}, [dst]
        while waiting:
            name = waiting.pop()
            for at, each in enumerate(self._nodes):
                if name not in operands(each) and not (isinstance(each, ir.AddressOf) and each.base == name):
                    continue
                gained = self._gained(at, each, name)
                if gained is None or any(not ir.is_temporary(other) for other in gained):
                    return False
                waiting += [other for other in gained if other not in names]
                names.update(gained)
        return True

    def _gained(self, at: int, each: ir.Instruction, name: str) -> tuple[str, ...] | None:
        """The names that an instruction gives what a name leads to; None where it may go further."""
        match each:
            case ir.Branch() | ir.Load():
                return ()
            case ir.LoadElement(index=index):
                return () if index != name else None
            case ir.Store(base=base, src=src) | ir.StoreElement(base=base, src=src):
                return () if base == name and src != name else None
            case ir.Copy(dst=dst) | ir.AddressOf(dst=dst):
                return (dst,)
            case ir.Op(dst=dst, operator=operator):
                return () if operator in ("==", "!=", "!") else (dst,)
            case ir.Call():
                return self._borrowed(at, each, name)
            case _:
                return None

    def _borrowed(self, at: int, call: ir.Call, name: str) -> tuple[str, ...] | None:
        """What a call gives that leads into what it only borrows; where it makes a block larger, nothing is left of the old one but what
        `_is_new` looks at."""
        roots = {f"${n}" for n, each in enumerate(call.args) if each == name}
        if call.name.endswith("realloc"):
            return () if roots == {"$0"} and self._gives_memory(at) and self._is_put_back(call) else None
        for effects in self._known.effects.get(at, ()):
            moved = [t for t in effects.transfers if t.entry and t.entry[0] in roots]
            if moved or not self._is_known(at, effects) or any(path[0] in roots for path in effects.retains):
                return None
            if roots.intersection(effects.aliases) or (call.dst and not self._stands_alone(at, call)):
                return (call.dst,) if call.dst else ()
        return () if self._known.effects.get(at) else None

    def _is_known(self, at: int, effects: Effects) -> bool:
        target = self._known.linked.targets.get(at)
        return effects.is_known and target is not None

    def _stands_alone(self, at: int, call: ir.Call) -> bool:
        """Whether a call gives a number."""
        target = self._known.linked.targets.get(at)
        model = self._scene.queries.model(target.models, target.parameters) if target is not None and not target.procedures else None
        written = self._scene.type_of(call.dst)
        return (bool(written) and "*" not in written) or (model is not None and not model.aliases and model.is_apart)

    def _is_put_back(self, call: ir.Call) -> bool:
        """Whether the result of a call is stored in the member again, right there."""
        names = {call.dst, *(each.dst for each in self._nodes if isinstance(each, ir.Copy | ir.Op) and call.dst in operands(each) and ir.is_temporary(each.dst))}
        return bool(call.dst) and any(isinstance(each, ir.Store) and each.src in names and each.field == self._member for each in self._nodes)

    # --- the objects

    def _is_harmless(self, at: int, call: ir.Call) -> bool:
        """Whether a call neither makes an object whose member may be anything nor fills one from elsewhere."""
        target = self._known.linked.targets.get(at)
        is_source = target is not None and bool(target.procedures)
        for n, each in enumerate(call.args):
            if self._is_of(each) and not is_source and not (is_releaser(call.name) and n == 0) and self._may_fill(at, n):
                return False
        if is_source or not call.dst:
            return True
        names = set(self._names(call.dst))
        if not any(self._is_of(name) for name in names):
            return True
        if not any(not t.entry for effects in self._known.effects.get(at, ()) for t in effects.transfers):
            return True  # It gives what was made before: who made it had to say how large it is.
        origin = self._known.linked.body.start
        self.creations.append(Span(self._known.linked.key.path, origin + call.start, origin + call.end))
        is_one = not any(isinstance(each, ir.Op) and each.operator == "*" and each.dst in call.args for each in self._nodes)
        return is_one and (call.name in _ZEROING or not self._is_seen_unset(at, names))

    def _may_fill(self, at: int, position: int) -> bool:
        """Whether a library writes what it likes where an argument points to: bytes of another object, or of a file."""
        call = self._nodes[at]
        if not isinstance(call, ir.Call):
            return True
        if call.name in ("memset", "bzero") and (call.name == "bzero" or call.args[1:2] == ("=0",)) and not self._is_ended_here():
            origin = self._known.linked.body.start
            self.creations.append(Span(self._known.linked.key.path, origin + call.start, origin + call.end))
            return False
        target = self._known.linked.targets.get(at)
        model = self._scene.queries.model(target.models, target.parameters) if target is not None else None
        is_raw = call.name.startswith(("mem", "bcopy", "bzero", "explicit_"))
        return is_raw or (model is not None and any(path[0] == f"${position}" for path in model.writes))

    def _is_ended_here(self) -> bool:
        """Whether the procedure ends such an object: what its bytes were overwritten with would be released then."""
        return any(isinstance(each, ir.Call) and is_releaser(each.name) and any(map(self._is_of, each.args[:1])) for each in self._nodes)

    def _names(self, name: str) -> Iterator[str]:
        found, waiting = {name}, [name]
        while waiting:
            each = waiting.pop()
            yield each
            gained = [other for node in self._nodes if identity(node) == each for other in assigned(node) if other not in found]
            found.update(gained)
            waiting += gained

    def _is_seen_unset(self, made: int, names: set[str]) -> bool:
        """Whether a new object may come to anybody before its member is set."""
        seen, waiting = {made}, list(self._known.linked.next[made])
        while waiting:
            at = waiting.pop()
            if at in seen:
                continue
            seen.add(at)
            node = self._nodes[at]
            match node:
                case ir.Store(base=base, field=field) if base in names and field == self._member:
                    continue
                case ir.Call(args=args) if not names.isdisjoint(args):
                    if not self._is_plain_end(at, node.name):
                        return True
                    continue
                case ir.Store(src=src) | ir.StoreElement(src=src) | ir.Return(src=src) if src in names:
                    return True
                case _:
                    waiting.extend(self._known.linked.next[at])
        return False

    def _is_plain_end(self, at: int, name: str) -> bool:
        """Whether a call frees a block and no more."""
        target = self._known.linked.targets.get(at)
        return target is not None and not target.procedures and name == self._released


def key_owner(program: Program, key: ProcedureKey, variable: str) -> str:
    """The struct that a variable points to."""
    linked = program.linked(key)
    scene = Scene(linked, program, Limits()) if linked is not None else None
    return scene.c_types.struct_name(scene.type_of(variable)) if scene is not None else ""
