"""Tracker against all paths of small programs: each is run in every way, and open objects without a name counted.

Programs have three handles, a record of the procedure's own with one field, and a flag that comes from outside.
"""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from analyzers.domains.obligation import UNSURE
from tests.worlds import World

HANDLES = ("p", "q", "r")
Statement = tuple[object, ...]

handle = st.sampled_from(HANDLES)
simple = st.one_of(
    st.tuples(st.just("acquire"), handle),
    st.tuples(st.just("copy"), handle, handle),
    st.tuples(st.just("null"), handle),
    st.tuples(st.just("release"), handle),
    st.tuples(st.just("keep"), handle),
    st.tuples(st.just("flag"), st.sampled_from(("=0", "=1"))),
    st.tuples(st.just("return"), st.sampled_from(("", *HANDLES))),
)
heap = st.one_of(st.tuples(st.just("store"), handle), st.tuples(st.just("load"), handle))
test = st.one_of(st.just("flag"), handle, st.just("*"))


def _programs(leaf: st.SearchStrategy[Statement], *kinds: str) -> st.SearchStrategy[list[Statement]]:
    def nest(inner: st.SearchStrategy[list[Statement]]) -> st.SearchStrategy[list[Statement]]:
        shapes = {
            "if": st.tuples(st.just("if"), test, inner, inner),
            "while": st.tuples(st.just("while"), test, inner),
        }
        return st.lists(st.one_of(leaf, *(shapes[kind] for kind in kinds)), max_size=4)

    return st.recursive(st.lists(leaf, max_size=4), nest, max_leaves=4)


# --- the program as IR


class _Writer:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.count = 0
        self.sites: dict[int, int] = {}

    def label(self) -> str:
        self.count += 1
        return f"l{self.count}"

    def text(self, program: list[Statement]) -> str:
        for name in HANDLES:
            self.lines.append(f"{name} = =null")
        self.lines.append("s = alloc Record")
        self.block(program)
        self.lines.append("return")
        return "function f (flag)\n" + "\n".join(self.lines)

    def block(self, program: list[Statement]) -> None:
        for statement in program:
            self.statement(statement)

    def statement(self, statement: Statement) -> None:
        match statement:
            case ("acquire", name):
                self.sites[id(statement)] = len(self.lines) + 3
                self.lines.append(f"{name} = function acquire()")
            case ("copy", name, other):
                self.lines.append(f"{name} = {other}")
            case ("null", name):
                self.lines.append(f"{name} = =null")
            case ("release" | "keep" as what, name):
                self.lines.append(f"function {what}({name})")
            case ("flag", value):
                self.lines.append(f"flag = {value}")
            case ("return", name):
                self.lines.append(f"return {name}")
            case ("store", name):
                self.lines.append(f"store s.f = {name}")
            case ("load", name):
                self.lines.append(f"{name} = load s.f")
            case ("if", condition, list() as yes, list() as no):
                first, second, join = self.label(), self.label(), self.label()
                self.lines.append(f"if {condition} -> {first}, {second}")
                self.lines.append(f"{first}: function use()")
                self.block(yes)
                self.lines.append(f"function use() -> {join}")
                self.lines.append(f"{second}: function use()")
                self.block(no)
                self.lines.append(f"{join}: function use()")
            case ("while", condition, list() as body):
                head, first, join = self.label(), self.label(), self.label()
                self.lines.append(f"{head}: if {condition} -> {first}, {join}")
                self.lines.append(f"{first}: function use()")
                self.block(body)
                self.lines.append(f"function use() -> {head}")
                self.lines.append(f"{join}: function use()")


# --- the program, run


class _State:
    """Variables and objects. Objects are numbered; `site` says where each was acquired."""

    def __init__(self) -> None:
        self.values: dict[str, int | None] = {**dict.fromkeys(HANDLES), "s.f": None}
        self.flag = 0
        self.site: dict[int, int] = {}
        self.open: set[int] = set()
        self.leaked: set[int] = set()

    def copy(self) -> _State:
        other = _State()
        other.values, other.flag = dict(self.values), self.flag
        other.site, other.open, other.leaked = dict(self.site), set(self.open), set(self.leaked)
        return other

    def sweep(self, *kept: int | None) -> None:
        named = {*self.values.values(), *kept}
        for each in sorted(self.open - named):
            self.open.discard(each)
            self.leaked.add(self.site[each])


def _run(program: list[Statement], state: _State, sites: dict[int, int], turns: int) -> Iterator[tuple[_State, bool]]:
    """(state, whether it has returned) after every way through."""
    if not program:
        yield state, False
        return
    for after, is_done in _step(program[0], state, sites, turns):
        if is_done:
            yield after, True
        else:
            yield from _run(program[1:], after, sites, turns)


def _step(statement: Statement, state: _State, sites: dict[int, int], turns: int) -> Iterator[tuple[_State, bool]]:
    state = state.copy()
    values = state.values
    match statement:
        case ("acquire", str(name)):
            number = len(state.site)
            state.site[number] = sites[id(statement)]
            values[name] = number
            state.open.add(number)
        case ("copy", str(name), str(other)):
            values[name] = values[other]
        case ("null", str(name)):
            values[name] = None
        case ("release" | "keep", str(name)):
            state.open.discard(values[name] if values[name] is not None else -1)
        case ("flag", value):
            state.flag = int(str(value)[1:])
        case ("return", str(name)):
            kept = values.get(name) if name else None
            state.values = {}
            state.open.discard(kept if kept is not None else -1)
            state.sweep()
            yield state, True
            return
        case ("store", str(name)):
            values["s.f"] = values[name]
        case ("load", str(name)):
            values[name] = values["s.f"]
        case ("if", condition, list() as yes, list() as no):
            for is_taken in _sides(condition, state):
                yield from _run(yes if is_taken else no, state, sites, turns)
            return
        case ("while", condition, list() as body):
            for is_taken in _sides(condition, state):
                if not is_taken:
                    yield state, False
                elif turns:
                    yield from _run([*body, statement], state, sites, turns - 1)
            return
    state.sweep()
    yield state, False


def _sides(condition: object, state: _State) -> tuple[bool, ...]:
    if condition == "*":
        return (True, False)
    return (bool(state.flag),) if condition == "flag" else (state.values[str(condition)] is not None,)


def _leaks(program: list[Statement], sites: dict[int, int], turns: int) -> set[int]:
    found: set[int] = set()
    for flag in (0, 1):
        state = _State()
        state.flag = flag
        for after, is_done in _run(program, state, sites, turns):
            if not is_done:
                after = after.copy()
                after.values = {}
                after.sweep()
            found |= after.leaked
    return found


def _reports(program: list[Statement]) -> tuple[set[int], set[int], set[int]]:
    """(leaking sites by enumeration, reported sites, those of them that are witnessed)."""
    writer = _Writer()
    text = writer.text(program)
    runs = World(text).runs("f")
    reported = {run.obligation.node for run in runs if run.losses}
    witnessed = {
        run.obligation.node for run in runs if any(not loss.fact[2] & UNSURE for loss in run.losses)
    }
    return _leaks(program, writer.sites, 2), reported, witnessed


def _unshared(program: list[Statement]) -> list[Statement]:
    """The program with every statement an object of its own, so that equal ones are different sites."""
    return [
        tuple(_unshared(part) if isinstance(part, list) else part for part in [*statement])
        for statement in program
    ]


@settings(max_examples=400, deadline=None)
@given(_programs(simple, "if"))
def test_without_heap_and_loops_reports_are_exact(program: list[Statement]) -> None:
    leaking, reported, witnessed = _reports(_unshared(program))
    assert leaking <= reported
    assert witnessed <= leaking


@settings(max_examples=300, deadline=None)
@given(_programs(st.one_of(simple, heap), "if", "while"))
def test_no_leak_on_any_path_is_missed(program: list[Statement]) -> None:
    leaking, reported, _ = _reports(_unshared(program))
    assert leaking <= reported
