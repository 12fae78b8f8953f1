"""Comments, annotations and the baseline: what they silence, and what is said of those that silence nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzers import ir
from analyzers.finding import Confidence, Finding, Role, Step
from analyzers.source import Span
from bot import changes, pipeline
from bot.baseline import Baseline, Entry
from bot.comments import comments, without_comments
from bot.config import Config
from bot.hunks import Block, FileDiff
from bot.report import Outcome
from bot.suppression import Silenced, directives_in, silence
from fixers.fix import Declined

ACQUIRE = "acquire()"


def outcome(path: str, text: str, rule: str = "unclosed-resource", nth: int = 0) -> Outcome:
    position = -1
    for _ in range(nth + 1):
        position = text.index(ACQUIRE, position + 1)
    span = Span(path, position, position + len(ACQUIRE))
    finding = Finding(
        rule=rule, cwe=772, language="java" if path.endswith(".java") else "c", detectors=("t",),
        confidence=Confidence.WITNESSED, path=path, procedure="f", resource="R", variable="x", message="m",
        witness=(Step(Role.ACQUIRE, span, ""),), acquired=span, lost=span, text=ACQUIRE, ordinal=nth,
    )
    return Outcome(finding=finding, answer=Declined(finding, "none"), fingerprint=finding.fingerprint)


def silenced(
    path: str,
    text: str,
    *outcomes: Outcome,
    unit: ir.Unit | None = None,
    baseline: Baseline | None = None,
    files: list[FileDiff] | None = None,
) -> Silenced:
    return silence(
        outcomes or (outcome(path, text),), [path], lambda _: text.encode(), lambda _: unit, baseline or Baseline(),
        files, lambda _: unit.procedures[0] if unit is not None else None,
    )


@pytest.mark.parametrize(
    "text",
    [
        "x = acquire(); // leakmend: ignore[unclosed-resource] closed by the pool\n",
        "// leakmend: ignore[unclosed-resource] closed by the pool\nx = acquire();\n",
        "/* leakmend: ignore[unclosed-resource] closed by the pool */\nx = acquire();\n",
        "/*\n * leakmend: ignore[unclosed-resource] closed by the pool\n */\nx = acquire();\n",
        "// leakmend: ignore[a, unclosed-resource] closed by the pool\n// and more\nx =\n  acquire();\n",
        "// leakmend: ignore: closed by the pool\n\nx = acquire();\n",
        "//leakmend:ignore[unclosed-resource]  closed by the pool\r\nx = acquire();\r\n",
    ],
)
@pytest.mark.parametrize("path", ["a.c", "A.java"])
def test_a_comment_with_a_reason_silences(path: str, text: str) -> None:
    result = silenced(path, text)
    assert result.kept == ()
    assert [(each.by, each.reason) for each in result.suppressed] == [("comment", "closed by the pool")]
    assert result.notes == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = acquire(); // leakmend: ignore[unclosed-resource]\n", "needs a reason"),
        ("x = acquire(); // leakmend: ignore[unreleased-memory] wrong rule\n", "unused"),
        ("// leakmend: ignore[unclosed-resource] too far\ny();\nx = acquire();\n", "unused"),
        ("y(); // leakmend: ignore[unclosed-resource] not alone\nx = acquire();\n", "unused"),
    ],
)
def test_a_comment_of_no_use_is_a_note(text: str, words: str) -> None:
    result = silenced("a.c", text)
    assert len(result.kept) == 1
    (note,) = result.notes
    assert words in note.text


@pytest.mark.parametrize(
    "text",
    [
        'log("// leakmend: ignore[unclosed-resource] no comment"); x = acquire();\n',
        "x = acquire(); // we could leakmend this\n",
        "x = acquire(); // leakmend: ignorance\n",
    ],
)
def test_what_is_no_directive_does_nothing(text: str) -> None:
    result = silenced("a.c", text)
    assert len(result.kept) == 1
    assert result.suppressed == ()


def test_a_text_block_of_java_is_a_string() -> None:
    text = 'String s = """\n// leakmend: ignore[unclosed-resource] no\n"""; x = acquire();\n'
    assert len(silenced("A.java", text).kept) == 1


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("x = acquire(); // NOLINT(clang-analyzer-unix.Malloc)\n", 1),
        ("x = acquire(); // NOLINT(clang-analyzer-*): kept for ever\n", 1),
        ("// NOLINTNEXTLINE(misc-x, cppcoreguidelines-owning-memory)\nx = acquire();\n", 1),
        ("// NOLINTBEGIN(clang-analyzer-unix.*)\ny();\nx = acquire();\n// NOLINTEND(clang-analyzer-unix.*)\n", 1),
        ("x = acquire(); // NOLINT\n", 0),
        ("x = acquire(); // NOLINT(readability-braces)\n", 0),
        ("x = acquire(); // NOLINT(*)\n", 0),
    ],
)
def test_nolint_counts_where_it_names_a_leak_check(text: str, count: int) -> None:
    result = silenced("a.c", text)
    assert len(result.suppressed) == count
    assert result.notes == ()
    assert len(silenced("A.java", text).suppressed) == 0


def _unit(procedure: tuple[str, ...], variable: tuple[str, ...], type_: tuple[str, ...]) -> ir.Unit:
    x = ir.Variable("x", "R", "local", 0, 9, 0, variable)
    body = ir.Procedure("f", "method", 0, 99, 9, "A", "void", (), (), procedure, (x,), (), (), ())
    declared = ir.TypeDeclaration("A", "class", (), (), (), type_, 0, 99)
    return ir.Unit("java", "", (), (body,), (declared,), (), (), (), (), ())


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize(
    ("attribute", "count"),
    [
        ('SuppressWarnings("resource")', 1),
        ('SuppressWarnings({"unchecked", "resource"})', 1),
        ('SuppressWarnings("unchecked")', 0),
        ('Named("resource")', 0),
    ],
)
def test_annotations(place: int, attribute: str, count: int) -> None:
    attributes: list[tuple[str, ...]] = [(), (), ()]
    attributes[place] = (attribute,)
    result = silenced("A.java", f"/* @{attribute} */ R x = acquire();", unit=_unit(*attributes))
    assert [each.by for each in result.suppressed] == ["annotation"] * count


@pytest.mark.parametrize(("rule", "count"), [("retained-by-loop", 1), ("unclosed-resource", 0)])
def test_annotations_of_collections_that_nobody_reads(rule: str, count: int) -> None:
    unit = _unit((), ('SuppressWarnings("MismatchedQueryAndUpdateOfCollection")',), ())
    text = "/* @SuppressWarnings */ R x = acquire();"
    result = silenced("A.java", text, outcome("A.java", text, rule), unit=unit)
    assert len(result.suppressed) == count


def test_the_baseline_silences_by_fingerprint() -> None:
    text = "x = acquire();\ny = acquire();\n"
    first, second = outcome("a.c", text), outcome("a.c", text, nth=1)
    baseline = Baseline().with_entry(Entry(fingerprint=second.fingerprint, reason="known", date="2026-01-01"))
    result = silenced("a.c", text, first, second, baseline=baseline)
    assert result.kept == (first,)
    assert [(each.by, each.reason) for each in result.suppressed] == [("baseline", "known")]


def test_in_a_review_only_comments_of_the_change_are_called_unused() -> None:
    text = "// leakmend: ignore[a] old\nx();\n// leakmend: ignore[a] new\ny();\nz = acquire();\n"
    diff = FileDiff("a.c", "a.c", (Block(3, 0, 3, 1),))
    assert [note.span.start for note in silenced("a.c", text, files=[diff]).notes] == [text.rindex("// leakmend")]
    assert silenced("a.c", text, files=[]).notes == ()


def test_a_comment_that_the_change_adds_is_told_apart() -> None:
    text = "x = acquire(); // leakmend: ignore[unclosed-resource] fine\n"
    added = silenced("a.c", text, files=[FileDiff("a.c", "a.c", (Block(1, 1, 1, 1),))])
    there = silenced("a.c", text, files=[FileDiff("a.c", "a.c", (Block(9, 1, 9, 1),))])
    assert [each.is_added for each in (*added.suppressed, *there.suppressed)] == [True, False]


def test_comments_are_told_from_what_looks_like_them() -> None:
    source = b"a /* one */ '\"' \"//no\" / 2 // two \\\n goes on\nx // three"
    assert [comment.text for comment in comments(source, "c")] == ["/* one */", "// two \\\n goes on", "// three"]
    assert [comment.text for comment in comments(source, "java")] == ["/* one */", "// two \\", "// three"]


@given(st.binary(max_size=80), st.sampled_from(("a.c", "A.java")))
def test_any_bytes_are_read(source: bytes, path: str) -> None:
    directives_in(path, source + b"// leakmend: ignore x NOLINT(")
    language = "java" if path == "A.java" else "c"
    blanked = without_comments(source, language)
    assert len(blanked) == len(source)
    assert blanked.count(b"\n") == source.count(b"\n")


def test_an_annotated_local_variable_silences_what_it_holds(tmp_path: Path) -> None:
    source = """\
class A {{
    int f(String host) throws java.io.IOException {{
        {} java.net.Socket held = new java.net.Socket(host, 1);
        java.io.InputStream in = new java.io.BufferedInputStream(held.getInputStream());
        return in.read();
    }}
}}
"""
    for annotation, count in (('@SuppressWarnings("resource")', 1), ("", 0)):
        (tmp_path / "A.java").write_text(source.format(annotation))
        report = pipeline.run(changes.scan([tmp_path]), Config())
        assert (len(report.suppressed), len(report.outcomes)) == (count, 1 - count)
