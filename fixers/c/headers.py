"""Which system header declares a release, and whether a file includes it, itself or through the repository's."""

from __future__ import annotations

from collections.abc import Sequence

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

_MAX_HEADERS = 200


def includes(data: bytes) -> list[tuple[str, int]]:
    """(header, end of its line) of the `#include`s of a file, in order."""
    found = []
    offset = 0
    for line in data.splitlines(keepends=True):
        words = line.split(b"//")[0].strip()
        if words.startswith(b"#") and words[1:].lstrip().startswith(b"include"):
            name = words[1:].lstrip()[len(b"include") :].strip().strip(b'<>"')
            found.append((name.decode("utf-8", "replace"), offset + len(line)))
        offset += len(line)
    return found


def is_included(program: Program, path: str, data: bytes, header: str) -> bool:
    """Whether a system header is included by the file, or by a header of the tree that it includes."""
    by_name: dict[str, list[str]] = {}
    for each in program.paths():
        if each.endswith(".h"):
            by_name.setdefault(each.rpartition("/")[2], []).append(each)
    pending = [data]
    seen: set[str] = set()
    while pending and len(seen) < _MAX_HEADERS:
        for name, _ in includes(pending.pop()):
            if name == header:
                return True
            for other in by_name.get(name.rpartition("/")[2], ()):
                if other not in seen and other.endswith(name.lstrip("./")):
                    seen.add(other)
                    pending.append(program.source(other))
    return False


def missing_header(
    program: Program, path: str, data: bytes, releases: Sequence[Release], known: frozenset[str]
) -> str:
    """The header that the file needs for the preferred release; empty where it has it, or nobody knows."""
    call = releases[0].call if releases else ""
    header = HEADERS.get(call, "")
    if not header or call in known or is_included(program, path, data, header):
        return ""
    return header


def include(draft: Draft, header: str) -> None:
    """Include a system header behind the last one that the file includes."""
    found = includes(draft.data)
    at = found[-1][1] if found else 0
    draft.insert(at, f"#include <{header}>\n")
