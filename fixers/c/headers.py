"""Which system header declares a release, and whether a file includes it, itself or through the repository's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from analyzers import Program
from analyzers.specs import Release
from fixers.draft import Draft

HEADERS = {
    "free": "stdlib.h", "fclose": "stdio.h", "pclose": "stdio.h", "close": "unistd.h", "closedir": "dirent.h",
    "munmap": "sys/mman.h", "freeaddrinfo": "netdb.h", "dlclose": "dlfcn.h", "regfree": "regex.h",
    "globfree": "glob.h", "freeifaddrs": "ifaddrs.h", "gzclose": "zlib.h", "iconv_close": "iconv.h",
    "if_freenameindex": "net/if.h", "mq_close": "mqueue.h",
}
"""Function to header, for releases of the C library and its neighbours."""

_NEIGHBOURS = {
    "stdlib.h": ("malloc", "calloc", "realloc", "exit", "getenv", "atoi", "strtol", "strtoul", "abort", "qsort", "mkstemp"),
    "stdio.h": ("fopen", "fdopen", "popen", "tmpfile", "fgets", "fprintf", "printf", "snprintf", "perror", "fflush"),
    "unistd.h": ("read", "write", "unlink", "pipe", "dup", "dup2", "lseek", "fork", "getpid", "ftruncate", "fsync"),
    "dirent.h": ("opendir", "fdopendir", "readdir"),
    "sys/mman.h": ("mmap", "mprotect", "madvise"),
    "netdb.h": ("getaddrinfo", "gai_strerror", "getnameinfo"),
    "dlfcn.h": ("dlopen", "dlsym", "dlerror"),
    "regex.h": ("regcomp", "regexec"),
    "glob.h": ("glob",),
    "ifaddrs.h": ("getifaddrs",),
}
"""Header to other functions of it: a file that calls them has it by some way."""

_CERTAIN = frozenset(("stdio.h", "stdlib.h"))
"""Headers that come with every C library: what they declare is there once they are included."""

_APART = re.compile(rb"//[^\n]*|/\*.*?(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", re.DOTALL)
"""Comments, and texts that may look as if they held one."""

_MAX_HEADERS = 200

_FEWEST = 2
"""Headers that have to stand in order for that to be meant."""


def includes(data: bytes) -> list[tuple[str, int]]:
    """(header, end of its line) of the `#include`s of a file, in order."""
    return [
        (words[len(b"include") :].strip().strip(b'<>"').decode("utf-8", "replace"), end)
        for words, end in _directives(data) if words.startswith(b"include")
    ]


def _directives(data: bytes) -> Iterator[tuple[bytes, int]]:
    """The directives of the preprocessor outside of comments: their words, and where their lines end."""
    plain = _APART.sub(lambda found: re.sub(rb"[^\r\n]", b" ", found[0]) if found[0].startswith(b"/") else found[0], data)
    offset = 0
    for line in plain.splitlines(keepends=True):
        offset += len(line)
        words = line.strip()
        if words.startswith(b"#"):
            yield words[1:].strip(), offset


def is_included(program: Program, path: str, header: str) -> bool:
    """Whether a system header is included by the file, or by a header of the tree that it includes."""
    return any(name == header for each in (path, *reachable(program, path)) for name, _ in includes(program.source(each)))


def reachable(program: Program, path: str) -> Iterator[str]:
    """The headers of the tree that a file includes, directly or through others, as far as their names tell."""
    by_name: dict[str, list[str]] = {}
    for each in program.paths():
        if each.endswith(".h"):
            by_name.setdefault(each.rpartition("/")[2], []).append(each)
    pending = [path]
    seen = {path}
    while pending and len(seen) < _MAX_HEADERS:
        for name, _ in includes(program.source(pending.pop())):
            for other in by_name.get(name.rpartition("/")[2], ()):
                if other not in seen and other.endswith(name.lstrip("./")):
                    seen.add(other)
                    pending.append(other)
                    yield other


def missing_header(
    program: Program, path: str, releases: Sequence[Release], known: frozenset[str]
) -> str:
    """The header that the file needs for the preferred release; empty where it has it, or nobody knows."""
    call = releases[0].call if releases else ""
    header = HEADERS.get(call, "")
    if not header or call in known or is_included(program, path, header):
        return ""
    return "" if _has_neighbour(program, path, header, known) else header


def _has_neighbour(program: Program, path: str, header: str, known: frozenset[str]) -> bool:
    """Whether a file names other functions of a header that nothing in the tree declares: it has the header through
    one that the tree does not hold."""
    return any(
        name in known and program.prototype(path, name) is None and not program.functions(path, name)
        and not program.macro(path, name)
        for name in _NEIGHBOURS.get(header, ())
    )


def is_certain(program: Program, path: str, header: str, before: int) -> bool:
    """Whether including a header above an offset of a file surely declares what is in it: every C library has it, no condition keeps it away, and
    the file declares nothing of it by hand, which may be something else there."""
    unit = program.unit(path)
    names = {each.name for named in (unit.prototypes, unit.types) for each in named} if unit is not None else set[str]()
    is_by_hand = not names.isdisjoint((*_NEIGHBOURS.get(header, ()), "size_t", "FILE"))
    return header in _CERTAIN and not is_by_hand and unconditional(program.source(path), before) >= 0


def include(draft: Draft, header: str, before: int) -> None:
    """Include a system header behind the last one that the file includes above an offset, in every way to compile it if there is one."""
    above = [at for _, at in includes(draft.data) if at <= before]
    place = unconditional(draft.data, before)
    at = _in_order(draft.data, place, header) if place >= 0 else above[-1] if above else 0
    draft.insert(at, f"#include <{header}>\n")


def _in_order(data: bytes, end: int, header: str) -> int:
    """Where a system header goes among the lines of them that end at an offset: in order, where they stand in order."""
    lines: list[tuple[str, int]] = []
    start = end
    while start:
        above = data.rfind(b"\n", 0, start - 1) + 1
        words = "".join(data[above:start].decode("utf-8", "replace").split())
        if not words.startswith("#include<"):
            break
        lines.append((words, above))
        start = above
    names = [words for words, _ in lines]
    if len(names) < _FEWEST or names != sorted(names, reverse=True):
        return end
    return next((at for words, at in lines[::-1] if words > f"#include<{header}>"), end)


def unconditional(data: bytes, before: int) -> int:
    """Where the last `#include` above an offset ends that is under no condition of the preprocessor; -1 for none."""
    found, depth = -1, 0
    for words, end in _directives(data):
        if end > before:
            break
        depth += words.startswith(b"if") - words.startswith(b"endif")
        if not depth and words.startswith(b"include"):
            found = end
    return found
