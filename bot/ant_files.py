"""What build files of Ant say of the Java release, with the files that they import and those of properties that they name.

Of several compilations the lowest counts, since nobody knows which one a source belongs to. Takes what no target was asked for, too.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator

PROPERTIES = ("build.properties", "default.properties", "project.properties")
"""How files of properties are called that those of Ant read."""

_OF_NETBEANS = "nbproject/project.properties"
"""Where the properties are of a project whose build file only imports what an editor wrote, or what other projects use, too."""

_OF_BUNDLES = "build.properties"
"""Where the properties are of a bundle that Eclipse builds."""

_TAG = re.compile(r"<(javac|property|import|include)\b([^<>]*)>")
_ATTRIBUTE = re.compile(r"\b(name|value|file|release|source|target)\s*=\s*[\"']([^\"']*)[\"']")
_ASSIGNED = re.compile(r"^[ \t]*([\w.-]+)[ \t]*[=:][ \t]*(\S+)[ \t]*$", re.MULTILINE)
_REFERENCES = 3
"""So many steps a property may be away from its value."""

_IMPORTED = 12
"""So many files are read at most that one imports, or that these import."""


def uncommented(text: str) -> str:
    """A text of XML without its comments."""
    before, *commented = text.split("<!--")
    return before + "".join(each.partition("-->")[2] for each in commented)


def release_number(written: str) -> int:
    """The release of `1.8`, `1_8` or `8`; 0 where it is none."""
    number = written.replace("_", ".").removeprefix("1.").partition(".")[0]
    return int(number) if number.isascii() and number.isdigit() and len(number) < 3 else 0


def assigned(text: str) -> dict[str, str]:
    """What a file of properties gives its names."""
    return dict(_ASSIGNED.findall(text))


def release_of_ant(text: str, read: Callable[[str], str]) -> int:
    """The lowest of the releases that the compilations are for: `release`, or what their sources are written in. The first value of a
    property holds, as in Ant. Takes time in proportion to the texts, whatever these are."""
    tags = list(_tags(text, read, "", set()))
    properties: dict[str, str] = {}
    for kind, attributes in tags:
        if kind == "property" and {"name", "value"} <= attributes.keys():
            properties.setdefault(attributes["name"], attributes["value"])
        elif kind == "property" and "file" in attributes:
            for name, value in assigned(read(_value(attributes["file"], properties))).items():
                properties.setdefault(name, value)
    found = []
    for kind, attributes in tags:
        if kind == "javac":
            written = attributes.get("release") or attributes.get("source") or attributes.get("target") or ""
            for _ in range(_REFERENCES):  # One property may be that of another.
                written = properties.get(written[2:-1], "") if written.startswith("${") else written
            found.append(release_number(written))
    if not any(found):
        given = assigned(read(_OF_NETBEANS)) or assigned(read(_OF_BUNDLES))
        found.append(release_number(given.get("javac.release") or given.get("javac.source") or given.get("javac.target") or given.get("javacSource") or ""))
    return min((each for each in found if each), default=0)


def _tags(text: str, read: Callable[[str], str], folder: str, seen: set[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """The tags of a file, with those of what it imports in their place. `folder`: where the file lies, from the first one."""
    for kind, words in _TAG.findall(uncommented(text)):
        attributes = dict(_ATTRIBUTE.findall(words))
        if kind in ("javac", "property"):
            yield kind, attributes
            continue
        name = attributes.get("file", "")
        name = name if name.startswith("${") else posixpath.join(folder, name)
        if name and name not in seen and len(seen) < _IMPORTED:
            seen.add(name)
            yield from _tags(read(name), read, posixpath.dirname(name), seen)


_REFERENCE = re.compile(r"\$\{([\w.-]+)\}")


def _value(words: str, properties: dict[str, str]) -> str:
    """Words with the properties in them that are known."""
    for _ in range(_REFERENCES):
        words = _REFERENCE.sub(lambda found: properties.get(found[1], found[0]), words)
    return words
