"""Forms of a release that are not tried, since they can be no surer than one that was (C)."""

from __future__ import annotations

import pytest

from analyzers.finding import Finding
from fixers import Fix, Verdict, driver
from tests.unit.fixers.patching import answers

KNOWN = """#include <stdlib.h>
char *split_word(char **rest);
int show(const char *text);
void other(char *rest) { char *word = split_word(&rest); show(word); free(word); }
int f(char *rest, int n)
{
    char *word = split_word(&rest);
    if (word == NULL)
        return -1;
    if (n > 3)
        return 1;
    if (show(word) < 0)
        return 2;
    if (n == 1)
        return 3;
    return 0;
}
"""


def _tried(text: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Fix, int]:
    """The only patch of a text, and how many forms of it were verified."""
    count, verify = [0], driver.verify

    def counted(*given: object) -> object:
        count[0] += 1
        return verify(*given)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(driver, "verify", counted)
        (answer,) = answers("x.c", text.encode())
    assert isinstance(answer, Fix) and isinstance(answer.finding, Finding)
    return answer, count[0]


def test_where_only_the_acquisition_is_in_doubt_one_release_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    answer, count = _tried(KNOWN, monkeypatch)
    assumed = [each.reason for each in answer.proof if each.verdict is Verdict.ASSUMED]
    assert assumed == ["its acquisition is not certain"] * 2 and count == 1
    monkeypatch.setattr(driver, "_is_least", lambda *given: False)
    other, more = _tried(KNOWN, monkeypatch)
    assert other.edits == answer.edits and more > 1
