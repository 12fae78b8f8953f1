"""What is introduced, decided by matching: stable under everything that moves code without changing it."""

from __future__ import annotations

import difflib

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzers.finding import Confidence, Finding, Role, Step
from analyzers.source import Span
from bot.alignment import Alignment, Side, align
from bot.hunks import Block, FileDiff

OPEN = "open(name)"
SUPER = "super."


class Code:
    """Files in which every `open(name)` is a finding, and `procedure NAME` to `end` a procedure."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = files

    def findings(self) -> list[Finding]:
        found = []
        for path, text in sorted(self.files.items()):
            seen: dict[str, int] = {}
            for start in _occurrences(text, OPEN):
                name = self._procedure_at(path, start)
                length = len(OPEN)
                if text[:start].endswith(SUPER):
                    start, length = start - len(SUPER), length + len(SUPER)
                ordinal = seen.setdefault(name, 0)
                seen[name] += 1
                span = Span(path, start, start + length)
                found.append(
                    Finding(
                        rule="unclosed-resource", cwe=772, language="c", detectors=("t",),
                        confidence=Confidence.WITNESSED, path=path, procedure=name, resource="FILE", variable="f",
                        message="m", witness=(Step(Role.ACQUIRE, span, ""),), acquired=span, lost=span, text=text[start : start + length],
                        ordinal=ordinal,
                    )
                )
        return found

    def _procedure_at(self, path: str, offset: int) -> str:
        head = self.files[path][:offset]
        name = head[head.rindex("procedure ") :].split()[1]
        return f"{path}:{name}" if name.startswith("static_") else name

    def side(self) -> Side:
        return Side(lambda path: self.files[path].encode(), self._body)

    def _body(self, path: str, name: str) -> bytes | None:
        text = self.files.get(path, "")
        start = text.find(f"procedure {name.rpartition(':')[2]}\n")
        return text[start : text.index("end\n", start)].encode() if start >= 0 else None


def _occurrences(text: str, what: str) -> list[int]:
    found, position = [], text.find(what)
    while position >= 0:
        found.append(position)
        position = text.find(what, position + 1)
    return found


def diff(before: str, after: str, old: str, new: str) -> FileDiff:
    matcher = difflib.SequenceMatcher(a=old.splitlines(), b=new.splitlines(), autojunk=False)
    blocks = tuple(
        Block(i1 + 1, i2 - i1, j1 + 1, j2 - j1) for tag, i1, i2, j1, j2 in matcher.get_opcodes() if tag != "equal"
    )
    return FileDiff(before, after, blocks)


def aligned(before: Code, after: Code, renames: dict[str, str] | None = None) -> Alignment:
    renames = renames or {}
    files = []
    for path, text in before.files.items():
        target = renames.get(path, path)
        if target not in after.files:
            files.append(FileDiff(path, ""))
        elif target != path or after.files[target] != text:
            files.append(diff(path, target, text, after.files[target]))
    reached = {renames.get(path, path) for path in before.files}
    files += [FileDiff("", path) for path in after.files if path not in reached]
    return align(before.findings(), after.findings(), files, before.side(), after.side())


def procedure(name: str, *body: str) -> str:
    return "\n".join((f"procedure {name}", *body, "end", ""))


ONE = procedure("read", "check()", f"f = {OPEN}", "use(f)", "done()")


def test_nothing_changed() -> None:
    assert aligned(Code({"a.c": ONE}), Code({"a.c": ONE})) == Alignment((0,), ())


def test_lines_shifted() -> None:
    assert aligned(Code({"a.c": ONE}), Code({"a.c": "new\n" * 7 + ONE})) == Alignment((0,), ())


def test_a_file_renamed_and_edited() -> None:
    after = Code({"lib/b.c": "// moved\n" + ONE})
    assert aligned(Code({"a.c": ONE}), after, {"a.c": "lib/b.c"}) == Alignment((0,), ())


def test_a_static_function_in_a_renamed_file() -> None:
    text = procedure("static_read", "check()", f"f = {OPEN};", "use(f)")
    rewritten = text.replace(f"f = {OPEN};", f"g = {OPEN};")
    after = Code({"b.c": rewritten})
    assert aligned(Code({"a.c": text}), after, {"a.c": "b.c"}) == Alignment((0,), ())


def test_a_function_moved_within_its_file() -> None:
    other = procedure("other", *(f"line{number}()" for number in range(9)))
    assert aligned(Code({"a.c": ONE + other}), Code({"a.c": other + ONE})) == Alignment((0,), ())


def test_a_function_moved_to_another_file() -> None:
    other = procedure("other", "x()")
    after = Code({"a.c": other, "b.c": ONE})
    assert aligned(Code({"a.c": ONE + other}), after) == Alignment((0,), ())


def test_a_function_renamed_and_its_line_rewritten() -> None:
    after = Code({"a.c": procedure("load", "check()", f"file = {OPEN}", "use(f)", "done()")})
    assert aligned(Code({"a.c": ONE}), after) == Alignment((0,), ())


def test_a_function_that_only_looks_a_little_alike_is_another() -> None:
    after = Code({"a.c": procedure("load", "a()", "b()", f"file = {OPEN}", "c()", "d()", "e()")})
    assert aligned(Code({"a.c": ONE}), after) == Alignment((None,), (0,))


def test_a_second_equal_acquisition_above_is_the_new_one() -> None:
    after = Code({"a.c": ONE.replace("check()", f"g = {OPEN}\nuse(g)\ncheck()")})
    assert aligned(Code({"a.c": ONE}), after) == Alignment((None, 0), ())


def test_a_second_equal_acquisition_above_while_the_first_is_rewritten() -> None:
    after = Code({"a.c": procedure("read", f"g = {OPEN}", "use(g)", "more()", "check()", f"file = {OPEN}", "use(f)")})
    assert aligned(Code({"a.c": ONE}), after) == Alignment((None, 0), ())


def test_one_of_two_equal_acquisitions_goes() -> None:
    two = procedure("read", f"g = {OPEN}", "use(g)", "check()", f"f = {OPEN}", "use(f)")
    assert aligned(Code({"a.c": two}), Code({"a.c": ONE})) == Alignment((1,), (0,))


def test_a_new_function_with_the_same_line_beside_a_mended_one() -> None:
    """The diff aligns the equal lines of the two; the leak of the new function is a new one all the same."""
    before = Code({"a.c": procedure("old", f"f = {OPEN}", "use(f)")})
    kept = procedure("old", f"with {OPEN}:", "use(f)")
    after = Code({"a.c": procedure("new", f"f = {OPEN}", "other(f)") + kept})
    as_git_sees_it = FileDiff("a.c", "a.c", (Block(1, 1, 1, 1), Block(3, 0, 3, 4)))
    found = [finding for finding in after.findings() if finding.procedure == "new"]
    result = align(before.findings(), found, [as_git_sees_it], before.side(), after.side())
    assert as_git_sees_it.head_line(2) == 2
    assert result == Alignment((None,), (0,))


def test_an_acquisition_extracted_into_a_function_of_its_own() -> None:
    before = Code({"a.c": procedure("big", "a()", "b()", f"f = {OPEN}", "use(f)")})
    after = Code({"a.c": procedure("big", "a()", "b()", "part()") + procedure("part", f"f = {OPEN}", "use(f)")})
    assert aligned(before, after) == Alignment((0,), ())


def test_an_acquisition_extracted_with_other_blanks_around_it() -> None:
    """The diff does not know the line again, and the two procedures have little in common."""
    before = Code({"a.c": procedure("big", "a()", "b()", "c()", "d()", f"    f = {OPEN}", "    use(f)")})
    part = procedure("part", "first()", "second()", f"f = {OPEN}", "third()", "use(f)", "fourth()")
    assert aligned(before, Code({"a.c": part + procedure("big", "a()", "b()", "c()", "d()", "part()")})) == Alignment((0,), ())
    kept = procedure("big", "a()", "b()", "c()", "d()", f"    with {OPEN}", "    use(f)")
    after = Code({"a.c": part + kept})
    found = [finding for finding in after.findings() if finding.procedure == "part"]
    result = align(before.findings(), found, [diff("a.c", "a.c", before.files["a.c"], after.files["a.c"])], before.side(), after.side())
    assert result == Alignment((None,), (0,)), "the old one was mended where it stood"


def test_an_acquisition_rewritten_in_place() -> None:
    before = "procedure f\n  a = super.open(name)\n  close\nend\n"
    after = before.replace(SUPER, "")
    assert aligned(Code({"a": before}), Code({"a": after})).partner == (0,)
    assert aligned(Code({"a": before}), Code({"a": after.replace("close\n", "close\n  b = open(name)\n")})).partner == (0, None)
    two = before.replace("  close", "  b = super.open(name)\n  close")
    assert aligned(Code({"a": two}), Code({"a": two.replace(SUPER, "")})).partner == (0, 1)
    assert aligned(Code({"a": two}), Code({"a": after})).partner == (0,)


def test_another_acquisition_that_the_same_variable_loses_at_an_old_line() -> None:
    """Whoever replaces what `f` holds has not written the `return` that loses it."""
    before = Code({"a": "procedure p\n  f = open(name)\n  return\nend\n"})
    after = Code({"a": "procedure p\n  f = wrap(super.open(name), 1, 2)\n  return\nend\n"})
    other = Code({"a": "procedure p\n  f = wrap(super.open(name), 1, 2)\n  return now\nend\n"})

    def partner(new: Code, variable: str, resource: str = "Buffer") -> tuple[int | None, ...]:
        [known], [found] = ([_lost_at_return(code, each) for each in code.findings()] for code in (before, new))
        found = msgspec.structs.replace(found, variable=variable, resource=resource, text="wrap(super.open(name), 1, 2)")
        return align([known], [found], [diff("a", "a", before.files["a"], new.files["a"])], before.side(), new.side()).partner

    assert partner(after, "f") == (0,)
    assert partner(after, "g") == (None,), "another variable"
    assert partner(other, "f") == (None,), "the exit was rewritten too"
    assert partner(other, "f", "FILE") == (0,), "the exit was rewritten too, but it is the same kind of thing"


def test_another_thing_of_the_same_call_that_was_lost_before() -> None:
    """`file = read(path)` gives a descriptor and its mapping; error handling that is rewritten loses the one for sure, not the other."""
    before = Code({"a": "procedure p\n  f = open(name)\n  return\nend\n"})
    after = Code({"a": "procedure p\n  f = open(name)\n  free(f)\n  return\nend\n"})
    here = [diff("a", "a", before.files["a"], after.files["a"])]

    def partner(*kinds: str, text: str = OPEN) -> tuple[int | None, ...]:
        [known], [found] = before.findings(), after.findings()
        others = [msgspec.structs.replace(found, resource=kind, text=text) for kind in kinds]
        return align([known], others, here, before.side(), after.side()).partner

    assert partner("mapping") == (0,)
    assert partner("mapping", "FILE") == (None, 0), "what has a partner of its own kind keeps it"
    assert partner("mapping", text="open(other)") == (None,), "another call on that line"


def _lost_at_return(code: Code, finding: Finding) -> Finding:
    start = code.files[finding.path].index("return")
    return msgspec.structs.replace(finding, lost=Span(finding.path, start, start + 6))


def test_a_file_that_went() -> None:
    assert aligned(Code({"a.c": ONE}), Code({"b.c": "nothing\n"})) == Alignment((), (0,))


def test_a_copied_function_is_introduced_once() -> None:
    after = Code({"a.c": ONE, "b.c": ONE})
    assert aligned(Code({"a.c": ONE}), after) == Alignment((0, None), ())


NAMES = ("one", "two", "three", "four")


@st.composite
def programs(draw: st.DrawFn) -> str:
    parts = []
    for name in NAMES[: draw(st.integers(1, 4))]:
        body = []
        for number in range(draw(st.integers(0, 5))):
            filler = f"{name}{number}()"
            body.append(draw(st.sampled_from((filler, f"f = {OPEN}", f"g{number} = {OPEN}"))))
        parts.append(procedure(name, *body))
    return "".join(parts)


@settings(max_examples=80, deadline=None)
@given(programs(), st.permutations(range(4)), st.integers(0, 3))
def test_moving_procedures_about_introduces_and_fixes_nothing(text: str, order: list[int], shift: int) -> None:
    parts = [f"procedure {part}" for part in text.split("procedure ")[1:]]
    moved = "//\n" * shift + "".join(parts[index] for index in order if index < len(parts))
    before, after = Code({"a.c": text}), Code({"b.c": moved})
    result = aligned(before, after, {"a.c": "b.c"})
    assert None not in result.partner
    assert result.gone == ()
    for new, old in enumerate(result.partner):
        assert old is not None
        assert before.findings()[old].procedure == after.findings()[new].procedure


@settings(max_examples=80, deadline=None)
@given(programs(), programs())
def test_matching_is_one_to_one_and_complete(old: str, new: str) -> None:
    before, after = Code({"a.c": old}), Code({"a.c": new})
    result = aligned(before, after)
    partners = [partner for partner in result.partner if partner is not None]
    assert len(partners) == len(set(partners))
    assert sorted([*partners, *result.gone]) == list(range(len(before.findings())))
    assert result == aligned(before, after)


@settings(max_examples=60, deadline=None)
@given(programs(), st.data())
def test_an_added_acquisition_is_the_only_new_one(text: str, data: st.DataObject) -> None:
    lines = text.splitlines(keepends=True)
    starts = [number for number, line in enumerate(lines) if line.startswith("procedure")]
    at = data.draw(st.sampled_from(starts)) + 1
    after = Code({"a.c": "".join([*lines[:at], f"fresh = {OPEN}\n", *lines[at:]])})
    result = aligned(Code({"a.c": text}), after)
    introduced = [after.findings()[index] for index, old in enumerate(result.partner) if old is None]
    assert [finding.acquired.start for finding in introduced] == [after.files["a.c"].index(f"fresh = {OPEN}") + 8]
    assert result.gone == ()
