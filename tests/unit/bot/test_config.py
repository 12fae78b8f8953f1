"""`.leakmend.toml`: what it takes, and what it says about what it does not."""

from __future__ import annotations

import pytest

from analyzers.finding import Confidence
from analyzers.tree import MemoryTree
from bot.config import Config, Loops, from_tree, parse
from bot.errors import CannotRun
from bot.globs import matches

FULL = b"""
[scan]
include = ["src/**"]
exclude = ["**/generated/**"]
min-confidence = "assumed"
tests = "inline"
time-budget = 300
[java]
release = 17
[java.loops]
check = ["com.acme.Server.serve"]
regions = ["com.acme.Compare.run"]
[java.exceptions]
ignore = ["java.lang.InterruptedException"]
[c]
standard = "c99"
[specs]
files = [".leakmend/specs/*.toml"]
[[override]]
paths = ["legacy/**"]
min-confidence = "witnessed"
release = 8
[[override]]
paths = ["legacy/new/**"]
release = 21
[bot]
inline = "witnessed"
max-inline-comments = 30
fail-on = "never"
autofix = "on-command"
skip-authors = ["dependabot[bot]"]
labels = { skip = "no-leakmend" }
commit-trailers = []
"""


def test_every_key_of_the_contract_is_taken() -> None:
    config = parse(FULL, "x")
    assert config.scan.min_confidence is Confidence.ASSUMED
    assert config.scan.time_budget == 300
    assert config.java.loops == Loops(check=("com.acme.Server.serve",), regions=("com.acme.Compare.run",))
    assert config.bot.labels.skip == "no-leakmend"
    assert config.c.standard == "c99"


def test_the_last_override_that_matches_wins() -> None:
    config = parse(FULL, "x")
    assert config.at("src/A.java").release == 17
    assert config.at("legacy/A.java").release == 8
    new = config.at("legacy/new/A.java")
    assert (new.release, new.min_confidence) == (21, Confidence.WITNESSED)
    assert config.at("src/A.java").min_confidence is Confidence.ASSUMED


def test_include_and_exclude() -> None:
    local = parse(FULL, "x").at("src/A.java")
    assert local.has("src/A.java")
    assert not local.has("src/generated/A.java")
    assert not local.has("lib/A.java")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[scan]\nincludes = ["a"]', "c.toml:2: unknown key `scan.includes`, did you mean `scan.include`?"),
        ("[scna]\n", "c.toml:1: unknown key `scna`, did you mean `scan`?"),
        ('[bot]\nlabels = { skp = "x" }', "unknown key `bot.labels.skp`, did you mean `bot.labels.skip`?"),
        ("\n[java]\n[java.loops]\nchek = []", "c.toml:4: unknown key `java.loops.chek`"),
        ("[scan]\nmin_confidence = 'assumed'", "c.toml:2: unknown key `scan.min_confidence`, did you mean `scan.min-confidence`?"),
        ('[scan]\ntests = "of"', "c.toml:2: `scan.tests`: invalid enum value 'of', one of summary, inline, off"),
        ('[scan]\ntime-budget = "1h"', "c.toml:2: `scan.time-budget`: expected `float | null`, got `str`"),
        ('[[override]]\npaths = ["a"]\ntime-budget = 3', "a time budget is for the whole run"),
        ("[[override]]\nrelease = 8", "missing required field `paths`"),
        ("[scan]\ntime-budget = 0", "must be more than 0 seconds"),
        ("[java]\nrelease = 1700", "must be a Java version"),
        ("[bot]\nmax-inline-comments = -1", "must not be negative"),
        ("[scan\n", "not valid TOML"),
        ("a = 1\n", "known there: bot, c, java, override, scan, specs"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(text: str, words: str) -> None:
    with pytest.raises(CannotRun) as error:
        parse(text.encode(), "c.toml")
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_that_is_no_text_is_said_to_be_none() -> None:
    with pytest.raises(CannotRun, match="not UTF-8"):
        parse(b"\xff\xfe[\0", "c.toml")


def test_a_tree_without_config_has_the_defaults() -> None:
    assert from_tree(MemoryTree({"a.c": b""})) == Config()
    assert from_tree(MemoryTree({".leakmend.toml": b"\xef\xbb\xbf[java]\nrelease = 11\n"})).java.release == 11


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("src/**", "src/a/b.c", True),
        ("src/**", "source/a.c", False),
        ("src", "src/a/b.c", True),
        ("**/generated/**", "generated/a.c", True),
        ("**/generated/**", "x/y/generated/z/a.c", True),
        ("*.java", "deep/down/A.java", True),
        ("src/*.java", "src/deep/A.java", False),
        ("src/?.c", "src/a.c", True),
        ("src/[ab].c", "src/b.c", True),
        ("src/[!ab].c", "src/b.c", False),
        ("**", "anything/at/all.c", True),
        ("a+b(c).c", "a+b(c).c", True),
        ("[", "[", True),
        ("build/", "build/x.c", True),
    ],
)
def test_path_patterns(pattern: str, path: str, expected: bool) -> None:
    assert matches(path, (pattern,)) is expected
