"""What Gradle's scripts say of the Java release and of the oldest devices: in digits, or by a name that the script, those that it applies, those of
the folders above, `gradle.properties` or the catalog of versions give a value.

A name that has several values in one file has the first. Misses what plugins of a project's own set.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator

from bot.ant_files import assigned, release_number

PROPERTIES_OF_GRADLE = "gradle.properties"
CATALOG = "libs.versions.toml"

_SAID = (
    r"(?:JavaVersion\.(?:VERSION_|toVersion\(\s*|valueOf\(\s*))?[\"']?"
    r"(?:(?P<number>\d+(?:[._]\d+)?)"
    r"|\$?\{?\s*(?:\w+[.])*(?:property|findProperty|gradleProperty|properties|ext|extra)(?:\.get)?[(\[]\s*[\"'](?P<key>[\w.-]+)"
    r"|\$?\{?\s*(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*))"
)
"""A release, or the name of what holds it."""

_RELEASES = (
    re.compile(r"\brelease(?:\.set\(|\s*=)\s*" + _SAID),
    re.compile(r"\b(?:target|source)Compatibility\s*=?\s*(?:(?:target|source)Compatibility\s*=\s*)?" + _SAID),
    re.compile(r"JavaLanguageVersion\.of\(\s*" + _SAID),
)
"""What is said first counts: a compiler of a newer release (a toolchain) still compiles for what else is said."""

_OLDEST = re.compile(r"\bminSdk(?:Version)?\s*[=(]?\s*" + _SAID)

_APPLIED = re.compile(r"\bapply(?:\s+|\(\s*)from\s*[:=]\s*(?:(?:\w+\.)?file\(\s*)?[\"'](?:\$\{?\w+(?:\.\w+)*\}?/)?([^\"'$]+)[\"']")
"""A script that another one of Gradle runs, below its own folder, that of a project or the outermost one."""

_ABOVE = ("", "../", "../../")
"""The folders whose scripts and properties a project has, mostly."""

_OF_CATALOG = re.compile(r"^\s*([\w.-]+)\s*=\s*\"([\w.]+)\"", re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*//.*$", re.MULTILINE)
_ASKED = frozenset(("get", "toInteger", "toInt", "toString", "trim"))
"""What a name is asked for its value."""

_NO_RELEASES = frozenset(("version", "project"))
_MOST = 30
"""So many places of a script are looked at where one thing is said."""

_COMPATIBILITY = ("targetCompatibility", "sourceCompatibility")


def release_of_gradle(text: str, read: Callable[[str], str]) -> int:
    """The release that a script says, or one that it applies, or else the properties beside it; 0 for none. `read`: the text of a file that is named from its folder."""
    text = _COMMENT.sub("", text)
    if release := _release_said(text, text, read):
        return release
    # What a project applies it names from its own folder, which is one below that of the script that says so.
    applied = [part for each in _APPLIED.findall(text) for part in dict.fromkeys((each, each.removeprefix("../")))]
    for each in applied:
        if release := _release_said(script := _COMMENT.sub("", read(each)), text + "\n" + script, read):
            return release
    given = assigned(read(PROPERTIES_OF_GRADLE))
    return next((release for each in _COMPATIBILITY if (release := release_number(given.get(each, "")))), 0)


def _release_said(script: str, around: str, read: Callable[[str], str]) -> int:
    return next((release for pattern in _RELEASES for each in _values(pattern, script, around, read) if (release := release_number(each))), 0)


def oldest_device(text: str, read: Callable[[str], str]) -> int:
    """The level of the oldest devices that a script says to support; 0 where it says none."""
    return next((int(each) for each in _values(_OLDEST, text, text, read) if each.isascii() and each.isdigit()), 0)


def _values(pattern: re.Pattern[str], script: str, around: str, read: Callable[[str], str]) -> Iterator[str]:
    """What a script says behind some words, in the order of their places; what a name stands for that has a value."""
    for found in itertools.islice(pattern.finditer(script), _MOST):
        if found["number"]:
            yield found["number"]
        elif value := _given(found["key"] or found["name"] or "", around, read):
            yield value


def _given(name: str, text: str, read: Callable[[str], str]) -> str:
    """The value of a name; empty where nobody knows it."""
    parts = name.split(".")
    while parts and parts[-1] in _ASKED:
        parts.pop()
    last = parts[-1] if parts else ""
    if "versions" in parts:
        key = parts[parts.index("versions") + 1 :]
        catalogs = (read(f"{above}gradle/{CATALOG}") for above in _ABOVE)
        if found := next((value for each in catalogs for one, value in _OF_CATALOG.findall(each) if re.split(r"[._-]", one) == key), ""):
            return found
    if not last or last in _NO_RELEASES:
        return ""
    wanted = re.compile(rf"\b{re.escape(last)}[\"']?\]?\s*[=:,]\s*(?:JavaVersion\.VERSION_)?[\"']?(\d+(?:[._]\d+)?)\b")
    for above in _ABOVE:
        if value := assigned(read(f"{above}{PROPERTIES_OF_GRADLE}")).get(last, ""):
            return value.removeprefix("JavaVersion.VERSION_")
        scripts = (text,) if not above else (read(f"{above}build.gradle"), read(f"{above}build.gradle.kts"))
        if value := next((found[1] for each in scripts if (found := wanted.search(each))), ""):
            return value
    return ""
