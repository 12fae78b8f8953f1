"""What a workflow may ask of the Action, and what its files promise."""

from __future__ import annotations

import pathlib
import re

import pytest

from bot.action import inputs, telling
from bot.config import Config
from bot.errors import CannotRun

ROOT = pathlib.Path(__file__).parents[4]
ACTION = (ROOT / "action.yml").read_text()


def environment(folder: pathlib.Path, **more: str) -> dict[str, str]:
    (folder / "event.json").write_text("{}")
    return {"INPUT_TOKEN": "t", "GITHUB_EVENT_PATH": str(folder / "event.json"), "RUNNER_TEMP": str(folder), **more}


def test_defaults_follow_the_base_branch(tmp_path: pathlib.Path) -> None:
    found = inputs.from_environment(environment(tmp_path))
    assert (found.fail_on, found.autofix, found.config) == ("", "", ".leakmend.toml")
    assert found.sarif == tmp_path / "leakmend.sarif"
    assert found.adjusted(Config()) == Config()
    assert "'t'" not in repr(found)


def test_the_workflow_may_overrule_autofix(tmp_path: pathlib.Path) -> None:
    found = inputs.from_environment(environment(tmp_path, INPUT_AUTOFIX="never"))
    assert found.adjusted(Config()).bot.autofix == "never"


@pytest.mark.parametrize(("name", "value", "says"), [
    ("INPUT_FAIL_ON", "often", "input"), ("INPUT_AUTOFIX", "yes", "input"), ("INPUT_CONFIG", "/etc/passwd", "config"),
    ("INPUT_CONFIG", ".leakmend/../../x", "config"), ("INPUT_TOKEN", "", "token"), ("GITHUB_EVENT_PATH", "/none", "event"),
])  # fmt: skip
def test_what_is_wrong_is_named(tmp_path: pathlib.Path, name: str, value: str, says: str) -> None:
    with pytest.raises(CannotRun, match=says):
        inputs.from_environment({**environment(tmp_path), name: value})


def test_action_yml_and_the_entry_point_know_the_same_inputs() -> None:
    read = set(re.findall(r'"(INPUT_[A-Z_]+)"', (ROOT / "bot" / "action" / "inputs.py").read_text()))
    given = set(re.findall(r"^ +(INPUT_[A-Z_]+):", ACTION, re.MULTILINE))
    assert read == given
    for output in ("findings", "sarif-file", "report"):
        assert f"steps.run.outputs.{output} }}}}" in ACTION


def test_nothing_of_the_checkout_can_be_imported_by_the_action() -> None:
    steps = re.findall(r"^ +(?:run: )?(?:python3|leakmend-venv/bin/python) .*$", ACTION, re.MULTILINE)
    assert len(steps) == 3 and all(" -I -m " in step for step in steps)
    runs = ACTION.partition("runs:")[2]
    assert "${{" not in "".join(re.findall(r"run: \|\n((?: {8}.*\n)+)", runs)), "inputs reach scripts as variables only"
    assert runs.count("working-directory: ${{ runner.temp }}") == 2


@pytest.mark.parametrize("text", ["a\n::stop-commands::x", "a%0A::error::x", "a\r::add-mask::b"])
def test_no_text_can_speak_as_a_workflow_command(text: str) -> None:
    line = telling.error(text)
    assert "\n" not in line and "\r" not in line and line.count("%") >= 1
    assert "%0A::error::x" not in line or "%250A" in line
