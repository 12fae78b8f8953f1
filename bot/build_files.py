"""What build files say of a project: the Java release that its code is written for.

Reads `pom.xml`, Gradle scripts (`gradle_scripts.py`), Ant's `build.xml` (`ant_files.py`), the manifests of Android, and where none of these
says a release the settings of Eclipse and the manifests of bundles, as text; never runs them. Sources that need a newer release than these say
are believed instead. Where a project of Maven leaves that to a parent outside of the tree, its sources alone tell: none that needs more than
Java 6 is taken for a project of that, which a newer one without such sources is, too. What Maven compiles of single files alone
(`module-info.java`) says nothing of the others. Misses what plugins of a project's own set in code; then patches keep to what the sources show.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable

from analyzers.tree import Tree
from bot.ant_files import PROPERTIES, release_number, release_of_ant, uncommented
from bot.gradle_scripts import CATALOG, PROPERTIES_OF_GRADLE, oldest_device, release_of_gradle
from fixers.tree import parse_file

_SAID = r"\s*([\d.]+|\$\{[\w.-]+\})\s*<"
"""A release, or the property that holds it."""

_POM = tuple(
    re.compile(each + _SAID)
    for each in (  # The last but one: what parents in wide use ask for it.
        "<maven\\.compiler\\.release>", "<release>", "<maven\\.compiler\\.(?:target|source)>", "<(?:java(?:\\.v|V)ersion|java\\.level|mojo\\.java\\.target|maven\\.compile\\.(?:target|source))>", "<(?:target|source)>",
    )
)
_PATTERNS = ("pom.xml", "build.gradle", "build.gradle.kts", "build.xml")
"""The build files that say a release, those of one folder in this order."""

MANIFEST = "AndroidManifest.xml"

_PREFERENCES, _BUNDLE = ".settings/org.eclipse.jdt.core.prefs", "META-INF/MANIFEST.MF"
"""Where Eclipse keeps what its compiler goes by, and what a bundle asks of those that run it."""

_NAMES = (*_PATTERNS, MANIFEST, *PROPERTIES, PROPERTIES_OF_GRADLE, CATALOG, *(each.rpartition("/")[2] for each in (_PREFERENCES, _BUNDLE)))

BUILD_FILES = (*_NAMES, *(f"*{word}*{end}" for word in ("build", "common") for end in (".xml", ".properties")), "pom*.xml", "*parent*.xml", "*.gradle", "*.gradle.kts")
"""How build files that are read are called, those that others name with them: `*` stands for anything."""

_BUILD_FILE = re.compile("|".join(re.escape(each).replace("\\*", ".*") for each in BUILD_FILES))


def is_build_file(path: str) -> bool:
    """Whether a file may say something of the release."""
    return _BUILD_FILE.fullmatch(path.rpartition("/")[2]) is not None


_OF_PREFERENCES = re.compile(r"^org\.eclipse\.jdt\.core\.compiler\.source\s*=\s*([\d.]+)", re.MULTILINE)
_OF_BUNDLE = re.compile(r"^Bundle-RequiredExecutionEnvironment:((?:.|\n )*)", re.MULTILINE)
_ENVIRONMENT = re.compile(r"\b(?:J2SE|JavaSE)-([\d.]+)")
_OF_ECLIPSE = re.compile(r"<packaging>\s*eclipse-")
"""A project of Maven that takes the release from what Eclipse keeps."""

_OLDEST_DEVICE = re.compile(r"\bandroid:minSdkVersion\s*=\s*[\"'](\d+)[\"']")
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

_PARENT_FILE = re.compile(r"<parent>(?:(?!</parent>).)*?<relativePath>\s*([^<\s]+)\s*</relativePath>", re.DOTALL)
_PARENTS = 4
"""So many projects of Maven are asked, each the parent of the one before, by the path that says where it lies."""

_REFERENCES = 3
"""So many steps a property may be away from its value."""


class BuildFiles:
    """The build files of a tree, each read once."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._names = {path for path, _ in tree.paths() if is_build_file(path)}
        self._releases: dict[str, int] = {}
        self._needed: dict[str, int] = {}
        self._left: dict[str, int] = {}

    def java_release(self, path: str) -> int:
        """The release that the nearest build file above a file says; where none does, what Eclipse and bundles keep, or that of the oldest
        devices that a manifest names; 0 where there is neither."""
        said = self._nearest(path, _PATTERNS) or self._nearest(path, (_PREFERENCES, _BUNDLE))
        if 0 < said < _CLOSING_RELEASE:
            return max(said, self._needed_beside(path))
        return said or self._nearest(path, (MANIFEST,)) or self._of_devices(path)

    def _of_devices(self, path: str) -> int:
        """The last release before headers, where the nearest script of Gradle that names devices names older ones than know them; else 0. Where
        it says a release, headers are rewritten for them."""
        scripts = [(folder, f"{folder}{name}") for folder in _folders(path) for name in _PATTERNS if name.startswith("build.gradle") and f"{folder}{name}" in self._names]
        oldest = next((found for folder, each in scripts if (found := oldest_device(self._text(each), self._reader(folder)))), _CLOSING_DEVICES)
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
        texts = [uncommented(self._text(f"{each}pom.xml")) for each in above]
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
            folder = path.removesuffix(next(each for each in (*_PATTERNS, MANIFEST, _PREFERENCES, _BUNDLE) if path.endswith(each)))
            self._releases[path] = release_in(path.removeprefix(folder), self._text(path), self._reader(folder))
        return self._releases[path]

    def _reader(self, folder: str) -> Callable[[str], str]:
        """What gives the text of a file that a build file of a folder names."""
        return lambda other: self._text(_below(folder, other))


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
    if name == _PREFERENCES:
        said = _OF_PREFERENCES.search(text)
        return release_number(said[1]) if said else 0
    if name == _BUNDLE:
        asked = _OF_BUNDLE.search(text.replace("\r", ""))
        return min(map(release_number, _ENVIRONMENT.findall(asked[1].replace("\n ", "")) if asked else ()), default=0)
    if name == "build.xml":
        return release_of_ant(text, read)
    if name != "pom.xml":
        return release_of_gradle(text, read)
    if _OF_ECLIPSE.search(text) and (kept := next((found for each in (_BUNDLE, _PREFERENCES) if (found := release_in(each, read(each)))), 0)):
        return kept
    above = "".join(uncommented(read(each)) for each in _ABOVE) if "${" in text else ""
    folder = ""
    for _ in range(_PARENTS):
        text = _of_all(uncommented(text))
        if found := _first_of(text, above):
            return found
        named = _PARENT_FILE.search(text)
        path = posixpath.normpath(posixpath.join(folder, named[1])) if named else ""
        path = path if path.endswith(".xml") or not path else f"{path}/pom.xml"
        if path in ("", "../pom.xml"):
            return 0  # Where there is none, or who asks comes there himself.
        text, folder = read(path), posixpath.dirname(path)
    return 0


def _first_of(text: str, above: str) -> int:
    """The first release that a text of Maven says; a property stands for what the same file, or those above, give it."""
    for match in (found for each in _POM for found in each.finditer(text)):
        said = match[1]
        for _ in range(_REFERENCES):
            name = said[2:-1] if said.startswith("${") else ""
            value = re.search(f"<{re.escape(name)}>{_SAID}", text + above) if name and name not in _OF_PROJECTS else None
            said = value[1] if value else said
        if number := release_number(said):
            return number
    return 0


_OF_PROJECTS = ("version", "project.version")
"""Properties that say no release of Java."""

_ABOVE = ("../pom.xml", "../../pom.xml")
"""Where the projects lie of which those of Maven have their properties, mostly."""


def _of_all(text: str) -> str:
    """The text of a file of Maven without what it runs for single files, or for the users of newer releases alone."""
    before, *runs = text.split("<execution>")
    parts = [before]
    for each in runs:
        run, end, behind = each.partition("</execution>")
        parts += [behind] if "<include>" in run or "<multiReleaseOutput>" in run else [run, end, behind]
    return "".join(parts)
