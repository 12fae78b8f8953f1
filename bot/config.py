"""`.leakmend.toml`: typed, strict, and with errors that name the key and the nearest one."""

from __future__ import annotations

import difflib
import enum
import re
import tomllib
from collections.abc import Mapping
from typing import Literal, get_args, get_origin

import msgspec

from analyzers.finding import Confidence
from analyzers.tree import Tree
from bot.errors import CannotRun
from bot.globs import matches
from bot.trees import CONFIG_FILE

Tests = Literal["summary", "inline", "off"]
Standard = Literal["c89", "c90", "c99", "c11", "c17", "c23", "gnu89", "gnu99", "gnu11", "gnu17", "gnu23"]


class _Table(msgspec.Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """What all tables share: keys in kebab case, none unknown."""


class Scan(_Table, frozen=True, kw_only=True):
    """`[scan]`: what is reported. Files that are left out are still read for what others call in them."""

    include: tuple[str, ...] = ("**",)
    exclude: tuple[str, ...] = ()
    min_confidence: Confidence | None = None
    tests: Tests = "summary"
    time_budget: float | None = None


class Loops(_Table, frozen=True, kw_only=True):
    """`[java.loops]`: loops and regions that are examined beside those that leakmend selects."""

    check: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()


class Exceptions(_Table, frozen=True, kw_only=True):
    """`[java.exceptions]`: exceptions that are taken never to be thrown."""

    ignore: tuple[str, ...] = ()


class Java(_Table, frozen=True, kw_only=True):
    """`[java]`. Without `release` the nearest build file says it."""

    release: int | None = None
    loops: Loops = Loops()
    exceptions: Exceptions = Exceptions()


class C(_Table, frozen=True, kw_only=True):
    """`[c]`."""

    standard: Standard | None = None


class Specs(_Table, frozen=True, kw_only=True):
    """`[specs]`: the repository's own models."""

    files: tuple[str, ...] = (".leakmend/specs/*.toml",)


class Override(_Table, frozen=True, kw_only=True):
    """`[[override]]`: any key of [scan], [java] and [c] for some paths; the last that matches wins."""

    paths: tuple[str, ...]
    include: tuple[str, ...] | None = None
    exclude: tuple[str, ...] | None = None
    min_confidence: Confidence | None = None
    tests: Tests | None = None
    release: int | None = None
    loops: Loops | None = None
    exceptions: Exceptions | None = None
    standard: Standard | None = None


class Labels(_Table, frozen=True, kw_only=True):
    """Labels of pull requests that leakmend reads."""

    skip: str = "no-leakmend"


class Bot(_Table, frozen=True, kw_only=True):
    """`[bot]`: how the GitHub App and the Action speak."""

    inline: Confidence = Confidence.WITNESSED
    max_inline_comments: int = 30
    fail_on: Literal["never", "introduced"] = "never"
    autofix: Literal["never", "on-command", "pull-request"] = "on-command"
    skip_authors: tuple[str, ...] = ()
    labels: Labels = Labels()
    commit_trailers: tuple[str, ...] = ()


class Config(_Table, frozen=True, kw_only=True):
    """The whole file, defaults filled in."""

    scan: Scan = Scan()
    java: Java = Java()
    c: C = C()
    specs: Specs = Specs()
    override: tuple[Override, ...] = ()
    bot: Bot = Bot()

    def at(self, path: str) -> Local:
        """What holds for one file: the tables, then every override that matches, in order."""
        local = Local(
            include=self.scan.include,
            exclude=self.scan.exclude,
            min_confidence=self.scan.min_confidence,
            tests=self.scan.tests,
            release=self.java.release,
            loops=self.java.loops,
            exceptions=self.java.exceptions,
            standard=self.c.standard,
        )
        for override in self.override:
            if matches(path, override.paths):
                given = {
                    name: value
                    for name in Local.__struct_fields__
                    if (value := getattr(override, name)) is not None
                }
                local = msgspec.structs.replace(local, **given)
        return local


class Local(msgspec.Struct, frozen=True, kw_only=True):
    """What holds for one file."""

    include: tuple[str, ...]
    exclude: tuple[str, ...]
    min_confidence: Confidence | None
    tests: Tests
    release: int | None
    loops: Loops
    exceptions: Exceptions
    standard: Standard | None

    def has(self, path: str) -> bool:
        """Whether findings in the file are reported at all."""
        return matches(path, self.include) and not matches(path, self.exclude)


def from_tree(settings: Tree) -> Config:
    """The config that a tree holds; the defaults where it holds none."""
    if all(path != CONFIG_FILE for path, _ in settings.paths()):
        return Config()
    return parse(settings.read(CONFIG_FILE), CONFIG_FILE)


def parse(content: bytes, name: str) -> Config:
    """Read the text of a config file that people know as `name`. CannotRun with one line where it is wrong."""
    try:
        text = content.decode("utf-8-sig")
        table = tomllib.loads(text)
    except UnicodeDecodeError:
        raise CannotRun(f"{name}: not UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        raise CannotRun(f"{name}: not valid TOML: {str(error).replace(chr(10), ' ')}") from None
    unknown = _unknown_key(table, Config, "")
    if unknown is not None:
        path, advice = unknown
        raise CannotRun(f"{name}{_line_of(text, path)}: unknown key `{path}`{advice}")
    try:
        config = msgspec.convert(table, Config)
    except msgspec.ValidationError as error:
        what, _, where = str(error).partition(" - at ")
        path = re.sub(r"\[[0-9.]*\]", "", where.strip("`").removeprefix("$").removeprefix("."))
        line = _line_of(text, path)
        raise CannotRun(f"{name}{line}: `{path}`: {what[:1].lower()}{what[1:]}{_choices(path)}") from None
    return _checked(config, name)


def _checked(config: Config, name: str) -> Config:
    """What types do not say."""
    if config.scan.time_budget is not None and config.scan.time_budget <= 0:
        raise CannotRun(f"{name}: `scan.time-budget` must be more than 0 seconds")
    if config.bot.max_inline_comments < 0:
        raise CannotRun(f"{name}: `bot.max-inline-comments` must not be negative")
    releases = [config.java.release, *(override.release for override in config.override)]
    if any(release is not None and not 1 <= release <= 99 for release in releases):
        raise CannotRun(f"{name}: `java.release` must be a Java version such as 8, 11, 17 or 21")
    return config


def _unknown_key(table: Mapping[str, object], kind: type[msgspec.Struct], prefix: str) -> tuple[str, str] | None:
    """The first key that no table of this kind has, as a dotted path, and the nearest that it has."""
    fields = _field_types(kind)
    for key, value in table.items():
        path = f"{prefix}{key}"
        if key not in fields:
            return path, _advice(key, sorted(fields), prefix)
        inner = _table_type(fields[key])
        for entry in value if isinstance(value, list) else [value]:
            if inner is not None and isinstance(entry, dict):
                found = _unknown_key(entry, inner, f"{path}.")
                if found is not None:
                    return found
    return None


def _advice(key: str, known: list[str], prefix: str) -> str:
    wanted = key.replace("_", "-").lower()
    near = difflib.get_close_matches(wanted, known, n=1, cutoff=0.5)
    if near:
        return f", did you mean `{prefix}{near[0]}`?"
    if prefix == "override." and wanted == "time-budget":
        return ": a time budget is for the whole run, set it in [scan]"
    return f", known there: {', '.join(known)}"


def _choices(path: str) -> str:
    """The words that a key takes, where it takes only some."""
    kind: type[msgspec.Struct] | None = Config
    *tables, last = path.split(".")
    for table in tables:
        kind = _table_type(_field_types(kind).get(table)) if kind else None
    annotation = _field_types(kind).get(last) if kind else None
    for candidate in (annotation, *getattr(annotation, "__args__", ())):
        if isinstance(candidate, type) and issubclass(candidate, enum.StrEnum):
            return f", one of {', '.join(candidate)}"
        if get_origin(candidate) is Literal:
            return f", one of {', '.join(get_args(candidate))}"
    return ""


def _field_types(kind: type[msgspec.Struct]) -> dict[str, object]:
    return {field.encode_name: field.type for field in msgspec.structs.fields(kind)}


def _table_type(annotation: object) -> type[msgspec.Struct] | None:
    """The table inside an annotation such as `Loops | None` or `tuple[Override, ...]`."""
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        return annotation
    for argument in getattr(annotation, "__args__", ()):
        found = _table_type(argument)
        if found is not None:
            return found
    return None


def _line_of(text: str, path: str) -> str:
    """`:line` of a dotted key; TOML's own reader forgets where it read. Empty where the key is written otherwise."""
    parent, _, key = path.rpartition(".")
    table = ""
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        if stripped.startswith("["):
            table = stripped.partition("]")[0].strip("[ ")
            if table in (path, f"{parent}.{key}"):
                return f":{number}"
        name = stripped.partition("=")[0].strip().strip("\"'")
        if "=" in stripped and f"{table}.{name}".lstrip(".") == path:
            return f":{number}"
    return ""
