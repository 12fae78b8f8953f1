"""What a callee that nobody knows is taken to do with a handle that it is passed.

The choice favours silence. A callee named like a release takes the handle for good; one named like a
container, a setter or a constructor keeps it; a parameter that is `const` borrows. Anything else borrows with
a doubt, in C only if it is named like a reader: a leak after it is ASSUMED. Misses leaks after misleading names.
"""

from __future__ import annotations

import enum
import functools

from analyzers import ir
from analyzers.queries import Target

_NAMES = 1 << 14
"""Names whose words are kept: the same few are asked for again and again."""


class Policy(enum.IntEnum):
    """What becomes of a handle that an unknown callee is passed; the strongest of several counts."""

    BORROW = 0
    DOUBT = 1
    ESCAPE = 2


_RELEASING = (
    "abort", "cleanup", "clear", "close", "closing", "closer", "delete", "deref", "destroy", "detach", "disconnect",
    "discard", "dispose", "done", "drop", "end", "fini", "finish", "free", "kill", "quietly", "release", "remove",
    "reset", "shutdown", "stop", "teardown", "term", "terminate", "unref",
)
_ENDING = (
    "abort", "cancel", "cleanup", "close", "destroy", "discard", "disconnect", "dispose", "finish", "free", "quit",
    "recycle", "release", "shutdown", "stop", "terminate", "unref",
)
"""Words in methods that end the object that they are called on."""
_TAKING = (
    "accept", "add", "append", "attach", "bind", "cache", "chain", "construct", "create", "defer", "dispatch", "enqueue",
    "execute", "give", "init", "insert", "install", "join", "keep", "link", "manage", "new", "of",
    "offer", "open", "own", "pass", "prepend", "provide", "publish", "push", "put", "queue", "ref", "register",
    "replace", "reply", "return", "schedule", "set", "setup", "spawn", "start", "stash", "steal",
    "submit", "subscribe", "take", "track", "transfer", "use", "watch", "with", "wrap",
)
_BORROWING = (
    "assert", "check", "cmp", "compare", "contains", "copy", "count", "debug", "display", "dump", "eq", "equal", "equals", "error",
    "exists", "find", "format", "get", "has", "hash", "info", "inspect", "is", "len", "length", "log", "lookup", "match", "parse",
    "peek", "print", "read", "search", "show", "size", "skip", "stat", "strlen", "test", "trace", "validate", "verify", "warn",
    "warning", "write",
)


_CONSUMING = (
    "analyze", "calculate", "compile", "compute", "convert", "copy", "count", "decode", "deserialize", "digest", "evaluate", "execute", "extract", "from",
    "import", "load", "parse", "process", "read", "scan", "transform", "unmarshal", "validate",
)
"""Words that the names of methods begin with that read what they are passed to its end."""
_RELEASERS = frozenset(("close", "delete", "destroy", "dispose", "free", "release", "unref"))
_FREEING = "free"
_NOT_FREEING = ("freed", "freely", "freeing", "freeze", "freedom", "nfree", "isfree", "freelist")
_MAKERS = frozenset((
    "alloc", "build", "clone", "concat", "copy", "create", "decode", "dup", "encode", "fmt", "format", "gen", "generate",
    "join", "load", "make", "mk", "new", "open", "parse", "read", "realpath", "recv", "strdup", "unpack",
))
_ALLOCATORS = ("strndup", "memdup", "strdup", "realloc", "calloc", "malloc")
FINAL = frozenset(("cleanup", "deinit", "destroy", "dispose", "fini", "free", "release"))
_LESS = frozenset(("dec", "decr", "drop", "put"))
_ENDINGS = frozenset(("adopt", "consume", "detach", "finish", "push", "set", "steal", "swap", "take", "transfer"))
_LOOKING = frozenset(("current", "find", "first", "get", "head", "last", "lookup", "next", "peek", "ref", "search", "self"))


_PRINTING = frozenset((
    "append", "asprintf", "cat", "concat", "debug", "die", "dump", "echo", "err", "error", "errx", "exec", "fail", "fatal", "fmt", "format", "fprintf",
    "info", "join", "log", "message", "msg", "note", "output", "print", "printf", "put", "report", "say", "snprintf", "sprintf", "strcat", "strconcat",
    "syslog", "text", "trace", "usage", "verbose", "warn", "warning", "warnx", "write",
))
"""Words in names of functions of C that make a text of any number of arguments."""


def is_releaser(name: str) -> bool:
    """Whether a function of C that nobody knows is named like one that ends what its first argument points to."""
    if name.isupper():
        return False
    words = words_of(name)
    return not _RELEASERS.isdisjoint(words) or any(map(_is_freeing, words)) or _is_counting_down(words)


_ENDERS = frozenset(("dealloc", "deallocate", "deinit", "discard", "drop", "dtor", "fini", "finalize", "put", "teardown", "term", "uninit"))


def is_ender(name: str) -> bool:
    """Whether a function of C that nobody knows, or a macro, may end what it is passed, by its name: where that matters little if it only
    gives it to somebody, as who releases it on one way and who gives it away both have to do so on the others."""
    words = words_of(name)
    if name.isupper():
        return not _RELEASERS.isdisjoint(words) or any(map(_is_freeing, words)) or _is_counting_down(words)
    return is_releaser(name) or not _ENDERS.isdisjoint((*words[:1], *words[-1:]))


_WHOLE = frozenset(("all", "and", "at", "array", "arrays", "by", "chain", "entry", "full", "func", "if", "item", "list", "lists", "node", "object", "obj", "ptr", "ref", "safe", "struct", "t", "tree"))
"""What may stand behind the kind of an object that is meant as a whole, in the name of a function that ends it."""


def ends_a_part(name: str, type_name: str) -> bool:
    """Whether a release is by its name that of a part of what it gets (`free_commit_buffer(struct commit *)`)."""
    written = [word for word in type_name.replace("*", " ").split() if word not in ("const", "struct", "union")]
    tag = words_of(written[0].removesuffix("_t")) if len(written) == 1 else ()
    words = words_of(name)
    at = next((n for n in range(len(words)) if tag and words[n : n + len(tag)] == tag), None)
    behind = words[at + len(tag) : at + len(tag) + 1] if at is not None else ()
    return bool(behind) and not (behind[0] in _RELEASERS or behind[0] in _ENDERS or behind[0] in _LESS or _is_freeing(behind[0]) or behind[0] in _WHOLE)


def is_freeing(name: str) -> bool:
    """Whether a function of C that nobody knows is named like one that frees a block and no more (`xfree`)."""
    words = words_of(name)
    return len(words) == 1 and _is_freeing(words[0])


def _is_freeing(word: str) -> bool:
    """Whether a word of a name says that something is freed (`xfree`, `freeargs`)."""
    return _FREEING in word and not any(each in word for each in _NOT_FREEING)


def _is_counting_down(words: tuple[str, ...]) -> bool:
    """Whether a name says that a reference is given up (`decr_ref_count`)."""
    return any(
        (word in _LESS and following.startswith("ref")) or word in ("decref", "xdecref")
        for word, following in zip(words, (*words, "")[1:], strict=True)
    )


def is_maker(name: str) -> bool:
    """Whether a function of C that nobody knows is named like one that gives away what it returns."""
    if name.isupper():
        return name.lower().endswith(_ALLOCATORS)
    words = words_of(name)
    return not _MAKERS.isdisjoint(words) and _LOOKING.isdisjoint(words)


def may_make(name: str) -> bool:
    """Whether a function of C that nobody knows may give away what it returns, if its caller releases that."""
    return not name.isupper() and _LOOKING.isdisjoint(words_of(name))


def gives_away(name: str) -> bool:
    """Whether a function of C that nobody knows may give away what it stores where it is told to."""
    return not name.isupper() and (_LOOKING - {"get"}).isdisjoint(words_of(name))


@functools.lru_cache(_NAMES)
def words_of(name: str) -> tuple[str, ...]:
    """The words of a name in camel case or with underscores, in lower case."""
    words: list[str] = []
    word = ""
    for before, letter in zip(" " + name, name, strict=False):
        if letter == "_" or letter.isdigit() or (letter.isupper() and not before.isupper()):
            words.append(word)
            word = ""
        if letter != "_" and not letter.isdigit():
            word += letter.lower()
    words.append(word)
    return tuple(each for each in words if each)


def is_finding(name: str) -> bool:
    """Whether a function of C is named like one that goes from an object to another, which is as little the caller's."""
    words = frozenset(words_of(name))
    return not words.isdisjoint(_LOOKING - {"ref"}) or not words.isdisjoint(("advance", "parent", "prev", "previous", "sibling", "skip", "walk", "up"))


def is_release(name: str) -> bool:
    """Whether a procedure is named like one that releases what it is passed."""
    return any(word in _RELEASING for word in words_of(name))


def is_consuming(name: str) -> bool:
    """Whether a method is named like one whose result is made of what it read, and does not hold on to it."""
    return words_of(name)[:1] in [(word,) for word in _CONSUMING]


def is_wrapping(name: str) -> bool:
    """Whether a method is named like one that makes a new object, perhaps of what it is passed."""
    return words_of(name)[:1] in [(word,) for word in ("create", "make", "new", "wrap")]


def argument_policy(call: ir.Call, target: Target | None, position: int, *, language: str) -> Policy:
    """What an unknown callee does with its argument number `position`."""
    words = words_of(call.name)
    if language == "c":
        return _c_argument(call, target, position, words)
    if call.kind == "new" or call.name == "<init>":
        return Policy.ESCAPE
    return _by_words(words[:1], words)


def receiver_policy(call: ir.Call) -> Policy:
    """What an unknown method does with the handle that it is called on."""
    words = words_of(call.name)
    return Policy.ESCAPE if words[:1] == ("return",) or any(word in _ENDING for word in words) else Policy.BORROW


def _c_argument(call: ir.Call, target: Target | None, position: int, words: tuple[str, ...]) -> Policy:
    parameters = target.parameters if target else ()
    if position < len(parameters) and is_const_pointer(parameters[position]):
        return Policy.BORROW
    if parameters and parameters[-1] == "..." and position >= len(parameters) - 1:
        return Policy.BORROW
    if any(_is_format(each) for each in call.args[:position]):
        return Policy.BORROW
    is_reading = any(word in _BORROWING for word in words) and _by_words(words, words) is Policy.DOUBT
    if call.name.isupper():
        is_found = 0 < position == len(call.args) - 1 and not _FOUND.isdisjoint(words)
        return Policy.BORROW if is_reading and not is_found else Policy.ESCAPE
    return Policy.DOUBT if is_reading else Policy.ESCAPE


_FOUND = frozenset(("find", "lookup", "search"))
"""Words of macros that put what they find into their last argument (`HASH_FIND(hh, table, key, size, found)`), where it belongs to the table."""


def _by_words(taking: tuple[str, ...], words: tuple[str, ...]) -> Policy:
    if any(word in _RELEASING for word in words) or any(word in _TAKING for word in taking):
        return Policy.ESCAPE
    return Policy.DOUBT


def is_printing(call: ir.Call, position: int) -> bool:
    """Whether a call of a function with any number of arguments prints that one: by its name, or by the format before it."""
    return is_formatted(call, position) or not _PRINTING.isdisjoint(words_of(call.name))


def is_formatted(call: ir.Call, position: int) -> bool:
    """Whether an argument stands behind a format, which prints it."""
    return any(_is_format(each) for each in call.args[:position])


def _is_format(argument: str) -> bool:
    """Whether an argument is the text of a format: what follows it is printed."""
    return argument.startswith('="') and "%" in argument


def is_method(name: str, type_name: str) -> bool:
    """Whether a function of C is named after the type of its first argument (`list_add(struct list *)`), and ends nothing."""
    words = [word for word in type_name.replace("*", " ").split() if word not in ("const", "struct", "union")]
    tag = words[0].lower().removesuffix("_t") if len(words) == 1 else ""
    if len(tag) <= 2 or not name.lower().startswith(tag + "_"):
        return False
    rest = words_of(name[len(tag) + 1 :])
    return is_going_on(name) or (rest[:1] == ("set",) and is_going_on(name[len(tag) + 5 :]) and _ELSEWHERE.isdisjoint(rest))


_ELSEWHERE = frozenset((
    "active", "container", "current", "default", "first", "global", "group", "head", "instance", "last", "list", "main", "master", "next", "owner", "parent", "prev",
    "root", "tail", "thread",
))
"""What an object may be set as, somewhere else, or what may hold it from then on (`context_set_current(context)`, `widget_set_parent(widget, box)`)."""


def is_going_on(name: str) -> bool:
    """Whether a function of C that is named after the object it gets leaves that where it is, by the rest of its name."""
    return _RELEASERS.isdisjoint(words_of(name)) and _ENDINGS.isdisjoint(words_of(name))


def is_taking(name: str) -> bool:
    """Whether a function of C that nobody knows is named like one that keeps or ends what it is passed."""
    words = words_of(name)
    return any(word in _TAKING or word in _RELEASING or word in _ENDINGS for word in words)


_INSERTING = frozenset(("add", "append", "attach", "enqueue", "insert", "link", "prepend", "publish", "push", "queue", "register"))


def is_inserting(name: str) -> bool:
    """Whether a function of C that nobody knows is named like one that puts an object into a collection."""
    words = words_of(name.lower() if name.isupper() else name)
    return not _INSERTING.isdisjoint(words) and not is_releaser(name)


def family(name: str) -> tuple[str, ...]:
    """What a release would be called if a function were a maker (`list_free` for `list_new`); none where it is named otherwise."""
    head, _, last = name.rpartition("_")
    if last not in ("new", "create", "alloc") or len(head) < 3 or name.isupper():
        return ()
    return tuple(f"{head}_{word}" for word in sorted(_RELEASERS))


def block_family(name: str) -> tuple[str, ...]:
    """What would free a block of a function named like an allocator of the C library (`zfree` for `zmalloc` and `zstrdup`)."""
    ending = next((each for each in _ALLOCATORS if name.endswith(each)), "")
    head = name.removesuffix(ending)
    return (f"{head}free",) if ending and head and not name.isupper() else ()


def endings(name: str) -> tuple[str, ...]:
    """What would end what `x_init` or `init_x` begins; none of other names."""
    if name.isupper():
        return ()
    head, _, last = name.rpartition("_")
    first, _, tail = name.partition("_")
    if last == "init" and len(head) > 1:
        return tuple(f"{head}_{word}" for word in sorted(FINAL))
    return tuple(f"{word}_{tail}" for word in sorted(FINAL)) if first == "init" and len(tail) > 1 else ()


def is_const_pointer(parameter: str) -> bool:
    """Whether a parameter of C points to what the callee does not change (`const char *`)."""
    pointee, star, _ = parameter.rpartition("*")
    return bool(star) and "*" not in pointee and "const" in pointee.split()
