"""The intermediate representation that both front ends lower to and every analysis reads.

A procedure is a control flow graph whose nodes are single instructions. Operands are strings: the
name of a variable, or a literal that begins with `=` (`=null`, `=0`, `="text"`, `=true`, `=?` for a
value that is not known, `=&f` for a function). Variables are those of the source and mutable;
temporaries begin with `%` and are assigned once. A second variable of one name is `x#2`.
Offsets are relative to the procedure's first byte, so that moving it changes nothing.

Reports nothing by itself. What lowering cannot say is a `Havoc` and a Note, never silence.
"""

from __future__ import annotations

from typing import Literal

import msgspec

ENTRY = 0
EXIT = 1
RAISE = 2
"""The nodes that every body begins with: entry, normal exit, exceptional exit."""

ANY_EXCEPTION = "*"
"""The one type of a `Catch` that stops everything: a `finally`, or what C++ calls `...`."""


class Node(msgspec.Struct, frozen=True, array_like=True, gc=False, tag_field="instruction"):
    """What all instructions share: the source bytes [start, end), relative to the procedure."""

    start: int
    end: int


class Entry(Node, frozen=True, array_like=True, gc=False, tag="entry"):
    """Where a procedure begins: node 0."""


class Exit(Node, frozen=True, array_like=True, gc=False, tag="exit"):
    """Where a procedure ends: node 1 on return, node 2 (`RAISE`) when an exception leaves it."""


class Alloc(Node, frozen=True, array_like=True, gc=False, tag="alloc"):
    """`dst = new type`, without its constructor, which is a `Call` of kind "new" on `dst` after it.

    Arrays: `type` ends in `[]`. Lambdas, method references and anonymous classes: `type` is the name
    of the class or `lambda:` and the name of the procedure; captured variables are then stored to
    fields `val$x`, the enclosing instance to `this$0`. Objects of C on the stack need no Alloc.
    """

    dst: str
    type: str


class Copy(Node, frozen=True, array_like=True, gc=False, tag="copy"):
    """`dst = src`; `src` may be a literal."""

    dst: str
    src: str


class Op(Node, frozen=True, array_like=True, gc=False, tag="op"):
    """`dst = operator(operands)`: arithmetic, comparison (`==` …), `cast` (type), `instanceof` (type),
    `!`, `[]+` (pointer arithmetic inside an object). A cast and `[]+` keep the identity of operand 0."""

    dst: str
    operator: str
    operands: tuple[str, ...]
    type: str = ""


class Load(Node, frozen=True, array_like=True, gc=False, tag="load"):
    """`dst = base.field`. C: `p->f` and, for a struct variable s, `s.f`; `*p` has field `*`; embedded
    structs give one dotted field (`a.b`). `base` is empty for a static field (`pkg.Type.f`) or a
    global of C (its name)."""

    dst: str
    base: str
    field: str


class Store(Node, frozen=True, array_like=True, gc=False, tag="store"):
    """`base.field = src`, with the conventions of `Load`."""

    base: str
    field: str
    src: str


class LoadElement(Node, frozen=True, array_like=True, gc=False, tag="load-element"):
    """`dst = base[index]`."""

    dst: str
    base: str
    index: str


class StoreElement(Node, frozen=True, array_like=True, gc=False, tag="store-element"):
    """`base[index] = src`."""

    base: str
    index: str
    src: str


class AddressOf(Node, frozen=True, array_like=True, gc=False, tag="address-of"):
    """`dst = &base.field`, or `dst = &base` with an empty field. Then `dst.*` is `base.field`, and
    `dst.g` is `base.field.g`. `base` empty: the address of global `field`. `index`: the element whose address it is, as it is written,
    where `field` is `[]`."""

    dst: str
    base: str
    field: str
    index: str = ""


CallKind = Literal["static", "virtual", "special", "new", "function", "pointer"]


class Call(Node, frozen=True, array_like=True, gc=False, tag="call"):
    """`dst = callee(args)`; `dst` is empty where the result is dropped.

    kind "static", "virtual", "special" (super.m, private), "new" (constructor, `name` is `<init>` and
    `receiver` the allocated object): Java. "function", "pointer" (`receiver` holds the function): C.
    `qualifier` is the type as written where the call names one (`Files`, `Outer.Inner`, the type of a
    `new`), `super`, `this`, or empty. A call in C of what may be a macro is a "function" like any other;
    arguments that are no expressions (types, blocks) are `=?`.
    """

    dst: str
    kind: CallKind
    name: str
    qualifier: str
    receiver: str
    args: tuple[str, ...]


class Return(Node, frozen=True, array_like=True, gc=False, tag="return"):
    """Return of `src` (empty: no value). Its successor is `EXIT`."""

    src: str


class Throw(Node, frozen=True, array_like=True, gc=False, tag="throw"):
    """Throw of `src`. It has exceptional successors only. `type` is what is known of it («» = what its
    variable caught or holds)."""

    src: str
    type: str = ""


class Catch(Node, frozen=True, array_like=True, gc=False, tag="catch"):
    """Entry of a handler; `types` as written, or (`*`,) for a finally."""

    dst: str
    types: tuple[str, ...]


class Branch(Node, frozen=True, array_like=True, gc=False, tag="branch"):
    """Two successors: the first when `left operator right` holds, the second when not.

    `operator`: `==` `!=` `<` `<=` `>` `>=`; `true` (left is true / not zero / not null, right empty);
    `instanceof` (right is `=` and the type); `*` (either way, nothing known). Short-circuit
    operators and `!` are lowered away.
    """

    operator: str
    left: str
    right: str


class ScopeEnd(Node, frozen=True, array_like=True, gc=False, tag="scope-end"):
    """The variables go out of scope here (not emitted before a return or throw, where all do)."""

    variables: tuple[str, ...]


class Havoc(Node, frozen=True, array_like=True, gc=False, tag="havoc"):
    """Something that is not modelled: the variables (and what they reach) may hold anything after."""

    variables: tuple[str, ...]
    reason: str


Instruction = (
    Entry | Exit | Alloc | Copy | Op | Load | Store | LoadElement | StoreElement | AddressOf | Call
    | Return | Throw | Catch | Branch | ScopeEnd | Havoc
)

VariableKind = Literal["parameter", "receiver", "local", "temporary", "captured"]


HELD = "held"
"""Among the attributes of a variable: linking made it for a place that the procedure takes and gives back (a lock)."""

STRUCT = "struct"
"""Among the attributes of a variable of C: it is a struct or a union itself, and no pointer to one."""


class Variable(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A variable of a procedure.

    `type` is the type as written (C: with stars and struct tags; `T[]` for arrays; `var` and unknown
    are empty). [start, end) is where the name is visible, relative to the procedure; (0, 0) for
    temporaries. `declared` is the offset of the declarator. `attributes` holds C attributes and Java annotations and
    modifiers by name, arguments in parentheses (`cleanup(free_p)`, `Owning`, `final`, `static`, `const`, `STRUCT`).
    """

    name: str
    type: str
    kind: VariableKind
    start: int = 0
    end: int = 0
    declared: int = 0
    attributes: tuple[str, ...] = ()
    is_address_taken: bool = False


class Loop(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A loop of the source: its statement's bytes, relative to the procedure, and its header node."""

    start: int
    end: int
    header: int


class Procedure(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A function, method, constructor, initialiser, lambda, or macro with a body.

    name         the contract's form without a path (`com.acme.Dao.load(String)`, `read_file`)
    kind         "function", "method", "constructor", "initialiser", "lambda", "macro"
    start, end   its bytes in the file (the declaration whole, annotations and attributes too)
    header_end   offset in the file where its body begins
    owner        Java: the binary name of its class; C: empty
    result       type as written; `throws` likewise
    parameters   names of the formals in order; the receiver `this` is not among them
    attributes   modifiers, annotations, C attributes: (`static`, `synchronized`, `malloc(f,1)`, `noreturn` …)
    variables    sorted by name
    nodes        instructions; 0 is Entry, 1 the normal Exit, 2 the exceptional one
    next         per node its normal successors (Branch: taken, not taken)
    raises       per node the handlers that an exception meets, inner first, ending in RAISE or in a
                 Catch of `*`; empty where the instruction throws nothing. Linking decides which of
                 them are real
    error        the first bytes (relative) that did not parse, or None: such a procedure is never patched
    type_parameters   Java: names of its own type parameters, with their first bound as `T:Bound`
    """

    name: str
    kind: str
    start: int
    end: int
    header_end: int
    owner: str
    result: str
    throws: tuple[str, ...]
    parameters: tuple[str, ...]
    attributes: tuple[str, ...]
    variables: tuple[Variable, ...]
    nodes: tuple[Instruction, ...]
    next: tuple[tuple[int, ...], ...]
    raises: tuple[tuple[int, ...], ...]
    loops: tuple[Loop, ...] = ()
    error: tuple[int, int] | None = None
    type_parameters: tuple[str, ...] = ()


class FieldDeclaration(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A field of a Java class, or a member of a C struct; offsets in the file."""

    name: str
    type: str
    attributes: tuple[str, ...]
    start: int
    end: int


class MethodDeclaration(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A method's signature. `procedure` is the name of its Procedure, empty where it has no body;
    `type_parameters` are its own (Java), with their first bound as `T:Bound`."""

    name: str
    parameters: tuple[str, ...]
    parameter_attributes: tuple[tuple[str, ...], ...]
    result: str
    throws: tuple[str, ...]
    attributes: tuple[str, ...]
    procedure: str
    is_varargs: bool = False
    type_parameters: tuple[str, ...] = ()


class TypeDeclaration(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A class, interface, enum, record or annotation of Java (binary name `pkg.Outer$Inner`, anonymous
    `pkg.Outer$1`), or a struct, union or typedef of C. `supertypes` as written, the superclass first;
    for a typedef the type that it names. `type_parameters`: names, with their first bound as `T:Bound`.
    """

    name: str
    kind: str
    supertypes: tuple[str, ...]
    fields: tuple[FieldDeclaration, ...]
    methods: tuple[MethodDeclaration, ...]
    attributes: tuple[str, ...]
    start: int
    end: int
    type_parameters: tuple[str, ...] = ()


class Macro(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A `#define`. `parameters` is None for an object-like one. `body` is its text, continuation lines
    joined. `procedure` is the name of its Procedure where the body could be lowered as one. `side` is the word that has
    to be defined for it, with `!` where it must not be, if it stands on one of two sides of `#ifdef` and the file defines it several
    times, or a function of this name. `users` are the procedures of the file in which it holds, if an `#undef` ends it and the file
    defines it several times; None stands for all."""

    name: str
    parameters: tuple[str, ...] | None
    body: str
    start: int
    end: int
    procedure: str = ""
    side: str = ""
    users: tuple[str, ...] | None = None

    def holds_in(self, procedure: str) -> bool:
        """Whether a procedure with this name stands where the definition holds."""
        return self.users is None or procedure in self.users


class UnitNote(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A Note of a blob: kind, bytes in the file, text."""

    kind: str
    start: int
    end: int
    text: str


class Unit(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """All that one blob says by itself: a function of its bytes alone, names unresolved.

    package, imports   Java: as written (`java.io.*`, `static a.B.c`)
    globals            C: file-level variables (attributes tell `static`, `extern`, `const`)
    prototypes         C: declarations of functions without a body, with their attributes
    mentions           sorted identifiers that are called, or named where a function or type is meant:
                       what the name index of the tree is made of
    returning          C: sorted names that are used like macros that return; with `()` behind those that take arguments
    """

    language: str
    package: str
    imports: tuple[str, ...]
    procedures: tuple[Procedure, ...]
    types: tuple[TypeDeclaration, ...]
    globals: tuple[FieldDeclaration, ...]
    prototypes: tuple[MethodDeclaration, ...]
    macros: tuple[Macro, ...]
    mentions: tuple[str, ...]
    notes: tuple[UnitNote, ...]
    returning: tuple[str, ...] = ()


def is_literal(operand: str) -> bool:
    """Whether an operand is a literal and not a variable (the empty operand is neither)."""
    return operand[:1] == "="


def is_temporary(operand: str) -> bool:
    """Whether an operand is a variable that only lowering made."""
    return operand[:1] == "%"


def is_made_up(variable: str) -> bool:
    """Whether the source has no such variable: a temporary, or one that several branches assign (`choice%1`)."""
    return "%" in variable


def source_name(variable: str) -> str:
    """The name that the source uses for a variable (`x` for `x#2`)."""
    return variable.partition("#")[0]


def element_name(array: str, index: int | str) -> str:
    """The variable that stands for an element of an array (`x[1]#` for `x`, `x[1]#2` for `x#2`, `x[0][1]#` for index `0][1`)."""
    name, _, number = array.partition("#")
    return f"{name}[{index}]#{number}"


def beginnings(field: str) -> list[str]:
    """A dotted field and all that it is a part of, the shortest first: `limits`, `limits.least`."""
    parts = field.split(".")
    return [".".join(parts[:number]) for number in range(1, len(parts) + 1)]


def declared_name(variable: str) -> str:
    """The variable that is declared for one: the array, where it stands for an element."""
    name, _, number = variable.partition("#")
    array, bracket, _ = name.partition("[")
    return variable if not bracket else f"{array}#{number}" if number else array
