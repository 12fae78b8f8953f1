"""Functions of C that only share their name with one of a library that is known.

Told by the type that the program declares for what they give, by arguments that hold characters where the library's function
would put a pointer, by structs of the program's own that its header declares for arguments, and by how many arguments there are and of what kinds where it is a function of the system with the name of a
common word (`accept(COMMA)`). Macros that only compute from what they are given are no functions of a library. Misses those whose
types both call the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from analyzers import ir
from analyzers.handles.c.types import INTS, is_plain_c
from analyzers.handles.scene import RESULT, Scene
from analyzers.queries import ProcedureKey, Queries, Target
from analyzers.summaries import Effects, Transfer

_CHARACTERS = frozenset(("char", "unsigned char", "signed char", "wchar_t"))

_FORMALS = {
    "accept": "npp", "accept4": "nppn", "access": "pn", "bind": "npn", "connect": "npn", "creat": "pn", "dlopen": "pn", "dup": "n", "dup2": "nn",
    "dup3": "nnn", "fdopen": "np", "fdopendir": "n", "fopen": "pp", "freopen": "ppp", "kcalloc": "nnn", "kfree": "p", "kill": "nn", "kmalloc": "nn",
    "krealloc": "pnn", "kzalloc": "nn", "link": "pp", "listen": "nn", "mmap": "pnnnnn",
    "open": "pn.", "openat": "npn.", "opendir": "p", "pipe": "p", "pipe2": "pn", "poll": "pnn", "popen": "pp", "recv": "npnn", "remove": "p",
    "rename": "pp", "send": "npnn", "socket": "nnn", "socketpair": "nnnp", "truncate": "pn", "wait": "p",
}
"""What functions of the system take, by POSIX, the manual of Linux and its kernel: pointers (`p`), numbers (`n`), more behind them (`.`)."""


def is_namesake(model: Effects, call: ir.Call, target: Target, types: Mapping[str, str]) -> bool:
    """Whether a call is of another function than the library's one of its name. `target`: with the types that the program declares for
    its result and parameters; `types`: those of the variables."""
    return makes_another_type(model, target.result) or _has_no_room(model, call, types) or _takes_something_else(call, types) or _is_declared_for_others(call, target)


def _is_declared_for_others(call: ir.Call, target: Target) -> bool:
    """Whether the program declares a function of the system's name with a pointer where that takes a number, or a number for a pointer
    (`void *krealloc(void *pool, void *block, size_t size);`)."""
    wanted = _FORMALS.get(call.name, "").removesuffix(".") if call.kind == "function" else ""
    declared = [_kind(each, {each: each}) for each in target.parameters]
    return len(declared) == len(call.args) and any(kind not in ("", formal) for formal, kind in zip(wanted, declared, strict=False))


def are_computing(keys: Iterable[ProcedureKey], queries: Queries, depth: int = 4) -> bool:
    """Whether all bodies of a call are those of macros that call nothing but such macros: `#define text_of(v) container_of(v, struct text, base)`."""
    for key in keys:
        body = queries.procedure(key) if depth else None
        if body is None or body.kind != "macro":
            return False
        calls = [each for each in body.nodes if isinstance(each, ir.Call)]
        called = [queries.functions(key.path, each.name) for each in calls if each.kind == "function"]
        if len(called) < len(calls) or not all(found and are_computing(found, queries, depth - 1) for found in called):
            return False
    return True


def _takes_something_else(call: ir.Call, types: Mapping[str, str]) -> bool:
    """Whether a call of a function of the system has too few arguments or too many, a pointer for a number or a number for a pointer."""
    formals = _FORMALS.get(call.name, "") if call.kind == "function" else ""
    wanted = formals.removesuffix(".")
    if not formals or len(call.args) < len(wanted) or (len(call.args) > len(wanted) and wanted == formals):
        return bool(formals)
    return any(_kind(argument, types) not in ("", formal) for formal, argument in zip(wanted, call.args, strict=False))


def _kind(argument: str, types: Mapping[str, str]) -> str:
    """Whether a variable holds a pointer or a number, as far as its type says."""
    written = "" if ir.is_literal(argument) else types.get(argument, "")
    if "*" in written or written.endswith("]"):
        return "p"
    return "n" if is_plain_c(written) or not INTS.isdisjoint(written.split()[-1:]) else ""


def _has_no_room(model: Effects, call: ir.Call, types: Mapping[str, str]) -> bool:
    """Whether the library's function would leave what it acquires behind an argument which points to characters here: `getline(line,
    sizeof line)` of the program's own reads into `char line[80]`."""
    filled = {path[0] for each in model.transfers if not each.entry for end in each.outcomes for path in end.paths if path[1:] == ("*",)}
    return any(f"${position}" in filled and _holds_characters(types.get(argument, "")) for position, argument in enumerate(call.args))


def _holds_characters(written: str) -> bool:
    """Whether a type is that of a pointer to characters, or of an array of them."""
    pointed = written.partition("[")[0] if written.endswith("]") else written[:-1] if written.endswith("*") else ""
    return " ".join(each for each in pointed.split() if each not in ("const", "volatile", "static", "register")) in _CHARACTERS


def makes_another_type(model: Effects, written: str) -> bool:
    """Whether the program declares that a function of C gives a pointer to another type than the one that a library's function of that
    name makes, as far as the library's has a name of its own (`json_t`): then it is another library's."""
    made = {each.resource for each in model.transfers if not each.entry and any(end.paths == (RESULT,) for end in each.outcomes)}
    words = [word for word in written.replace("*", " ").split() if word not in ("const", "volatile", "struct", "extern", "static")]
    is_named = bool(made) and all(each.isidentifier() and each.endswith("_t") for each in made)  # `GObject` is a kind of many types.
    return is_named and "*" in written and len(words) == 1 and words[0] != "void" and _stem(words[0]) not in {_stem(each) for each in made}


def _stem(name: str) -> str:
    """The name of a type without what typedefs add to it."""
    for ending in ("_t", "_st", "_s", "Ptr", "Rec"):
        name = name.removesuffix(ending)
    return name.replace("_", "").lower()


def is_another(model: Effects, target: Target, scene: Scene) -> bool:
    """Whether a function of C that the program has in the same file, or whose result is a number where the library's is
    something to release, or a struct of the program's own, or that is a macro that only computes, is not the library's."""
    if model.transfers and all(key.path == scene.linked.key.path for key in target.procedures):
        return True
    made = [each for each in model.transfers if not each.entry and any(end.paths == (RESULT,) for end in each.outcomes)]
    if made and (is_plain_c(target.result) or target.result in ("int", "int32_t", "void")) and all(map(_is_pointer, made)):
        return True
    return bool(made) and (_is_a_struct_of_its_own(target.result, scene) or are_computing(target.procedures, scene.queries))


def is_declared_otherwise(model: Effects, name: str, target: Target, scene: Scene) -> bool:
    """Whether a header of the program declares a function without a body in sight for objects of its own: a struct with members that has
    the first word of the name (`char *json_to_string(const struct json *, int)`), or a number where the library's gives an object."""
    made = [each for each in model.transfers if not each.entry and any(end.paths == (RESULT,) for end in each.outcomes)]
    if made and is_plain_c(target.result) and all(map(_is_pointer, made)):
        return True
    first, rest, _ = name.partition("_")
    for written in (target.result, *target.parameters) if rest else ():
        words = [each for each in written.replace("*", " ").split() if each not in ("const", "volatile")]
        is_its = len(words) == 2 and words[0] == "struct" and words[1].partition("_")[0] == first
        if is_its and "*" in written and _is_a_struct_of_its_own(f"struct {words[1]} *", scene):
            return True
    return False


def _is_a_struct_of_its_own(written: str, scene: Scene) -> bool:
    """Whether a type is a pointer to a struct whose members the program declares; libraries hide theirs behind other names."""
    declared = scene.c_types.declared(written) if written.startswith("struct ") else None
    return declared is not None and bool(declared.fields)


def _is_pointer(made: Transfer) -> bool:
    """Whether what a library's function makes is a pointer: nothing asks for its sign, or whether it is -1."""
    told = [each.value for outcome in made.outcomes for each in outcome.when if each.path == RESULT]
    return all(value == "=null" for value in told) and "descriptor" not in made.resource
