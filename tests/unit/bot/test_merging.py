"""Fixes that meet: one patch, or the first alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from analyzers.finding import Confidence, Finding, Role, Step
from analyzers.source import Span
from bot.merging import merged, without_halves
from bot.report import Outcome
from fixers.fix import Applicability, Check, Declined, Edit, Fix, Verdict
from tests.unit.bot.conftest import Shell

SAFE = (Check("parses", Verdict.PROVED, ""),)
UNSAFE = (Check("parses", Verdict.ASSUMED, ""),)


def outcome(
    name: str, procedure: str, at: int, *, proof: tuple[Check, ...] = SAFE, introduced: bool | None = True
) -> Outcome:
    span = Span("a.c", at, at + 2)
    finding = Finding(
        rule="r", cwe=1, language="c", detectors=("t",), confidence=Confidence.WITNESSED, path="a.c",
        procedure=procedure, resource="R", variable="x", message="m", witness=(Step(Role.ACQUIRE, span, ""),),
        acquired=span, lost=span,
    )
    fix = Fix(finding, f"mend {name}", (Edit(span, name),), proof)
    return Outcome(finding=finding, answer=fix, fingerprint=name, introduced=introduced)


def union(fixes: Sequence[Fix]) -> Fix | None:
    edits = tuple(sorted({edit for fix in fixes for edit in fix.edits}))
    return Fix(fixes[0].finding, "all", edits, SAFE)


def alone(fixes: Sequence[Fix], half: Fix | Declined) -> Fix | None:
    return None


def test_fixes_of_one_procedure_become_one_patch() -> None:
    a, b, c = outcome("aaaa", "f", 0), outcome("bbbb", "f", 10), outcome("cccc", "g", 20)
    first, second, third = merged((a, b, c), union, alone)
    assert isinstance(first.answer, Fix)
    assert isinstance(second.answer, Fix)
    assert first.answer.edits == second.answer.edits
    assert (first.together, second.together) == (("bbbb",), ("aaaa",))
    assert second.answer.finding == b.finding
    assert third == c


def test_overlapping_fixes_of_two_procedures_meet_too_and_chains_are_one_group() -> None:
    a, b, c = outcome("aaaa", "f", 0), outcome("bbbb", "g", 1), outcome("cccc", "g", 30)
    assert [each.together for each in merged((a, b, c), union, alone)] == [
        ("bbbb", "cccc"), ("aaaa", "cccc"), ("aaaa", "bbbb"),
    ]


def test_what_cannot_be_merged_is_declined_but_for_the_first() -> None:
    a, b = outcome("aaaa", "f", 0), outcome("bbbb", "f", 10)
    first, second = merged((a, b), lambda _: None, alone)
    assert first == a
    assert isinstance(second.answer, Declined)
    assert "aaaa" in second.answer.reason


def test_those_that_go_together_are_one_patch_though_not_all_do() -> None:
    group = [outcome(name * 4, "f", 10 * at) for at, name in enumerate("abcde")]

    def all_but_the_third(fixes: Sequence[Fix]) -> Fix | None:
        return None if any(fix.title == "mend cccc" for fix in fixes) else union(fixes)

    first, second, third, fourth, fifth = merged(group, all_but_the_third, alone)
    assert first.together == ("bbbb", "dddd", "eeee")
    assert first.answer.edits == second.answer.edits == fourth.answer.edits == fifth.answer.edits  # type: ignore[union-attr]
    assert isinstance(third.answer, Declined)
    assert "aaaa" in third.answer.reason


def test_unsafe_fixes_and_old_findings_stay_by_themselves() -> None:
    unsafe = outcome("bbbb", "f", 10, proof=UNSAFE)
    old = outcome("cccc", "f", 20, introduced=False)
    none = msgspec.structs.replace(unsafe, answer=Declined(unsafe.finding, "no"), fingerprint="dddd")
    group = (outcome("aaaa", "f", 0), unsafe, old, none)
    assert merged(group, union, alone) == group


def test_what_is_only_mended_with_others_joins_their_patch() -> None:
    a, b, apart = outcome("aaaa", "f", 0), outcome("bbbb", "f", 10), outcome("dddd", "g", 40)
    half = msgspec.structs.replace(outcome("cccc", "f", 20), answer=Declined(b.finding, "half"))
    asked: list[tuple[int, str]] = []

    def behind(fixes: Sequence[Fix], left: Fix | Declined) -> Fix | None:
        assert isinstance(left, Declined)
        asked.append((len(fixes), left.reason))
        return Fix(left.finding, "all three", (*fixes[0].edits, Edit(Span("a.c", 20, 22), "cccc")), SAFE)

    first, second, third, fourth = merged((a, b, half, apart), union, behind)
    assert asked == [(2, "half")]
    assert [each.answer.title for each in (first, second, third) if isinstance(each.answer, Fix)] == ["all three"] * 3
    assert third.together == ("aaaa", "bbbb")
    assert first.together == ("bbbb", "cccc")
    assert fourth == apart


C = """\
#include <stdio.h>
#include <stdlib.h>

int copy(const char *from, int size)
{
    char *buffer = malloc(size);
    FILE *in = fopen(from, "r");

    if (buffer == NULL || in == NULL) {
        free(buffer);
        if (in != NULL)
            fclose(in);
        return -1;
    }
    if (fread(buffer, 1, size, in) == 0)
        return -1;
    free(buffer);
    fclose(in);
    return 0;
}
"""

JAVA = """\
import java.io.*;

class Two {
    long copy(File from, File to) throws IOException {
        InputStream in = new FileInputStream(from);
        OutputStream out = new FileOutputStream(to);
        long size = in.transferTo(out);
        in.close();
        out.close();
        return size;
    }
}
"""


def test_two_leaks_on_one_exit_are_mended_by_one_proven_patch(leakmend: Shell, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/two.c").write_text(C)
    (tmp_path / "src/Two.java").write_text(JAVA)
    found = leakmend("scan", tmp_path / "src", "--format", "json").report["findings"]
    assert len(found) == 4
    for path in ("two.c", "Two.java"):
        one, two = (each for each in found if each["path"] == path)
        assert one["answer"]["applicability"] == two["answer"]["applicability"] == "safe"
        assert one["answer"]["edits"] == two["answer"]["edits"]
        assert (one["answer"]["together"], two["answer"]["together"]) == ([two["fingerprint"]], [one["fingerprint"]])
        assert one["answer"]["suggestion"] is not None
        assert two["answer"]["suggestion"] is None, "half a patch must not be offered twice"
    text = leakmend("scan", tmp_path / "src").output
    assert text.count("mends this, too") == 2
    assert "4 mended in 2 files, 0 not" in leakmend("fix", "--in-place", tmp_path / "src").errors
    assert "free(buffer);\n        fclose(in);\n        return -1;" in (tmp_path / "src/two.c").read_text()
    assert leakmend("scan", tmp_path / "src").status == 0


def test_one_that_costs_the_others_their_proof_is_left_out() -> None:
    a, b, c = outcome("aaaa", "f", 0), outcome("bbbb", "f", 10), outcome("cccc", "f", 20)

    def doubtful_with_the_second(fixes: Sequence[Fix]) -> Fix | None:
        whole = union(fixes)
        is_doubtful = any(fix.title == "mend bbbb" for fix in fixes)
        return whole if whole is None or not is_doubtful else msgspec.structs.replace(whole, proof=UNSAFE)

    first, second, third = merged((a, b, c), doubtful_with_the_second, alone)
    assert (first.together, second.together, third.together) == (("cccc",), (), ("aaaa",))
    assert isinstance(second.answer, Declined)


def _java(name: str, at: int, proof: tuple[Check, ...] = SAFE) -> Outcome:
    made = outcome(name, "f", at, proof=proof)
    finding = msgspec.structs.replace(made.finding, language="java")
    assert isinstance(made.answer, Fix)
    return msgspec.structs.replace(made, finding=finding, answer=msgspec.structs.replace(made.answer, finding=finding))


def test_a_patch_for_some_openings_of_a_variable_is_not_safe() -> None:
    gone = (Check("finding is gone", Verdict.PROVED, ""),)
    a, b, c = _java("aaaa", 0, gone), _java("bbbb", 10, gone), _java("cccc", 20, UNSAFE)
    first, second, third = without_halves((a, b, c), lambda one, other: one.acquired.start != 0)
    assert first == a and third == c
    assert isinstance(second.answer, Fix) and second.answer.applicability is Applicability.UNSAFE
    assert second.answer.proof[0].reason == "`x`, which should be mended with it, stays as it is"
    assert without_halves((a, b), lambda one, other: True) == (a, b)
    whole = msgspec.structs.replace(a, together=("bbbb",))
    assert [isinstance(each.answer, Fix) and each.answer.applicability for each in without_halves((whole, b, c), lambda one, other: one.acquired.start != 0)] == [
        Applicability.UNSAFE, Applicability.UNSAFE, Applicability.UNSAFE,
    ]
