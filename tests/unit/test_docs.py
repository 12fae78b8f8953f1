"""What is written for people is what the code says: rule pages, and the sample of the demo."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from analyzers.rules import RULES, rule_text
from benchmarks.make_module_page import FOLDERS, page
from benchmarks.make_rule_pages import pages
from bot.suppression import directives_in
from tests.conftest import require_tool
from tests.unit.bot.conftest import Shell, leakmend  # noqa: F401  (a fixture)

ROOT = Path(__file__).parents[2]


def test_the_rule_pages_are_those_of_the_rules() -> None:
    """`make docs` writes them."""
    written = {path.name: path.read_text("utf-8") for path in (ROOT / "docs/rules").glob("*.md")}
    assert written == pages()


def test_the_page_of_modules_is_what_the_modules_say() -> None:
    """`make docs` writes it, too; a module without a docstring would be missing from it."""
    assert (ROOT / "docs/modules.md").read_text("utf-8") == page()
    modules = [path for top in FOLDERS for path in (ROOT / top).rglob("*.py")]
    silent = [path for path in modules if path.stat().st_size and not path.read_text("utf-8").startswith('"""')]
    assert not silent


def test_rules_have_distinct_ids_in_order() -> None:
    ids = [text.rule.id for text in RULES]
    assert ids == sorted(set(ids))
    assert rule_text("no-such-rule") is None
    for text in RULES:
        assert rule_text(text.rule.id) is text


@pytest.mark.parametrize("text", RULES, ids=lambda text: text.rule.id)
def test_the_way_to_silence_a_rule_is_what_silences_it(text: object) -> None:
    from analyzers.rules import RuleText

    assert isinstance(text, RuleText)
    comment = text.silence.split("`")[1]
    (directive,) = directives_in("a.c", f"{comment}\nx = acquire();\n".encode())
    assert directive.rules == (text.rule.id,)
    assert directive.reason == "reason"


EXAMPLES = [
    (text.rule.id, example)
    for text in RULES
    for example in text.examples
    if text.rule.id != "retained-by-loop"  # its analysis has tests of its own
]


@pytest.mark.parametrize(("rule", "example"), EXAMPLES, ids=lambda value: getattr(value, "language", value))
def test_the_examples_are_true(rule: str, example: object, leakmend: Shell, tmp_path: Path) -> None:  # noqa: F811
    from analyzers.rules import Example

    assert isinstance(example, Example)
    folder = tmp_path / "src"
    folder.mkdir()
    for name, body in (("Bad", example.bad), ("Good", example.good)):
        if example.language == "java":
            source = f"import java.io.*;\nimport java.util.*;\nimport java.util.concurrent.locks.*;\nclass {name} {{\n{body}}}\n"
        else:
            source = f"#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n{body}"
        (folder / f"{name}.{example.language}").write_text(source)
    found = leakmend("scan", folder, "--format", "json", "--no-cache").report["findings"]
    assert [(each["path"], each["rule"]) for each in found] == [(f"Bad.{example.language}", rule)]


def test_the_sample_of_the_demo(leakmend: Shell, tmp_path: Path) -> None:  # noqa: F811
    script = [sys.executable, str(ROOT / "docs/demo/make_sample.py")]
    for name in ("one", "two"):
        subprocess.run([*script, str(tmp_path / name)], check=True, capture_output=True)
    heads = [
        subprocess.run(["git", "rev-parse", "main", "change"], cwd=tmp_path / name, check=True, capture_output=True).stdout
        for name in ("one", "two")
    ]
    assert heads[0] == heads[1]
    again = subprocess.run([*script, str(tmp_path / "one")], check=False, capture_output=True, text=True)
    assert again.returncode != 0
    assert "exists already" in again.stderr
    ran = leakmend("review", "--repo", tmp_path / "one", "--base", "main", "--head", "change", "--format", "json")
    introduced = [each for each in ran.report["findings"] if each["introduced"]]
    for language in ("java", "c"):
        assert sum(each["language"] == language for each in introduced) >= 2
        assert any(each["language"] == language and each["answer"].get("applicability") == "safe" for each in introduced)
    assert {each["language"] for each in ran.report["fixed"]} == {"java", "c"}
    assert any(each["introduced"] is False for each in ran.report["findings"])


def test_the_sample_compiles(tmp_path: Path) -> None:
    gcc, javac = require_tool("gcc"), require_tool("javac")
    for side in ("base", "change"):
        files = ROOT / "docs/demo"
        headers = [f"-I{files / side / 'c'}", f"-I{files / 'base/c'}"]
        command = [gcc, "-std=gnu17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", *headers]
        subprocess.run([*command, str(files / side / "c/receipts.c")], check=True)
        sources = sorted(str(path) for path in (files / side).rglob("*.java"))
        subprocess.run([javac, "-Xlint:all", "-Werror", "-d", str(tmp_path / side), *sources], check=True)


