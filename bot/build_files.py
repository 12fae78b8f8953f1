"""What build files say of a project: the Java release that its code is written for.

Reads `pom.xml`, Gradle scripts, Ant's `build.xml` and the manifests of Android as text, never runs them. Sources that need a newer
release than these say are believed instead. Of Ant its files of properties are read as well, of Gradle the scripts that one applies. Where a project of Maven leaves that to a parent outside of the tree, its sources alone tell:
none that needs more than Java 6 is taken for a project of that, which a newer one without such sources is, too. Misses releases that Gradle's file of
properties sets; of several compilations of one file of Ant the lowest counts, since nobody knows which one a source belongs to. What Maven
compiles of single files alone (`module-info.java`) says nothing of the others.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Sequence

from analyzers.tree import Tree
from fixers.tree import parse_file

_SAID = r"\s*([\d.]+|\$\{[\w.-]+\})\s*<"
"""A release, or the property that holds it."""

_POM = tuple(
    re.compile(each + _SAID)
    for each in (  # The last but one: what parents in wide use ask for it.
        "<maven\\.compiler\\.release>", "<release>", "<maven\\.compiler\\.(?:target|source)>", "<(?:java(?:\\.v|V)ersion|java\\.level|mojo\\.java\\.target|maven\\.compile\\.(?:target|source))>", "<(?:target|source)>",
    )
)
_GRADLE = (
    re.compile(r"\brelease(?:\.set\(|\s*=)\s*(\d+)"),
    re.compile(r"\b(?:target|source)Compatibility\s*=?\s*(?:JavaVersion\.VERSION_)?[\"']?(\d+(?:[._]\d+)?)"),
    re.compile(r"JavaLanguageVersion\.of\(\s*\"?(\d+)"),
)
"""What is said first counts: a compiler of a newer release (a toolchain) still compiles for what else is said."""
_PATTERNS = {"pom.xml": _POM, "build.gradle": _GRADLE, "build.gradle.kts": _GRADLE, "build.xml": ()}

_APPLIED = re.compile(r"\bapply(?:\s+|\(\s*)from\s*[:=]\s*(?:(?:\w+\.)?file\(\s*)?[\"'](?:\$\{?\w+(?:\.\w+)*\}?/)?([^\"'$]+)[\"']")
"""A script that another one of Gradle runs, below its own folder, that of a project or the outermost one."""

MANIFEST = "AndroidManifest.xml"

_PROPERTIES = ("build.properties", "default.properties", "project.properties")
"""How files of properties are called that those of Ant read."""

_OF_NETBEANS = "nbproject/project.properties"
"""Where the properties are of a project whose build file only imports what an editor wrote, or what other projects use, too."""

BUILD_FILES = (*_PATTERNS, MANIFEST, *_PROPERTIES)
"""How build files that are read are called."""

SCRIPTS = (".gradle", ".gradle.kts")
"""How the names of Gradle's scripts end, which others apply."""

_OLDEST_DEVICE = re.compile(r"\bandroid:minSdkVersion\s*=\s*[\"'](\d+)[\"']")
_OLDEST_SUPPORTED = re.compile(r"\bminSdk(?:Version)?\s*[=(]?\s*(\d+)")
_CLOSING_DEVICES = 19
"""The level of Android from which on devices know what a `try` with resources needs."""
_CLOSING_RELEASE = 7
"""The Java release that brought it."""
_BEFORE_CLOSING = _CLOSING_RELEASE - 1

_LOOKED_AT = 8
"""So many files of a folder are asked for a newer release than its build file says."""

_SAMPLE = 60
"""So many sources of a project are asked at most, or somewhat more."""

_NEWER = ("<>", "->", "::", "try (", "try(", " | ", "var ", "record ", '"""')
"""What a source has, among others, that needs a newer release."""

_PARENT = re.compile(r"<parent>.*?<artifactId>\s*([^<\s]+)\s*<.*?</parent>", re.DOTALL)
_ARTIFACT = re.compile(r"<artifactId>\s*([^<\s]+)\s*<")

_TAG = re.compile(r"<(javac|property)\b([^<>]*)>")
_ATTRIBUTE = re.compile(r"\b(name|value|file|release|source|target)\s*=\s*[\"']([^\"']*)[\"']")
_ASSIGNED = re.compile(r"^[ \t]*([\w.-]+)[ \t]*[=:][ \t]*(\S+)[ \t]*$", re.MULTILINE)
_REFERENCES = 3
"""So many steps a property may be away from its value."""


class BuildFiles:
    """The build files of a tree, each read once."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._names = {path for path, _ in tree.paths() if path.rpartition("/")[2] in BUILD_FILES}
        self._releases: dict[str, int] = {}
        self._needed: dict[str, int] = {}
        self._left: dict[str, int] = {}

    def java_release(self, path: str) -> int:
        """The release that the nearest build file above a file says; where none does, that of the oldest devices that a manifest names; 0
        where there is neither."""
        said = self._nearest(path, tuple(_PATTERNS))
        if 0 < said < _CLOSING_RELEASE:
            return max(said, self._needed_beside(path))
        return said or self._nearest(path, (MANIFEST,)) or self._of_devices(path)

    def _of_devices(self, path: str) -> int:
        """The last release before headers, where the nearest script of Gradle that names devices names older ones than know them; else 0. Where
        it says a release, headers are rewritten for them."""
        scripts = [f"{folder}{name}" for folder in _folders(path) for name in _PATTERNS if name.startswith("build.gradle") and f"{folder}{name}" in self._names]
        oldest = next((int(found[1]) for each in scripts if (found := _OLDEST_SUPPORTED.search(self._text(each)))), _CLOSING_DEVICES)
        if oldest >= _CLOSING_DEVICES:
            return 0
        needed = self._needed_beside(path)  # Java 7 has much that old devices run, but for headers.
        return needed if needed > _CLOSING_RELEASE else _BEFORE_CLOSING

    def patch_release(self, path: str) -> int:
        """The release that a patch of a file keeps to: what is said of it, or what the sources show where somebody unknown says it."""
        return self.java_release(path) or self._left_to_parent(path)

    def _left_to_parent(self, path: str) -> int:
        """The last release before headers, where the project above a file leaves the release to a parent outside of the tree and none of
        its sources needs a newer one; else 0."""
        above = [folder for folder in _folders(path) if f"{folder}pom.xml" in self._names]
        if not above or above[0] in self._left:
            return self._left[above[0]] if above else 0
        texts = [_uncommented(self._text(f"{each}pom.xml")) for each in above]
        wanted, found = _PARENT.search(texts[0]), 0
        for text in texts[1:]:
            own = _ARTIFACT.search(_PARENT.sub("", text))
            if wanted is not None and own is not None and own[1] == wanted[1]:
                wanted = _PARENT.search(text)
        if wanted is not None and self._needed_below(above[0]) < _CLOSING_RELEASE:
            found = _BEFORE_CLOSING
        self._left[above[0]] = found
        return found

    def _needed_below(self, folder: str) -> int:
        """The release that one of the sources of a project cannot do without, as soon as one needs headers; of many every so many-th is asked.
        Projects that lie among its sources, for tests to build, say nothing."""
        others = tuple(each.removesuffix("pom.xml") for each in self._names if each.startswith(f"{folder}src/") and each.endswith("/pom.xml"))
        below = sorted(each for each, _ in self._tree.paths() if each.startswith(folder) and each.endswith(".java") and not each.startswith(others))
        for path in below[:: len(below) // _SAMPLE + 1]:
            if any(each in self._text(path) for each in _NEWER) and (needed := self._release_needed(path)) >= _CLOSING_RELEASE:
                return needed
        return 0

    def _text(self, path: str) -> str:
        try:
            return self._tree.read(path).decode("utf-8", "replace")
        except OSError:
            return ""

    def _needed_beside(self, path: str) -> int:
        """The release that a file, or one of the first in its folder, cannot do without."""
        folder = path.rpartition("/")[0]
        if path not in self._needed:
            beside = sorted(each for each, _ in self._tree.paths() if each.rpartition("/")[0] == folder and each.endswith(".java") and each != path)
            self._needed[path] = max(map(self._release_needed, [each for each in (path, *beside[:_LOOKED_AT]) if each]), default=0)
        return self._needed[path]

    def _release_needed(self, path: str) -> int:
        from fixers.java.levels import needed_level  # with all fixers of Java, which few runs have a use for

        try:
            tree = parse_file("java", self._tree.read(path))
        except OSError:
            return 0
        return 0 if tree.errors else needed_level(tree)

    def _nearest(self, path: str, names: tuple[str, ...]) -> int:
        for folder in _folders(path):
            for name in names:
                if f"{folder}{name}" in self._names and (release := self._release(f"{folder}{name}")):
                    return release
        return 0

    def _release(self, path: str) -> int:
        if path not in self._releases:
            folder, _, name = path.rpartition("/")
            self._releases[path] = release_in(name, self._text(path), lambda other: self._text(_below(folder, other)))
        return self._releases[path]


def _folders(path: str) -> list[str]:
    """The folders around a file, the innermost first, with a slash behind each but the outermost, which is empty."""
    parts = path.split("/")[:-1]
    return ["".join(f"{each}/" for each in parts[:count]) for count in range(len(parts), -1, -1)]


def _below(folder: str, name: str) -> str:
    """The path of a file that a build file in a folder names; empty where that lies outside of the tree, or nobody knows where."""
    path = posixpath.normpath(posixpath.join(folder, name.removeprefix("${basedir}/")))
    return "" if "$" in path or path.startswith(("/", "..")) else path


def release_in(name: str, text: str, read: Callable[[str], str] = lambda _: "") -> int:
    """The Java release that the text of a build file says, 0 where it says none. `1.8` is 8. `read`: the text of a file that it names, empty
    for none."""
    if name == MANIFEST:
        oldest = _OLDEST_DEVICE.search(text)
        return _BEFORE_CLOSING if oldest and int(oldest[1]) < _CLOSING_DEVICES else 0
    if name == "build.xml":
        return _release_of_ant(text, read)
    if name == "pom.xml":
        text = _of_all(_uncommented(text))
    found = _first_of(_PATTERNS[name], text, "".join(_uncommented(read(each)) for each in _ABOVE) if name == "pom.xml" and "${" in text else "")
    if not found and name != "pom.xml":
        # What a project applies it names from its own folder, which is one below that of the script that says so.
        applied = [part for each in _APPLIED.findall(text) for part in dict.fromkeys((each, each.removeprefix("../")))]
        found = next((release for each in applied if (release := _first_of(_GRADLE, read(each)))), 0)
    return found


def _first_of(patterns: Sequence[re.Pattern[str]], text: str, above: str = "") -> int:
    """The first release that one of some patterns finds; a property of Maven's stands for what the same file, or those above, give it."""
    for match in (found for each in patterns for found in each.finditer(text)):
        said = match[1]
        for _ in range(_REFERENCES):
            name = said[2:-1] if said.startswith("${") else ""
            value = re.search(f"<{re.escape(name)}>{_SAID}", text + above) if name and name not in _OF_PROJECTS else None
            said = value[1] if value else said
        if number := _number(said):
            return number
    return 0


_OF_PROJECTS = ("version", "project.version")
"""Properties that say no release of Java."""

_ABOVE = ("../pom.xml", "../../pom.xml")
"""Where the projects lie of which those of Maven have their properties, mostly."""


def _uncommented(text: str) -> str:
    before, *commented = text.split("<!--")
    return before + "".join(each.partition("-->")[2] for each in commented)


def _of_all(text: str) -> str:
    """The text of a file of Maven without what it runs for single files, or for the users of newer releases alone."""
    before, *runs = text.split("<execution>")
    parts = [before]
    for each in runs:
        run, end, behind = each.partition("</execution>")
        parts += [behind] if "<include>" in run or "<multiReleaseOutput>" in run else [run, end, behind]
    return "".join(parts)


def _number(written: str) -> int:
    number = written.replace("_", ".").removeprefix("1.").partition(".")[0]
    return int(number) if number.isdigit() else 0


def _release_of_ant(text: str, read: Callable[[str], str]) -> int:
    """The lowest of the releases that the compilations are for: `release`, or what their sources are written in. The first value of a
    property holds, as in Ant. Takes time in proportion to the text, whatever that is."""
    text = _uncommented(text)
    tags = [(kind, dict(_ATTRIBUTE.findall(words))) for kind, words in _TAG.findall(text)]
    properties: dict[str, str] = {}
    for kind, attributes in tags:
        if kind == "property" and {"name", "value"} <= attributes.keys():
            properties.setdefault(attributes["name"], attributes["value"])
        elif kind == "property" and "file" in attributes:
            for name, value in _ASSIGNED.findall(read(attributes["file"])):
                properties.setdefault(name, value)
    found = []
    for kind, attributes in tags:
        if kind == "javac":
            written = attributes.get("release") or attributes.get("source") or attributes.get("target") or ""
            for _ in range(_REFERENCES):  # One property may be that of another.
                written = properties.get(written[2:-1], "") if written.startswith("${") else written
            found.append(_number(written))
    if not found:
        given = dict(_ASSIGNED.findall(read(_OF_NETBEANS)))
        found.append(_number(given.get("javac.release") or given.get("javac.source") or given.get("javac.target") or ""))
    return min((each for each in found if each), default=0)
