"""What a change can affect: by text, by answers, by Effects, on both sides alike."""

from __future__ import annotations

import pytest

from analyzers import MemoryTree, Options, Program, analyze
from analyzers.incremental.parts import PART
from analyzers.means import Means, TimeUp
from analyzers.queries import ProcedureKey
from analyzers.scope import is_declared, scope_of_change, words_in
from analyzers.summaries import MemoryStore
from tests.reach import ReachDetector, ReachEngine

Files = dict[str, bytes]


def scope(
    before: Files, after: Files, renames: dict[str, str] | None = None, store: MemoryStore | None = None
) -> tuple[list[str], list[str]]:
    """The names of the procedures in scope, before and after."""
    renames = renames or {}
    base = Program(MemoryTree(before), store=store, engine=ReachEngine(), options=Options())
    head = base.beside(MemoryTree(after))
    changed = {path for path in {*before, *after} if before.get(path) != after.get(path)} - {*renames, *renames.values()}
    files = [*renames.items()]
    files += [(path if path in before else "", path if path in after else "") for path in sorted(changed)]
    found = scope_of_change(base, head, files, (ReachDetector(),))
    return [key.name for key in found.before], [key.name for key in found.after]


def both(names: str) -> tuple[list[str], list[str]]:
    return names.split(), names.split()


USER = b'#include "x.h"\nint user(int n) { return use(n); }\nint other(int n) { return n; }\n'


def test_nothing_but_what_differs() -> None:
    before = {"a.c": b"int f(void) { return 1; }\nint g(void) { return 2; }\n"}
    after = {"a.c": b"/* moved */\nint f(void) { return 1; }\nint g(void) { return 3; }\n"}
    assert scope(before, after) == both("g")


@pytest.mark.parametrize("instead", [b"", b"no"])
def test_what_a_store_has_forgotten_makes_no_difference(instead: bytes) -> None:
    before = {"a.c": b"int f(void) { return 1; }\nint g(int n) { return f() + use(n); }\nint h(int n) { return use(n); }\n", "b.c": b"int use(int n) { return n; }\n"}
    after = {**before, "a.c": before["a.c"].replace(b"return 1", b"return 2")}
    store = MemoryStore()
    base = Program(MemoryTree(before), store=store, engine=ReachEngine(), options=Options())
    analyze(base, detectors=(ReachDetector(),))
    base.save()
    for name in [name for section, name in store._values if section == PART]:
        kept = MemoryStore()
        kept._values.update(store._values)
        kept.put(PART, name, instead)
        assert scope(before, after, store=kept) == both("f g")
    assert scope(before, after) == both("f g")


def test_procedures_come_and_go() -> None:
    before = {"a.c": b"int f(void) { return 1; }\nint h(void) { return 1; }\n"}
    after = {"a.c": b"int f(void) { return 1; }\nint g(void) { return 2; }\n"}
    assert scope(before, after) == (["h"], ["g"])


def test_callers_follow_while_effects_differ() -> None:
    callers = b"int one(void) { return f(); }\nint two(void) { return one(); }\nint far(void) { return 0; }\n"
    before = {"a.c": b"int f(void) { return now(1); }\n", "b.c": callers}
    assert scope(before, {"a.c": b"int f(void) { return now(2); }\n", "b.c": callers}) == both("f")
    left = {"a.c": b"int f(void) { return later(2); }\n", "b.c": callers}
    assert scope(before, left) == both("f one two")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"#define use(n) first(n)\n", b"#define use(n) second(n)\n"),
        (b"#define inner(n) first(n)\n#define use(n) inner(n)\n", b"#define inner(n) return n\n#define use(n) inner(n)\n"),
        (b"int use(int n);\n", b"int use(int n) __attribute__((noreturn));\n"),
        (b"enum { use = 1 };\n", b"enum { use = 2 };\n"),
        (b"", b"static int use(int n) { return n; }\n"),
    ],
)
def test_users_of_a_changed_header(old: bytes, new: bytes) -> None:
    text = USER.replace(b"use(n)", b"use + n") if b"enum" in old else USER
    before, after = scope({"x.h": old, "u.c": text}, {"x.h": new, "u.c": text})
    assert "user" in before and "user" in after
    assert "other" not in before + after


def test_users_of_a_changed_member() -> None:
    text = b'#include "x.h"\nlong user(struct s *p) { return p->field; }\nlong other(struct s *p) { return p->same; }\n'
    before = {"x.h": b"struct s { int field; int same; };\n", "u.c": text}
    after = {"x.h": b"struct s { char *field; int same; };\n", "u.c": text}
    assert scope(before, after) == both("user")


def test_callers_through_a_pointer() -> None:
    text = b"struct ops { int (*run)(int); };\nint call(struct ops *o) { return o->run(1); }\nint other(int n) { return n; }\n"
    before = {"ops.c": text, "x.c": b"int work(int n) { return n; }\nvoid set(struct ops *o) { o->run = work; }\n"}
    after = {"ops.c": text, "x.c": b"int work(int n) { return n; }\nint more(int n) { return leak(n); }\n"
             b"void set(struct ops *o) { o->run = more; }\n"}
    assert scope(before, after) == (["call", "set"], ["call", "more", "set"])


def test_overriders_and_throws_of_java() -> None:
    base = b"class Base { void run() { } }\n"
    user = b"class User { void go(Base b) throws Exception { try { b.run(); } finally { leak(); } } void other(Base b) { } }\n"
    files = {"Base.java": base, "User.java": user}
    override = {**files, "Sub.java": b"class Sub extends Base { void run() { leak(); } }\n"}
    assert scope(files, override)[1] == ["Sub.<init>()", "Sub.run()", "User.go(Base)"]
    throws = {**files, "Base.java": b"class Base { void run() throws java.io.IOException { } }\n"}
    assert scope(files, throws)[1] == ["Base.run()", "User.go(Base)"]


def test_a_renamed_file_alone_changes_nothing() -> None:
    body = b"int f(void) { return helper(); }\n"
    user = b"int user(void) { return f(); }\n"
    before = {"a.c": body, "u.c": user}
    assert scope(before, {"b.c": body, "u.c": user}, {"a.c": "b.c"}) == ([], [])
    changed = body.replace(b"helper", b"leak")
    assert scope(before, {"b.c": changed, "u.c": user}, {"a.c": "b.c"}) == both("f user")


@pytest.mark.parametrize("looks", range(12))
def test_when_the_time_is_up_the_changed_texts_are_left(looks: int) -> None:
    callers = b"int one(void) { return f(); }\nint two(void) { return one(); }\nint far(void) { return 0; }\n"
    base = Program(MemoryTree({"a.c": b"int f(void) { return now(1); }\n", "b.c": callers}), engine=ReachEngine())
    head = base.beside(MemoryTree({"a.c": b"int f(void) { return later(2); }\n", "b.c": callers}))
    left = iter(range(looks))
    cut = scope_of_change(base, head, [("a.c", "a.c")], (ReachDetector(),), Means(is_over=lambda: next(left, None) is None))
    whole = scope_of_change(base, head, [("a.c", "a.c")], (ReachDetector(),))
    names = [key.name for key in cut.after]
    assert [key.name for key in whole.after] == ["f", "one", "two"]
    assert names == ["f", "one", "two"][: len(names)]
    assert names
    assert not cut.is_complete or len(names) == 3


def test_when_the_time_is_up_procedures_that_call_each_other_are_left() -> None:
    ring = b"".join(b"int r%d(void) { return r%d(); }\n" % (n, (n + 1) % 40) for n in range(40))
    engine = ReachEngine()
    program = Program(MemoryTree({"a.c": ring}), engine=engine)
    with pytest.raises(TimeUp), program.until(lambda: len(engine.summarised) > 50):
        program.effects(ProcedureKey("a.c", "r0"))
    assert len(engine.summarised) == 51
    assert program.effects(ProcedureKey("a.c", "r0")) == Program(MemoryTree({"a.c": ring}), engine=ReachEngine()).effects(ProcedureKey("a.c", "r0"))


@pytest.mark.parametrize(
    ("text", "places"),
    [(b"use", [0]), (b"use(use) reuse user u_use use2 $use use", [0, 4, 36]), (b"\xc3use use\xc3", []), (b"", []), (b"a.use->use;", [2, 7])],
)
def test_a_word_is_no_part_of_a_longer_one(text: bytes, places: list[int]) -> None:
    assert words_in(text, "use") == places


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("    public void close() {", True),
        ("    int[] close () {", True),
        ("    Foo close(", True),
        ("    x.close();", False),
        ("    close();", False),
        ("    return close();", False),
        ("    else close();", False),
        ("    Object o = new close();", False),
        ("    Runnable r = Foo::close;", False),
        ("    this.<Foo>close();", False),
        ("    a > close();", False),
        ("    label: close();", False),
        ("    int close = 1;", False),
    ],
)
def test_who_only_declares_a_method_does_not_call_it(line: str, expected: bool) -> None:
    text = f"// what comes before, too\n{line}\n".encode()
    assert is_declared(text, text.index(b"close"), len(b"close")) is expected


def test_the_word_in_the_line_before_is_no_type() -> None:
    text = b"// now do it\nclose();\n"
    assert not is_declared(text, text.index(b"close"), len(b"close"))


def java(text: str, change: tuple[str, str]) -> tuple[Program, set[str]]:
    """The program after a change of one class, and what its scope asked Effects of."""
    engine = ReachEngine()
    others = {"Other.java": b"class Other { void run() { } void go(Runnable r) { int log = 1; } }"}
    base = Program(MemoryTree({**others, "A.java": text.encode()}), engine=engine, options=Options())
    head = base.beside(MemoryTree({**others, "A.java": text.replace(*change).encode()}))
    scope_of_change(base, head, [("A.java", "A.java")], (ReachDetector(),))
    return head, {key.name for key in engine.summarised}


def test_files_that_only_have_the_name_of_a_private_member_are_not_read() -> None:
    head, _ = java("class A { private int log; void f() { log = 1; } }", ("int log", "long log"))
    assert not head.is_lowered("Other.java")


def test_files_that_only_declare_a_method_of_the_name_are_not_read() -> None:
    head, _ = java("class A { void run() { } }", ("run() {", "run() throws RuntimeException {"))
    assert not head.is_lowered("Other.java")


def test_what_an_unchanged_method_asks_is_compared_where_it_shares_a_word_with_the_change() -> None:
    text = "class A { private int log; int seen; void f() { log = 1; } void g() { seen = 1; } void h() { seen = 2; } }"
    _, asked = java(text, ("int log", "long log"))
    assert "A.f()" in asked
    assert not {"A.g()", "A.h()"} & asked
    _, asked = java(text, ("seen = 1", "seen = 3"))
    assert "A.h()" in asked
    assert "A.f()" not in asked


def test_of_a_class_with_another_heading_every_method_is_compared() -> None:
    _, asked = java("class A { int seen; void f() { } void g() { } }", ("class A {", "class A extends Other {"))
    assert {"A.f()", "A.g()"} <= asked


@pytest.mark.parametrize("written", [b"Sub() { super(1); }", b""])
def test_constructors_below_call_a_constructor_without_its_name(written: bytes) -> None:
    before = {"Base.java": b"class Base { Base() { this(1); } Base(int n) { } }", "Sub.java": b"class Sub extends Base { " + written + b" }"}
    after = {**before, "Base.java": before["Base.java"].replace(b"int n) { }", b"int n) { leak(); } void leak() { }")}
    _, names = scope(before, after)
    assert {"Base.<init>()", "Base.<init>(int)", "Sub.<init>()"} <= set(names)
