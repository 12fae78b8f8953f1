"""What build files say of a project: the Java release that its code is written for.

Reads `pom.xml` and Gradle scripts as text, never runs them. Misses releases that a variable or a parent project sets.
"""

from __future__ import annotations

import re

from analyzers.tree import Tree

_POM = (
    re.compile(r"<maven\.compiler\.release>\s*([\d.]+)\s*<"),
    re.compile(r"<release>\s*([\d.]+)\s*<"),
    re.compile(r"<maven\.compiler\.(?:target|source)>\s*([\d.]+)\s*<"),
    re.compile(r"<java\.version>\s*([\d.]+)\s*<"),
    re.compile(r"<(?:target|source)>\s*([\d.]+)\s*<"),
)
_GRADLE = (
    re.compile(r"\brelease(?:\.set\(|\s*=)\s*(\d+)"),
    re.compile(r"JavaLanguageVersion\.of\(\s*\"?(\d+)"),
    re.compile(r"\b(?:target|source)Compatibility\s*=?\s*(?:JavaVersion\.VERSION_)?[\"']?(\d+(?:[._]\d+)?)"),
)
_PATTERNS = {"pom.xml": _POM, "build.gradle": _GRADLE, "build.gradle.kts": _GRADLE}


class BuildFiles:
    """The build files of a tree, each read once."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._names = {path for path, _ in tree.paths() if path.rpartition("/")[2] in _PATTERNS}
        self._releases: dict[str, int] = {}

    def java_release(self, path: str) -> int:
        """The release that the nearest build file above a file says; 0 where none does."""
        folder = path.rpartition("/")[0]
        while True:
            for name in _PATTERNS:
                candidate = f"{folder}/{name}" if folder else name
                if candidate in self._names and (release := self._release(candidate)):
                    return release
            if not folder:
                return 0
            folder = folder.rpartition("/")[0]

    def _release(self, path: str) -> int:
        if path not in self._releases:
            try:
                text = self._tree.read(path).decode("utf-8", "replace")
            except OSError:
                text = ""
            self._releases[path] = release_in(path.rpartition("/")[2], text)
        return self._releases[path]


def release_in(name: str, text: str) -> int:
    """The Java release that the text of a build file says, 0 where it says none. `1.8` is 8."""
    for pattern in _PATTERNS[name]:
        match = pattern.search(text)
        if match:
            number = match[1].replace("_", ".").removeprefix("1.").partition(".")[0]
            return int(number) if number.isdigit() else 0
    return 0
