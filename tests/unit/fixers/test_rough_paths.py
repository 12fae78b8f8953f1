"""Where very many paths differ in nothing that matters to the resource, what does matter still counts (C). The fixture `rough_ways` shows the proof."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from fixers.fix import Verdict
from fixers.paths import Report, explore, shape
from fixers.paths.explore import Walk
from tests.unit.fixers.test_merged_paths import ask

PROVED = Verdict.PROVED
COUNT = 12

DECLARED = "struct part { int size; struct part *next; };\nstruct part *part_find(const char *name, int n);\nint part_use(struct part *p);\n"


def _text(middle: str, end: str, *, copied: str = "char *line = strdup(name);") -> str:
    """A procedure with a dozen pointers, each null or not, that are all looked at again at the end."""
    named = ", ".join(f"*p{n}" for n in range(COUNT))
    found = "\n".join(f'p{n} = part_find(name, {n}); if (p{n} == NULL) puts("none"); else if (p{n}->size) puts("sized");' for n in range(COUNT))
    used = "\n".join(f"if (p{n} != NULL) part_use(p{n});" for n in range(COUNT))
    return f"""{DECLARED}int f(const char *name, int own) {{
        struct part {named};
        {copied}
        if (line == NULL)
            return -1;
        {found}
        {middle}
        puts(line);
        {end}
        {used}
        return 0;
    }}"""


def test_pointers_to_something_else() -> None:
    report = ask(_text("", "free(line); /* OURS */"))
    assert report.is_proved
    assert report.once.verdict is report.after.verdict is report.acquired.verdict is PROVED


def test_a_release_on_one_side_before() -> None:
    assert ask(_text("if (p3 != NULL) { free(line); if (p4) return 0; }", "free(line); /* OURS */")).once.verdict is not PROVED


def test_a_use_behind_it_by_another_name() -> None:
    report = ask(_text('char *word = line + 1; if (p2 == NULL) word = "";', "free(line); /* OURS */\n puts(word);"))
    assert report.after.verdict is not PROVED


def test_what_was_acquired_on_one_side_alone() -> None:
    text = _text("", "free(line); /* OURS */", copied='char *line = (char *)name; if (own) line = strdup(name);')
    assert ask(text).acquired.verdict is not PROVED


def test_what_a_part_keeps_of_it() -> None:
    """Somebody has it by another name where the release is: what is tied to it is not forgotten."""
    report = ask(_text("struct part top; char **kept = (char **)&top.next; *kept = line; if (p5 != NULL) puts(\"five\");", "free(line); /* OURS */\n puts(*kept);"))
    assert report.after.verdict is not PROVED


def test_it_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several walks grow long, and it says the same to each."""
    asked: list[str] = []
    original = Walk.run

    def run(self: Walk, starts: Sequence[int] = (), *, pause: int | None = None) -> Report:
        asked.append("rough" if self.is_rough else "known" if self.holders is None else "few")
        return original(self, starts, pause=pause)

    monkeypatch.setattr(Walk, "run", run)
    monkeypatch.setattr(f"{__name__}.COUNT", 8)
    monkeypatch.setattr(explore, "FINE", 5)
    monkeypatch.setattr(shape, "starting", lambda *_: ())
    assert ask(_text("", "free(line); /* OURS */\n puts(line);")).after.verdict is Verdict.REFUTED
    assert asked == ["few", "rough", "known"]
