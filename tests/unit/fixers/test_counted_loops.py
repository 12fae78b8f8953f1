"""What comes behind a loop that turns more often than is walked is seen, too: no proof ends at one."""

from __future__ import annotations

import pytest

from analyzers.facts import facts
from fixers.paths.counted import Counted
from fixers.paths.layout import Layout
from fixers.paths.report import Report
from fixers.paths.state import Range, State, Value
from tests.unit.fixers.patching import program
from tests.unit.fixers.test_merged_paths import ask

LOOPS = {
    "plain": "for (i = 0; i < 10; i++)\n    p = q + i;\n",
    "nested": "for (i = 0; i < 10; i++) {\n    p = q + i;\n    for (j = 0; j < step; j++)\n        p[j] = 'A' + j;\n}\n",
    "three": "for (i = 0; i < 4; i++)\n    for (j = 0; j < 4; j++)\n        for (k = 0; k < 4; k++)\n            p = q + k;\n",
    "broken off": "i = 0;\nwhile (1) {\n    for (j = 0; j < 5; j++)\n        p = q + j;\n    if (i == 10)\n        break;\n    i++;\n}\n",
    "told of": "i = 0;\nfor (;;) {\n    for (j = 0; j < 5; j++)\n        p = q + j;\n    i++;\n    if (i > 10) {\n        puts(\"end\");\n        break;\n    }\n}\n",
    "do": "i = 0;\ndo {\n    j = 0;\n    do {\n        j++;\n    } while (j < 8);\n    i++;\n} while (i < 10);\n",
    "chosen": "for (i = 0; i < 4; i++)\n    for (j = 0; j < 6; j++)\n        switch (j) {\n        case 5:\n            p = q;\n            break;\n        default:\n            continue;\n        }\n",
    "members": "for (box->n = 0; box->n < 4; box->n++)\n    for (box->m = 0; box->m < 6; box->m++)\n        p = q;\n",
    "elements": "for (a[0] = 0; a[0] < 4; a[0]++)\n    for (a[1] = 0; a[1] < 6; a[1]++)\n        p = q;\n",
    "globals": "for (g = 0; g < 4; g++)\n    for (h = 0; h < 6; h++)\n        p = q;\n",
    "flag": "int go = 1, n = 0;\nwhile (go) {\n    for (j = 0; j < 5; j++)\n        n++;\n    if (n > 20)\n        go = 0;\n}\n",
}


def walked(body: str) -> Report:
    """The report on a function with this body."""
    text = f"struct box {{ int n, m; }};\nint g, h;\nint f(char *q, struct box *box) {{\n    int i, j, k, a[2], step = 10;\n    char *p;\n{body}    return 0;\n}}\n"
    return ask(text)


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS.keys())
def test_a_use_behind_one_is_seen(loop: str) -> None:
    assert not walked(f'char *x = strdup("x");\n{loop}free(x); /* OURS */\nputs(x);\n').is_proved
    assert not walked(f'char *x = strdup("x");\nfree(x); /* OURS */\n{loop}puts(x);\n').is_proved


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS.keys())
def test_a_second_release_behind_one_is_seen(loop: str) -> None:
    assert not walked(f'char *x = strdup("x");\n{loop}free(x); /* OURS */\nif (step == 10) free(x);\n').is_proved


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS.keys())
def test_a_block_of_somebody_else_behind_one_is_seen(loop: str) -> None:
    assert not walked(f'char *x = q;\nif (q[0]) x = strdup("x");\n{loop}free(x); /* OURS */\n').is_proved


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS.keys())
def test_a_good_release_behind_one_is_proved(loop: str) -> None:
    assert walked(f'char *x = strdup("x");\n{loop}puts(x);\nfree(x); /* OURS */\n').is_proved


def test_two_names_of_one_value_are_forgotten_together() -> None:
    subject = program("a.c", b"int f(int n) {\n    int i, j, k = 0;\n    for (i = 0; i < 10; i++) {\n        j = n;\n        k = j;\n    }\n    return k;\n}\n")
    found = facts(subject, subject.procedures()[-1])
    assert found is not None
    layout = Layout(found.linked, found.effects)
    [header] = layout.headers
    state, value = State(header), Value("unknown", 1)
    state.variables.update(j=value, k=value)
    state.ranges[value] = Range(has_zero=False)
    assert Counted(layout.linked, layout.headers, layout.ending).forget(state)
    assert value not in state.ranges
