"""What all handles of one procedure share: its graph, its access paths, and what its variables stand for.

An address (`t = &x`) makes `t.*` another name of `x`. A variable assigned once from a field (`t = s.in`)
makes `t.f` another name of `s.in.f`. A formal that the body assigns is two things: the variable, and `$0`,
what the caller passed. Misses aliases through variables that are assigned several times.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

import msgspec

from analyzers import ir
from analyzers.domains import guard
from analyzers.domains.access_path import WRAPPED, PathTable
from analyzers.domains.guard import TOP, Value
from analyzers.domains.obligation import Limits
from analyzers.graphs import cfg
from analyzers.graphs.dominators import dominators
from analyzers.graphs.operands import assigned, variables
from analyzers.handles.c.error_number import ERROR_NUMBER, error_number
from analyzers.handles.c.originals import Originals
from analyzers.handles.c.scoped import scoped_variables
from analyzers.handles.c.tails import Tails
from analyzers.handles.c.types import CTypes, is_plain_c, is_wide
from analyzers.handles.c.wide_numbers import goes_on
from analyzers.handles.dying import dying
from analyzers.handles.elements import indices
from analyzers.handles.java.captures import captures
from analyzers.handles.moves import identity, is_offset
from analyzers.handles.readers import Readers
from analyzers.queries import Linked, ProcedureKey, Queries
from analyzers.summaries import AccessPath

RESULT: AccessPath = ("$ret",)
THROWN: AccessPath = ("$thrown",)

SAVED = "return%"
"""How variables are named to which lowering saves what is returned."""

PLAIN_JAVA = frozenset((
    "boolean", "byte", "char", "short", "int", "long", "float", "double", "void", "java.lang.String",
    "java.lang.Integer", "java.lang.Long", "java.lang.Boolean", "java.lang.Double",
    "java.io.File", "java.nio.file.Path", "java.util.Locale", "java.nio.charset.Charset", "java.lang.StringBuilder",
))
"""Types of Java whose values never hold a handle."""

_DELEGATES = {"in": ("java.io.FilterInputStream", "java.io.FilterReader"), "out": ("java.io.FilterOutputStream", "java.io.FilterWriter")}
"""The fields of the filters of `java.io`, and the classes that declare them."""

_SCOPED = ("cleanup(", "Cleanup", "static")
"""Attributes of variables that release, or keep, what they hold when they go out of scope."""

STREAMS: tuple[AccessPath, ...] = (("::stdin",), ("::stdout",), ("::stderr",))
"""What every program of C begins with."""

_EXPANSIONS = 3


class Scene:
    """The fixed part of the analysis of one procedure."""

    def __init__(self, linked: Linked, queries: Queries, limits: Limits) -> None:
        self.linked = linked
        self.queries = queries
        self.limits = limits
        self.body = linked.body
        self.is_java = linked.language == "java"
        self.c_types = CTypes(queries, linked.key.path)
        self.variables = {variable.name: variable for variable in linked.body.variables}
        self.nodes = linked.body.nodes if self.is_java else self._with_unions(linked.body.nodes)
        self.cfg = cfg.build(linked)
        self.readers = Readers(self.nodes)
        self.paths = PathTable(limits.depth)
        self.is_main = not self.is_java and linked.body.name == "main"
        self.is_constructor = linked.body.kind == "constructor"
        self.formals = {name: index for index, name in enumerate(linked.body.parameters)}
        self.definitions: dict[str, list[int]] = {}
        self.copies: dict[str, list[ir.Copy]] = {}
        for node in self.cfg.order:
            instruction = self.nodes[node]
            if isinstance(instruction, ir.Copy) and not ir.is_literal(instruction.src):
                self.copies.setdefault(instruction.src, []).append(instruction)
            for name in assigned(self.nodes[node]):
                self.definitions.setdefault(name, []).append(node)
        self.paths.ages = {name: places[0] for name, places in self.definitions.items() if name not in self.formals}
        self.assigned_formals = frozenset(name for name in self.formals if name in self.definitions)
        self.addresses = self._find_addresses()
        self.walkers = {} if self.is_java else self._find_walkers()
        """Pointers that walk over an array, and temporaries that hold them: what they point to."""
        self._delegate = self._find_delegate() if self.is_java else ""
        self.loads = self._find_loads()
        self.captures = captures(self.nodes, self.definitions) if self.is_java else {}
        self._fresh: dict[str, bool] = {}
        self.handed_back: Mapping[int, str] = {}
        self.senders: dict[tuple[ProcedureKey, int, int], bool] = {}
        """Which functions send the bytes that an argument points to, by how deep they were followed; see `handles/c/sent.py`."""
        self.is_summary = False
        self.passing = self.set_again = frozenset[str]()
        """Globals of C that keep nothing beyond the procedure, and those that it sets again; see the modules of these names."""
        self._tested: set[str] | None = None
        self._constants: dict[AccessPath, str] = {}
        self.originals = Originals(self.nodes, self.cfg, self.assigned_formals)
        self.given_always: dict[str, bool] = {}

    # --- names of one place

    def constant(self, place: AccessPath) -> str:
        """The literal that a global, or a field of this object's class, always is; empty where it varies."""
        if place not in self._constants:
            name = ""
            if len(place) == 1 and place[0][:2] == "::":
                name = place[0][2:]
            elif self.is_java and len(place) == 2 and place[0] == "this" and not self.is_constructor:
                name = f"{self.body.owner}.{place[1]}"
            self._constants[place] = self.queries.constant(self.linked.key.path, name) if name else ""
        return self._constants[place]

    @functools.cached_property
    def dominators(self) -> list[int]:
        """Per node its immediate dominator."""
        return dominators(self.cfg)

    @functools.cached_property
    def _error_number(self) -> Value:
        return error_number(self.nodes, self.cfg)

    @functools.cached_property
    def tails(self) -> Tails:
        """The pointers of C that go along the list that the procedure builds by them."""
        return Tails(self.nodes, self.cfg, self.variables, self.formals)

    @functools.cached_property
    def scoped(self) -> frozenset[str]:
        """The local variables of C that clean up after themselves."""
        return frozenset() if self.is_java else scoped_variables(self.body, self.linked.key.path, self.queries)

    def is_scoped(self, name: str) -> bool:
        """Whether a variable releases, or keeps, what it holds when it goes out of scope."""
        variable = self.variables.get(name)
        return name in self.scoped or (variable is not None and any(each.startswith(_SCOPED) for each in variable.attributes))

    @functools.cached_property
    def makes_functions(self) -> bool:
        """Whether the procedure has lambdas or method references."""
        return any(isinstance(node, ir.Alloc) and node.type.startswith("lambda:") for node in self.nodes)

    def normalise(self, path: AccessPath) -> AccessPath:
        """A path with `t.*` and `t.f` replaced by what the address in t is of, or what t walks over; the field by which
        the filters of `java.io` hold what they wrap is no other place."""
        if self._delegate and path[:2] == ("this", self._delegate):
            return ("this", WRAPPED, *path[2:])
        for _ in range(_EXPANSIONS):
            target = self.addresses.get(path[0]) or self.walkers.get(path[0])
            if target is None or len(path) == 1:
                break
            field, rest = path[1], path[2:]
            if field == "*" or field == target[-1] == "[]":
                path = target + rest
            elif len(target) == 1 or field == "[]" or target[-1] in ("[]", WRAPPED):
                path = (*target, field, *rest)
            else:
                path = (*target[:-1], f"{target[-1]}.{field}", *rest)
        return path

    @functools.cached_property
    def indices(self) -> dict[AccessPath, frozenset[str]]:
        """Per array that the procedure looks into, what tells which element: index operands, and pointers that walk over it."""
        return indices(self)

    def loaded_from(self, path: AccessPath) -> AccessPath:
        """A path by the variable that its temporaries were loaded from."""
        while ir.is_temporary(path[0]) and path[0] in self.loads and len(path) <= _EXPANSIONS:
            path = self.loads[path[0]] + path[1:]
        return path

    def index_of(self, place: AccessPath) -> frozenset[str]:
        """What tells which element a place lies in; empty where it lies in none."""
        if "[]" not in place:
            return frozenset()
        return self.indices.get(place[: place.index("[]") + 1], frozenset(("=?",)))

    def constant_at(self, place: AccessPath) -> Value:
        """What a global or a field always is."""
        literal = self.constant(place)
        if literal:
            return guard.literal(literal)
        if place[0][:2] != "::":
            return TOP
        if place in STREAMS and not self.is_java:
            return guard.stream(STREAMS.index(place))
        if place == ERROR_NUMBER and not self.is_java:
            return self._error_number
        simple = place[0][2:].rpartition(".")[2]
        is_named_so = simple.isupper() or (not self.is_java and simple.partition("_")[0].isupper() and "_" in simple)  # `NID_rsaEncryption`
        if not is_named_so or len(simple) < 2 or (not self.is_java and self.is_variable(simple)):
            return TOP
        if not self.is_java and simple.startswith("NULL_"):  # `NULL_PIPE`: no pipe, whatever a pipe is where it is compiled
            return guard.ZERO
        return guard.symbol(hash_of("SUCCESS" if not self.is_java and simple.endswith("_SUCCESS") else simple))  # Libraries call one thing so.

    def is_variable(self, name: str) -> bool:
        """Whether a global of C is a variable, whatever its name looks like."""
        return bool(self.queries.variable_type(self.linked.key.path, name))

    def spread(self, path: AccessPath, node: int) -> tuple[AccessPath, ...]:
        """All names of the place that `path` names when `node` begins, itself first."""
        names = [self.normalise(path)]
        for _ in range(_EXPANSIONS):
            last = names[-1]
            source = self.loads.get(last[0])
            if source is None or len(last) == 1:
                break
            names.append(self.normalise(source + last[1:]))
        if (root := names[-1][0]) in self.assigned_formals and len(names[-1]) > 1 and self.originals.has(root, node):
            names.append((f"${self.formals[root]}", *names[-1][1:]))
        if self.captures:
            names += [(self.captures[name[:2]], *name[2:]) for name in names if len(name) > 2 and name[:2] in self.captures]
        return tuple(dict.fromkeys(names)) if self.captures else tuple(names)

    def is_tested(self, name: str) -> bool:
        """Whether any branch or comparison looks at the value of a variable, by whatever name."""
        if self._tested is None:
            self._tested = self._find_tested()
        return name in self._tested

    def outlives(self, root: str) -> bool:
        """Whether what the root names is still there when the procedure has ended."""
        return (
            root == "this"
            or (root[:2] == "::" and root not in self.passing)
            or root[:1] == "$"
            or (root in self.formals and root not in self.assigned_formals)
            or (root in self.variables and self.variables[root].kind in ("captured", "receiver"))
        )

    def is_fresh(self, name: str) -> bool:
        """Whether the variable only ever holds objects that this procedure made (or is itself the object)."""
        if name not in self._fresh:
            self._fresh[name] = False
            self._fresh[name] = (self.is_aggregate(name) and not ir.is_temporary(name)) or self._is_made_here(name)
        return self._fresh[name]

    def is_sometimes_fresh(self, name: str) -> bool:
        """Whether a variable of C holds something that this procedure made after one of its assignments."""
        if self.is_java or name in self.formals or name not in self.variables or self.variables[name].kind == "captured":
            return False
        return any(node in self.made for node in self.definitions.get(name, ()))

    def is_new(self, name: str) -> bool:
        """Whether a variable of Java only ever holds what `new` makes."""
        nodes = self.definitions.get(name, ()) if self.is_java else ()
        return bool(nodes) and all(isinstance(self.nodes[node], ir.Alloc) for node in nodes)

    def exported(self, path: AccessPath) -> AccessPath:
        """A path as Effects name it: formals by number."""
        root = path[0]
        if root in self.formals:
            return (f"${self.formals[root]}", *path[1:])
        return path

    def imported(self, path: AccessPath) -> AccessPath:
        """A path of this procedure's own Effects, in its variables."""
        root = path[0]
        if root[:1] == "$" and root[1:].isdigit() and int(root[1:]) < len(self.body.parameters):
            return (self.body.parameters[int(root[1:])], *path[1:])
        return path

    def type_of(self, name: str) -> str:
        """The type of a variable as linked, else as written."""
        variable = self.variables.get(name)
        return self.linked.types.get(name) or (variable.type if variable else "")

    def is_aggregate(self, name: str) -> bool:
        """Whether a variable of C is itself a struct or an array, not a pointer to one."""
        if self.is_java or name in self.formals:
            return False
        return self.c_types.is_aggregate(self.type_of(name))

    def may_hold(self, path: AccessPath) -> bool:
        """Whether a handle can lie at a path, by its type."""
        if self.is_java:
            return len(path) > 1 or self.type_of(path[0]) not in PLAIN_JAVA
        return not is_plain_c(self._written(path)) or (len(path) > 1 and self.is_wide_number(path))

    def is_wide_number(self, path: AccessPath) -> bool:
        """Whether what lies at a path of C is a number that has room for a descriptor, and not what they are kept in as a rule."""
        return is_plain_c(written := self._written(path)) and is_wide(written)

    def _written(self, path: AccessPath) -> str:
        return functools.reduce(self.c_types.member, path[1:], self.type_of(path[0]))

    def has_field(self, name: str, field: str) -> bool:
        """Whether what a variable of C points to, or is, may have a member; what nobody declares may."""
        if field in ("*", "[]", "~", "^"):
            return True
        written = self.type_of(name)
        if not self.c_types.struct_name(written):
            return not is_plain_c(written.replace("*", " "))
        return not self.c_types.is_without(written, field.partition(".")[0])

    def is_linked(self, path: AccessPath, start: int) -> bool:
        """Whether a path of C goes, from its field number `start` on, through an element or a node of a linked structure."""
        written = self.type_of(path[0])
        for position, field in enumerate(path[1:], 1):
            written = self.c_types.member(written, field)
            if position >= start and (field == "[]" or self.c_types.is_node(written)):
                return True
        return False

    def is_loaded_after(self, node: int, place: AccessPath) -> bool:
        """Whether a member is loaded after a node while its base is still the same variable."""
        seen: set[int] = set()
        waiting = list(self.cfg.successors[node])
        while waiting:
            at = waiting.pop()
            if at in seen:
                continue
            seen.add(at)
            match self.nodes[at]:
                case ir.Load(base=base, field=field) if (base, field) == place:
                    return True
                case ir.LoadElement(base=base) if (base, "[]") == place:
                    return True
                case instruction if place[0] in assigned(instruction):
                    continue
            waiting += self.cfg.successors[at]
        return False

    def is_recursive(self, path: AccessPath) -> bool:
        """Whether a path goes through another object of a recursive structure (`node.next.name`); `**p` is none."""
        if len(path) < 3:
            return False
        own, named = self.type_of(path[0]), [field for field in path[1:] if field != "*"]
        if len(set(named)) < len(named):
            return not self.is_java or self._is_of_one_kind(own, path[1:])
        if not own or path[1] in ("*", "[]"):
            return False
        following = self.queries.field_type(own, path[1]) if self.is_java else self.c_types.member(own, path[1])
        return following == own

    def _is_of_one_kind(self, own: str, fields: AccessPath) -> bool:
        """Whether equal names of fields may be those of equal types (`this.writer.writer` of a wrapper are not)."""
        owners: dict[str, list[str]] = {}
        for field in fields:
            owners.setdefault(field, []).append(own)
            own = self.queries.field_type(own, field) if own else ""
        return any("" in each or len(set(each)) < len(each) for each in owners.values() if len(each) > 1)

    # --- unions: all members are one place

    def _with_unions(self, nodes: tuple[ir.Instruction, ...]) -> tuple[ir.Instruction, ...]:
        """The instructions with members of unions called by the name of the first."""
        changed = list(nodes)
        known: dict[tuple[str, str], str] = {}
        for index, node in enumerate(nodes):
            match node:
                case ir.Load(base=base, field=field) | ir.Store(base=base, field=field) | ir.AddressOf(
                    base=base, field=field
                ) if base and field not in ("", "*"):
                    owner = self.type_of(base)
                    if (owner, field) not in known:
                        known[owner, field] = self.c_types.union_member(owner, field)
                    if known[owner, field] != field:
                        changed[index] = msgspec.structs.replace(node, field=known[owner, field])
        return tuple(changed)

    # --- found once

    def _find_addresses(self) -> dict[str, AccessPath]:
        found: dict[str, AccessPath] = {}
        for name, nodes in self.definitions.items():
            node = self.nodes[nodes[0]]
            if len(nodes) == 1 and isinstance(node, ir.AddressOf) and name not in self.formals:
                if not node.base:
                    found[name] = (f"::{node.field}",)
                else:
                    found[name] = (node.base, node.field) if node.field else (node.base,)
        for name, nodes in self.definitions.items():
            node = self.nodes[nodes[0]]
            if len(nodes) == 1 and name not in self.formals:
                source = identity(node)
                if isinstance(node, ir.Op) and node.operator == "[]+":
                    if source and source != name:
                        found[name] = (source, WRAPPED) if is_offset(node) else self._element(source, found)
                elif source in found or (not self.is_java and self.type_of(source).endswith("[]") and not self.type_of(name).endswith("]")):
                    found[name] = found.get(source, (source, "[]"))
        return found

    def _find_walkers(self) -> dict[str, AccessPath]:
        found: dict[str, AccessPath] = {}
        for name, nodes in self.definitions.items():
            if (len(nodes) > 1 or name in self.formals) and (array := self._walked(name, nodes)):
                found[name] = array
        for name, nodes in self.definitions.items():
            source = identity(self.nodes[nodes[0]])
            if len(nodes) == 1 and name not in self.formals and source in found and ir.is_temporary(name):
                found[name] = found[source]
        return found

    def _walked(self, name: str, nodes: Sequence[int]) -> AccessPath | None:
        """The elements that a variable runs over: all it is ever given is one array, and itself moved on."""
        bases: set[AccessPath] = set()
        is_moved = False
        for instruction in (self.nodes[node] for node in nodes):
            source = identity(instruction)
            if source == name:
                is_moved |= isinstance(instruction, ir.Op) and instruction.operator == "[]+"
            elif source:
                bases.add((source,))
            elif isinstance(instruction, ir.Load) and instruction.base:
                bases.add((instruction.base, instruction.field))
            elif not (isinstance(instruction, ir.Copy) and instruction.src == "=null"):
                return None
        if not is_moved or len(bases) + (name in self.formals) != 1:
            return None
        base = min(bases) if bases else (f"${self.formals[name]}",)
        found = (*base, "[]") if len(base) > 1 else self._element(base[0], self.addresses)
        return None if self._is_reassigned(base[0]) else found

    def _element(self, base: str, known: dict[str, AccessPath]) -> AccessPath:
        """What a pointer into `base` points to."""
        target = known.get(base)
        if target is None:
            return (base, "[]")
        return target if target[-1] == "[]" else (*target, "[]")

    def _find_delegate(self) -> str:
        """The inherited field that holds the stream which objects of this class wrap; empty where there is none."""
        loaded = {node.field for node in self.nodes if type(node) is ir.Load and node.field in _DELEGATES and node.base == "this"}
        if not loaded:
            return ""
        for field, filters in _DELEGATES.items():
            if field in loaded and any(self.queries.is_subtype(self.body.owner, each) for each in filters):
                unit = self.queries.unit(self.linked.key.path)
                own = (each for each in (unit.types if unit else ()) if each.name == self.body.owner)
                return "" if any(each.name == field for one in own for each in one.fields) else field
        return ""

    def _find_loads(self) -> dict[str, AccessPath]:
        found: dict[str, AccessPath] = {}
        for name, nodes in self.definitions.items():
            if len(nodes) != 1 or name in self.formals or (self.is_aggregate(name) and not ir.is_temporary(name)):
                continue
            match self.nodes[nodes[0]]:
                case ir.Load(base="", field=field):
                    found[name] = (f"::{field}",)
                case ir.Load(base=base, field=field):
                    found[name] = self.normalise((base, field))
                case ir.LoadElement(base=base):
                    found[name] = self.normalise((base, "[]"))
                case node:
                    source = identity(node)
                    if source and source != name and not self._is_reassigned(source):
                        found[name] = (source,)
        return found

    def _is_reassigned(self, name: str) -> bool:
        return len(self.definitions.get(name, ())) + (name in self.formals) > 1

    def _is_made_here(self, name: str) -> bool:
        nodes = self.definitions.get(name, ())
        if name in self.formals or name in self._found or (name in self.variables and self.variables[name].kind == "captured"):
            return False
        if not nodes and name in self._filled:
            return True
        if not nodes or self._is_zeroed(nodes):
            return self.is_aggregate(name)
        return all(self.makes(node) for node in nodes if self.handed_back.get(node) != name)

    def _is_zeroed(self, nodes: Sequence[int]) -> bool:
        """Whether a variable is assigned by the initialiser of its declaration only (`struct pair p = {0}`)."""
        return all(isinstance(op := self.nodes[node], ir.Op) and op.operator == "zero" for node in nodes)

    def makes(self, node: int) -> bool:
        """Whether what an instruction assigns is an object that this procedure made, or null."""
        match self.nodes[node]:
            case ir.Alloc():
                return True
            case ir.AddressOf(base=base, field=""):
                return self.is_fresh(base)
            case ir.Copy(src=src) if ir.is_literal(src):
                return src != "=?" or self.is_java  # What an iterating macro gives belongs to somebody else.
            case ir.Call():
                return node in self.made or (node in self.handed_back and self.is_fresh(self.handed_back[node]))
            case instruction:
                source = identity(instruction)
                return bool(source) and self.is_fresh(source)

    @property
    def made(self) -> frozenset[int]:
        """Calls that give an object which nobody else has."""
        return self._made

    _made: frozenset[int] = frozenset()
    _filled: frozenset[str] = frozenset()
    _found: frozenset[str] = frozenset()

    def set_made(self, made: frozenset[int], filled: frozenset[str], found: frozenset[str]) -> None:
        """Tell which calls make what they return, and in which variables of C they leave what they make, or something that was
        there before (known when the calls are resolved)."""
        self._made, self._filled, self._found = made, filled, found
        self._fresh.clear()

    def made_members(self, name: str, field: str) -> list[str]:
        """What of its own making the procedure stores in a member of an object."""
        return [
            node.src for index in self.cfg.order
            if isinstance(node := self.nodes[index], ir.Store) and node.field == field and self.is_fresh(node.src)
            and any(place[:2] == (name, field) for place in self.spread((node.base, field), index))
        ]

    def _find_tested(self) -> set[str]:
        """Backwards from branches through copies, casts and fields of one name."""
        before: dict[str, list[str]] = {}
        found: list[str] = []
        for index in self.cfg.order:
            match self.nodes[index]:
                case ir.Branch(left=left, right=right):
                    found += variables((left, right))
                case ir.Op(dst=dst, operands=operands):
                    before.setdefault(dst, []).extend(variables(operands))
                case ir.Copy(dst=dst, src=src) if src:
                    before.setdefault(dst, []).append(src)
                case ir.Load(dst=dst, field=field):
                    before.setdefault(dst, []).append(f".{field}")
                case ir.Store(field=field, src=src):
                    before.setdefault(f".{field}", []).append(src)
                case ir.LoadElement(dst=dst):
                    before.setdefault(dst, []).append("[]")
                case ir.StoreElement(src=src):
                    before.setdefault("[]", []).append(src)
        tested = set(found)
        while found:
            for name in before.get(found.pop(), ()):
                if name not in tested:
                    tested.add(name)
                    found.append(name)
        return tested

    @functools.cached_property
    def saved(self) -> tuple[str, ...]:
        """The variables of Java in which values wait that are returned when a `finally` has run: nobody expects it to fail then."""
        return tuple(sorted(name for name in self.definitions if name.startswith(SAVED))) if self.is_java else ()

    @functools.cached_property
    def holders(self) -> frozenset[str]:
        """The variables that can ever name a handle: by what they are assigned, and by type."""
        found = {
            name for name, variable in self.variables.items()
            if (variable.is_address_taken or (variable.kind != "temporary" and name not in self.definitions))
            or name in self.formals
        }
        found.update(("this", ""))
        moves: dict[str, list[str]] = {}
        for name, nodes in self.definitions.items():
            for node in nodes:
                match self.nodes[node]:
                    case ir.Op(operator="zero"):
                        found.add(name)  # A struct or an array with an initialiser.
                    case ir.Copy() | ir.Op():
                        source = identity(self.nodes[node])
                        if source:
                            moves.setdefault(source, []).append(name)
                    case _:
                        found.add(name)
        found = {name for name in found if self.may_hold((name,)) or goes_on(self, name)}
        waiting = list(found)
        while waiting:
            for name in moves.get(waiting.pop(), ()):
                if name not in found:
                    found.add(name)
                    waiting.append(name)
        return frozenset(found)

    @functools.cached_property
    def dying(self) -> dict[int, tuple[str, ...]]:
        """Per node the temporaries that nobody reads afterwards: their handles go at once."""
        return dying(self)


def hash_of(name: str) -> int:
    """A number for a name that is the same in every run."""
    return int.from_bytes(name.encode(), "big")
