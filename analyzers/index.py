"""Which files can say something about a name: a tokeniser over the whole tree, without parsing.

A screen, not an answer: it names too many files where comments, macros or odd layout look like a declaration; whoever asks
looks into the units of those files. Reports too much when a word is common; misses declarations whose
parameter list nests parentheses more than four deep or whose name a macro pastes together.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set

import msgspec

WORD = "w"
"""Kind of an item: the file mentions the word at all."""
TYPE = "t"
"""A class, interface, enum or record of Java; a struct, union, enum tag or typedef of C."""
SUPERTYPE = "s"
"""Something in the file extends, implements or anonymously subclasses a type of this simple name, as constants of an enum may do."""
FUNCTION = "f"
"""A definition of a function of C."""
PROTOTYPE = "p"
"""A declaration of a function of C."""
MACRO = "m"
"""A `#define`."""
ENUMERATOR = "e"
"""An enumerator of C."""
STORED = "v"
"""A plain name is assigned to, or initialises, a variable or field of this name."""
GLOBAL = "g"
"""A file-level variable of C."""
CONSTANT = "k"
"""A file static of C that is never written: known of lowered files only."""
RESULT = "r"
"""A function of C that always returns one constant: known of lowered files only."""
INITIAL = "i"
"""A variable of C that its file gives a first value and no other: known of lowered files only."""
RETURNING = "q"
"""A name of C that the file uses like a macro that returns: known of lowered files only."""
CLOSED = "c"
"""A body of Java closes something of a type that is written with this simple name: known of lowered files only."""
HEADER = "h"
"""A file of this base name, which an `#include` may mean."""
MEMBER = "b"
"""A member of a struct of C."""
INITIALISED = "n"
"""A variable of this type of C has an initialiser in braces."""

KINDS = (TYPE, SUPERTYPE, FUNCTION, PROTOTYPE, MACRO, ENUMERATOR, STORED, GLOBAL, MEMBER, INITIALISED)
"""The kinds that the index lists files for, by name."""

_BLANK = re.compile(
    rb'"""(?:\\.|[^\\])*?"""|/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL
)
_WORD = re.compile(rb"(?<![\w$\x80-\xff])[A-Za-z_$\x80-\xff][\w$\x80-\xff]*+")
_IN_WORDS = re.compile(rb"[\w$\x80-\xff]")
_APART = bytes(each if _IN_WORDS.match(bytes((each,))) else 32 for each in range(256))
"""Leaves nothing but words and numbers of a text, with blanks between."""

_NESTED = rb"[^()]*+"
for _ in range(4):
    _NESTED = rb"(?:[^()]++|\(" + _NESTED + rb"\))*+"

_JAVA_TYPE = re.compile(rb"\b(?:class|interface|enum|record)\s+([\w$\x80-\xff]+)")
_JAVA_ENUM = re.compile(rb"\benum\s+([\w$\x80-\xff]+)")
_JAVA_SUPER = re.compile(rb"\b(?:extends|implements)\b([^{;]*)")
_JAVA_ANONYMOUS = re.compile(
    rb"\bnew\s+(?:[\w$\x80-\xff]+\s*\.\s*)*([\w$\x80-\xff]+)\s*(?:<[^;(){}]*>)?\s*\(" + _NESTED + rb"\)\s*\{"
)
_C_MACRO = re.compile(rb"(?m)^[ \t]*#[ \t]*define[ \t]+(\w+)")
# A pattern that begins with a letter is searched for by that: so what must not stand before it is asked behind it.
_C_TAG = re.compile(rb"(?:struct(?<!\wstruct)|union(?<!\wunion)|enum(?<!\wenum))\b([^;{}=,]*)\{")
_C_TYPEDEF = re.compile(rb"typedef(?<!\wtypedef)\b([^;{]*);")
_C_CLOSING = re.compile(rb"\}([^;{}=]*);")
_C_ENUM = re.compile(rb"enum(?<!\wenum)\b[^;{}()=,]*\{([^}]*)\}")
_C_FUNCTION = re.compile(
    rb"(?m)(?:\b(\w++)[\s*]++|\*|\)\s*+|^)([A-Za-z_]\w*+)\s*+\(" + _NESTED + rb"\)\s*+(?=([{;A-Za-z_#\[]))"
)
_C_WRAPPED = re.compile(
    rb"(?m)^(?:static[ \t]++)?[A-Za-z_]\w*+\([\w \t*]++\)\s++([A-Za-z_]\w*+)\s*+\(" + _NESTED + rb"\)\s*+(?=([{;]))"
)
"""A function whose type a macro wraps: `API(char *) name(int n)`."""
_C_STORED = re.compile(
    rb"\b(\w++)(?:\s*+\[[^\]\n]*+\])*+\s*+=\s*+(?:\([^()\n]*+\)\s*+)?&?\s*+[A-Za-z_]\w*+\s*+[;,})]"
)
_C_TABLE = re.compile(
    rb"\b(\w++)(?:\s*+\[[^\]\n]*+\])++\s*+(?:\)\s*+\([^()]*+\)\s*+)?=\s*+\{\s*+(?:\[[^\]\n]*+\]\s*+=\s*+)?&?[A-Za-z_]\w*+\s*+[,}]"
)
"""An array that begins with names: `handlers[] = { on_start, on_end }`."""
_C_STRUCT = re.compile(rb"(?:struct(?<!\wstruct)|union(?<!\wunion))\b[^;{}()=,]*+\{((?:[^{}]++|\{(?:[^{}]++|\{[^{}]*+\})*+\})*+)\}")
_C_MEMBER = re.compile(rb"(\w++)\s*+(?:\[[^\]]*+\]\s*+)*+[;,:]|\(\s*+\*\s*+(\w++)\s*+(?:\[[^\]]*+\]\s*+)*+\)\s*+\(")
_C_INITIALISED = re.compile(rb"\b(\w++)[\s*]++\w++\s*+(?:\[[^\]\n]*+\]\s*+)*+=\s*+\{")
_C_EXTERN = re.compile(rb"extern(?<!\wextern)\b([^;(){}]*);")
_C_INCLUDE = re.compile(rb'(?m)^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]')
_C_NOT_BEFORE = frozenset((b"return", b"else", b"goto", b"case", b"sizeof", b"do", b"define"))
_C_KEYWORDS = frozenset((b"if", b"while", b"for", b"switch", b"return", b"sizeof", b"defined", b"else", b"do"))
_LOOKED_AT = frozenset((TYPE, PROTOTYPE))
"""Kinds of which a file that is listed for nothing changes no answer."""

MAX_SEARCHES = 60
"""Words that are searched for one by one."""


class BlobIndex(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What one blob can say: `kind + name` of what it may declare, sorted; what it includes, as written; all its
    words, each between two line feeds."""

    items: tuple[str, ...]
    includes: tuple[str, ...]
    words: str


def simple_name(name: str) -> str:
    """The last part of a type's name: `Inner` of `pkg.Outer$Inner`, `s` of `struct s`, `T` of `T<X>`."""
    return name.partition("<")[0].replace("$", ".").replace(" ", ".").rpartition(".")[2]


def _names(found: set[bytes]) -> list[str]:
    if not found:
        return []
    return sorted(b"\n".join(found).decode("utf-8", "replace").split("\n"))


def _words_of(texts: Iterable[bytes]) -> set[bytes]:
    return {word for text in texts for word in _WORD.findall(text)}


def _java_items(text: bytes) -> Iterator[tuple[str, set[bytes]]]:
    yield TYPE, set(_JAVA_TYPE.findall(text))
    anonymous = {*_JAVA_ANONYMOUS.findall(text), *_JAVA_ENUM.findall(text)}
    yield SUPERTYPE, _words_of(_JAVA_SUPER.findall(text)) | anonymous


def _c_items(text: bytes) -> Iterator[tuple[str, set[bytes]]]:
    yield MACRO, set(_C_MACRO.findall(text))
    yield TYPE, _words_of((*_C_TAG.findall(text), *_C_TYPEDEF.findall(text), *_C_CLOSING.findall(text)))
    yield ENUMERATOR, _words_of(_C_ENUM.findall(text))
    defined: set[bytes] = set()
    declared: set[bytes] = set()
    for before, name, after in _C_FUNCTION.findall(text):
        if name in _C_KEYWORDS or before in _C_NOT_BEFORE:
            continue
        if after != b";":
            defined.add(name)
        if after != b"{":
            declared.add(name)
    for name, after in _C_WRAPPED.findall(text):
        (declared if after == b";" else defined).add(name)
    yield FUNCTION, defined
    yield PROTOTYPE, declared
    yield GLOBAL, _words_of(_C_EXTERN.findall(text))
    yield STORED, {*_C_STORED.findall(text), *_C_TABLE.findall(text)}
    yield MEMBER, {name for body in _C_STRUCT.findall(text) for pair in _C_MEMBER.findall(body) for name in pair if name}
    yield INITIALISED, set(_C_INITIALISED.findall(text))


def index_blob(language: str, data: bytes) -> BlobIndex:
    """The index of one blob. Takes any bytes."""
    text = _BLANK.sub(b" ", data)
    words = {word for word in set(text.translate(_APART).split()) if not 48 <= word[0] <= 57}
    kinds = _java_items(text) if language == "java" else _c_items(text)
    items = [kind + name for kind, found in kinds for name in _names(found)]
    includes = tuple(_names(set(_C_INCLUDE.findall(data)))) if language == "c" else ()
    return BlobIndex(tuple(sorted(items)), includes, "\n" + "\n".join(_names(words)) + "\n")


def index_beside(known: BlobIndex, words: Set[str], before: BlobIndex, new: bytes) -> BlobIndex | None:
    """The index of a blob of C in which one function reads `new`, of which `before` is the index as it was; `known` and `words` are what the
    blob said with that. None where it has to be made of all of the blob: something is said no more that may be said elsewhere, or not all of
    what was said of the function was seen in it. Types and declarations stay listed: whoever asks for these looks into the file."""
    after = index_blob("c", new)
    if before.includes or after.includes:
        return None
    items, named, naming = {*before.items}, {*before.words.split()}, {*after.words.split()}
    if not all(each[0] in _LOOKED_AT for each in items.difference(after.items)) or not named <= naming:
        return None
    if not items.issubset(known.items) or not named <= words:
        return None
    added = "".join(f"{word}\n" for word in sorted(naming - words))
    return BlobIndex(tuple(sorted({*known.items, *after.items})), known.includes, (known.words or "\n") + added)


class TreeIndex:
    """The indexes of all blobs of a tree, turned round: item or word to paths.

    Words are searched for; past `MAX_SEARCHES` of them they are turned round, too.
    """

    def __init__(self, blobs: Iterable[tuple[str, BlobIndex]], words: Callable[[], Sequence[tuple[str, str]]]) -> None:
        self._find_words = words
        self._texts: Sequence[tuple[str, str]] = ()
        self._items: dict[str, list[str]] = {}
        self._searches = 0
        self._words: dict[str, list[str]] = {}
        self._includes: dict[str, tuple[str, ...]] = {}
        for path, blob in blobs:
            for item in blob.items:
                self._items.setdefault(item, []).append(path)
            if blob.includes:
                self._includes[path] = blob.includes
            if path.endswith(".h"):
                self._items.setdefault(HEADER + path.rpartition("/")[2], []).append(path)

    def paths(self, kind: str, name: str) -> tuple[str, ...]:
        """The paths, sorted, of the files that can say something of this kind about a name."""
        if kind != WORD:
            return tuple(self._items.get(kind + name, ()))
        self._texts = self._texts or self._find_words()
        self._searches += 1
        if self._searches <= MAX_SEARCHES:
            between = f"\n{name}\n"
            return tuple(path for path, words in self._texts if between in words)
        if not self._words:
            for path, words in self._texts:
                for word in words.split():
                    self._words.setdefault(word, []).append(path)
        return tuple(self._words.get(name, ()))

    def listed(self, name: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """(kind, paths) for every kind of which some file can say something about a name."""
        found = ((kind, self.paths(kind, name)) for kind in KINDS)
        return tuple((kind, paths) for kind, paths in found if paths)

    def includes(self, path: str) -> tuple[str, ...]:
        """What a file of C includes, as written; `.c` files among it too."""
        return self._includes.get(path, ())

    def with_changes(self, changed: Set[str], added: TreeIndex) -> TreeIndex:
        """The index of a nearby tree: without the changed paths, with what is there now."""
        return _ChangedIndex(self, changed, added)


class _ChangedIndex(TreeIndex):
    """A few files laid over the index of another tree."""

    def __init__(self, below: TreeIndex, changed: Set[str], added: TreeIndex) -> None:
        super().__init__((), tuple)
        self._below = below
        self._changed = changed
        self._added = added

    def paths(self, kind: str, name: str) -> tuple[str, ...]:
        """See `TreeIndex`."""
        kept = [path for path in self._below.paths(kind, name) if path not in self._changed]
        added = self._added.paths(kind, name)
        return tuple(sorted((*kept, *added))) if added else tuple(kept)

    def includes(self, path: str) -> tuple[str, ...]:
        """See `TreeIndex`."""
        return self._added.includes(path) if path in self._changed else self._below.includes(path)
