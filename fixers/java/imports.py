"""How a file can name a type, and where an import that it needs goes: in the order of those that are there.

Reads the head of a file line by line: comments, `package`, `import`. Misses imports behind a type (there are none in Java).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

from fixers import text
from fixers.draft import Draft

_PLAIN_PACKAGES = (
    "java.io.", "java.net.", "java.nio.channels.", "java.sql.", "java.util.zip.", "java.util.jar.", "java.security.cert.", "java.text.", "javax.xml.parsers.",
    "javax.xml.stream.", "javax.xml.transform.",
)
"""Packages without generic types."""

_PLAIN_TYPES = frozenset((
    "java.util.concurrent.ExecutorService", "java.util.concurrent.ScheduledExecutorService", "java.util.concurrent.ForkJoinPool", "java.nio.file.FileSystem",
    "java.nio.file.WatchService", "org.hibernate.Session", "javax.persistence.EntityManager", "jakarta.persistence.EntityManager",
))
_PLAIN_LIBRARIES = (
    "android.", "okhttp3.", "okio.", "org.apache.commons.", "org.apache.hc.", "org.apache.http.", "org.apache.pdfbox.", "org.apache.poi.",
    "org.eclipse.jgit.", "redis.clients.jedis.",
)
"""Libraries whose types that are closed are not generic."""

_GENERIC = {
    "java.nio.file.Files.lines": ("Stream<String>", ("java.util.stream.Stream",)),
    "java.nio.file.Files.list": ("Stream<Path>", ("java.util.stream.Stream", "java.nio.file.Path")),
    "java.nio.file.Files.walk": ("Stream<Path>", ("java.util.stream.Stream", "java.nio.file.Path")),
    "java.nio.file.Files.find": ("Stream<Path>", ("java.util.stream.Stream", "java.nio.file.Path")),
    "java.nio.file.Files.newDirectoryStream": ("DirectoryStream<Path>", ("java.nio.file.DirectoryStream", "java.nio.file.Path")),
}
"""Types of results whose parameters are known, with what they need imported."""


class TypeNames:
    """Names for types in one file, `data`. `resolve` tells what a name means there, empty where nothing."""

    def __init__(self, resolve: Callable[[str], str], data: bytes) -> None:
        self._resolve = resolve
        self._data = data
        self._wanted: dict[str, str] = {}

    def of_result(self, models: tuple[str, ...], result: str) -> str:
        """How to write the type of what a call gives; empty where that is not known well enough."""
        for name in models:
            if name in _GENERIC:
                written, needed = _GENERIC[name]
                for each in needed:
                    if not self._simple(each):
                        written = re.sub(rf"\b{each.rpartition('.')[2]}\b", each, written)
                return written
        if "$" in result or not (result.startswith(_PLAIN_PACKAGES) or result in _PLAIN_TYPES):
            return ""
        return self._simple(result) or result

    def of_library(self, name: str) -> str:
        """How to write a type that the models of a library name; empty where it may have type parameters."""
        is_plain = name in _PLAIN_TYPES or name.startswith(_PLAIN_LIBRARIES)
        return (self._simple(name) or name) if is_plain and "$" not in name else ""

    def _simple(self, name: str) -> str:
        """The simple name of a type, empty where it means another type in the file: a package that is imported whole may only have one of
        that name, and an import of the type itself comes before that."""
        simple = name.rpartition(".")[2]
        meant = self._resolve(simple)
        if meant not in ("", name) and re.search(rb"\b%s\b" % re.escape(simple.encode()), self._data):
            return ""
        if meant != name:
            self._wanted[simple] = name
        return simple

    def is_import_needed(self, written: str) -> bool:
        """Whether the file does not know some type of a text yet."""
        return not self._wanted.keys().isdisjoint(_words(written))

    def import_into(self, draft: Draft) -> None:
        """Import what the texts of a draft name and the file does not know yet."""
        words = {word for each in draft.texts() for word in _words(each)}
        for simple, name in sorted(self._wanted.items()):
            if simple in words:
                insert_import(draft, name)


def _words(written: str) -> list[str]:
    return "".join(letter if letter.isalnum() or letter in "_$" else " " for letter in written).split()


def insert_import(draft: Draft, name: str) -> None:
    """Put an import where the ones that are there would have it."""
    imports, package = _head(draft.data)
    line = f"import {name};\n"
    if not imports:
        draft.insert_in_order(text.next_line(draft.data, package) if package >= 0 else 0, f"\n{line}" if package >= 0 else f"{line}\n")
        return
    near = max(_shared(each, name) for each, _ in imports)
    group = [(each, offset) for each, offset in imports if _shared(each, name) == near]
    later = next((offset for each, offset in group if each > name), None)
    is_apart = near == 0 and (len({each.partition(".")[0] for each, _ in imports}) == 1 or _are_parted(draft.data, [offset for _, offset in imports]))
    if later is not None:
        is_first = not draft.data[text.line_start(draft.data, text.line_start(draft.data, later) - 1) : later].strip()
        draft.insert_in_order(text.line_start(draft.data, later), line + "\n" * (is_apart and is_first))
    else:
        draft.insert_in_order(text.next_line(draft.data, group[-1][1]), "\n" * is_apart + line)


def _are_parted(data: bytes, imports: list[int]) -> bool:
    """Whether blank lines stand between groups of imports."""
    return any(
        b"\n\n" in data[before:behind].replace(b"\r", b"") for before, behind in itertools.pairwise(imports)
    )


def import_caught(draft: Draft, unnamed: tuple[str, ...]) -> None:
    """Import those of some exceptions that handlers of a draft name."""
    written = " ".join(draft.texts())
    simple = {name: name.rpartition(".")[2] for name in unnamed}
    import_named(draft, tuple(
        name for name, words in simple.items() if any(each in written for each in (f"catch ({words} ", f"({words} |", f"| {words} "))
    ))


def import_named(draft: Draft, names: tuple[str, ...]) -> None:
    """Import some types, in order."""
    for name in sorted(names):
        insert_import(draft, name)


def _shared(known: str, name: str) -> int:
    """How many leading parts two names have in common."""
    pairs = zip(known.split(".")[:-1], name.split(".")[:-1], strict=False)
    return len(list(itertools.takewhile(lambda pair: pair[0] == pair[1], pairs)))


def _head(data: bytes) -> tuple[list[tuple[str, int]], int]:
    """The imports of types, with where each begins, and where the package is declared (-1: nowhere)."""
    imports: list[tuple[str, int]] = []
    package, offset, is_comment, is_broken = -1, 0, False, False
    for line in data.splitlines(keepends=True):
        words = line.strip()
        if is_comment or words.startswith(b"/*"):
            is_comment = b"*/" not in words
        elif is_broken or (words.startswith(b"import") and not words.endswith(b";") and b"//" not in words):
            is_broken = not words.endswith(b";")  # `import static` may stand on a line of its own.
        elif words.startswith(b"package "):
            package = offset
        elif words.startswith(b"import ") and words.endswith(b";"):
            if not words.startswith(b"import static "):
                imports.append((words[7:-1].strip().decode("utf-8", "replace"), offset))
        elif words and not words.startswith((b"//", b"import static ")):
            break
        offset += len(line)
    return imports, package
