"""For each kind of query: a change of its answer in another file redoes exactly who asked, and equals a cold run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from analyzers import MemoryTree, Program, analyze
from analyzers.queries import ProcedureKey, Queries
from analyzers.summaries import Effects, MemoryStore
from tests.reach import ReachDetector, ReachEngine

Files = dict[str, bytes]


class Asking(ReachDetector):
    """Asks one question about each procedure called `asker`, and keeps the answers."""

    name = "asking"

    def __init__(self, ask: Callable[[Queries, ProcedureKey], object]) -> None:
        super().__init__()
        self._ask = ask
        self.answers: dict[ProcedureKey, object] = {}

    def detect(self, queries: Queries, keys: Sequence[ProcedureKey]):  # type: ignore[no-untyped-def]
        for key in keys:
            if "asker" in key.name:
                self.asked.append(key)
                self.answers[key] = self._ask(queries, key)
        return iter(())


class Specs:
    """One model, which may change."""

    def __init__(self, name: str, effects: Effects) -> None:
        self._known = {name: effects}
        self.digest = f"{name} {effects}"

    def model(self, names: tuple[str, ...], parameters: tuple[str, ...]) -> Effects | None:
        return next((self._known[name] for name in names if name in self._known), None)

    def constant(self, name: str) -> str:
        return ""


C = b'#include "x.h"\nint asker(struct s *p) { return 1; }\nint bystander(struct s *p) { return 2; }\n'
JAVA = b"class A { void asker(Base b) { } void bystander(Base b) { } }\n"
CLOSING = b"class B {" + b"".join(b" void m%d() { Base c = base(); c.close(); }" % n for n in range(3)) + b" Base base() { return new Base(); } }\n"
BASE = b"class Base { int field; void run() { } }\n"

KINDS: dict[str, tuple[Callable[[Queries, ProcedureKey], object], Files, Files]] = {
    "unit": (lambda q, k: q.unit("x.h"), {"x.h": b"int a;\n"}, {"x.h": b"int b;\n"}),
    "procedure": (
        lambda q, k: q.procedure(ProcedureKey("b.c", "f")),
        {"b.c": b"int f(void) { return 1; }\n"}, {"b.c": b"int f(void) { return 2; }\n"},
    ),
    "text": (
        lambda q, k: q.text(ProcedureKey("b.c", "f"), 0, 9),
        {"b.c": b"int f(void) { return 1; }\n"}, {"b.c": b"int f(int a) { return 1; }\n"},
    ),
    "linked": (
        lambda q, k: q.linked(ProcedureKey("b.c", "f")),
        {"b.c": b"int f(void) { return g(); }\n", "c.c": b"int h(void) { return 1; }\n"},
        {"b.c": b"int f(void) { return g(); }\n", "c.c": b"int g(void) { return run(); }\n"},
    ),
    "effects": (
        lambda q, k: q.effects(ProcedureKey("b.c", "f")),
        {"b.c": b"int f(void) { return one(); }\n"}, {"b.c": b"int f(void) { return two(); }\n"},
    ),
    "resolve_type": (
        lambda q, k: q.resolve_type(k.path, "A", "Thread"), {}, {"Thread.java": b"class Thread { }\n"},
    ),
    "supertypes": (
        lambda q, k: q.supertypes("Base"),
        {"Base.java": BASE}, {"Base.java": BASE.replace(b"Base {", b"Base extends Thread {")},
    ),
    "is_subtype": (
        lambda q, k: q.is_subtype("Base", "java.lang.Runnable"),
        {"Base.java": BASE}, {"Base.java": BASE.replace(b"Base {", b"Base extends Thread {")},
    ),
    "subtypes": (
        lambda q, k: q.subtypes("Base"),
        {"Base.java": BASE}, {"Base.java": BASE, "Sub.java": b"class Sub extends Base { }\n"},
    ),
    "methods": (
        lambda q, k: q.methods("Base", "run"),
        {"Base.java": BASE}, {"Base.java": BASE.replace(b"run()", b"run() throws java.io.IOException")},
    ),
    "has_method": (
        lambda q, k: q.has_method("Base", ("stop", "end")),
        {"Base.java": BASE}, {"Base.java": BASE.replace(b"run()", b"end()")},
    ),
    "callee": (
        lambda q, k: q.callee("Base", "run", False, False, ()),
        {"Base.java": BASE}, {"Base.java": BASE, "Sub.java": b"class Sub extends Base { void run() { } }\n"},
    ),
    "is_customarily_closed": (
        lambda q, k: q.is_customarily_closed(k.path, "Base", "base", 0),
        {"B.java": CLOSING}, {"B.java": CLOSING.replace(b"c.close();", b"c.run();", 1)},
    ),
    "declared_types": (
        lambda q, k: q.declared_types("Base.java", "Base"),
        {"Base.java": BASE}, {"Base.java": BASE.replace(b"void run() {", b"Thread run() { return null;")},
    ),
    "overriders": (
        lambda q, k: q.overriders("Base", "run"),
        {"Base.java": BASE}, {"Base.java": BASE, "Sub.java": b"class Sub extends Base { void run() { } }\n"},
    ),
    "field_type": (
        lambda q, k: q.field_type("Base", "field"),
        {"Base.java": BASE}, {"Base.java": BASE.replace(b"int field", b"String field")},
    ),
    "declaring_file": (
        lambda q, k: q.declaring_file("Sub"),
        {"Base.java": BASE}, {"Base.java": BASE, "Sub.java": b"class Sub { }\n"},
    ),
    "is_closeable": (
        lambda q, k: q.is_closeable("Base"),
        {"Base.java": BASE}, {"Base.java": BASE.replace(b"Base {", b"Base implements java.io.Closeable {")},
    ),
    "functions": (
        lambda q, k: q.functions(k.path, "f"),
        {"b.c": b"int f(void) { return 1; }\n"},
        {"b.c": b"int f(void) { return 1; }\n", "c.c": b"int f(void) { return 2; }\n"},
    ),
    "prototype": (
        lambda q, k: q.prototype(k.path, "f"), {"x.h": b"int f(int);\n"}, {"x.h": b"int f(char *);\n"},
    ),
    "macro": (
        lambda q, k: q.macro(k.path, "M"), {"x.h": b"#define M 1\n"}, {"x.h": b"#define M 2\n"},
    ),
    "c_type": (
        lambda q, k: q.c_type(k.path, "struct s"),
        {"x.h": b"struct s { int a; };\n"}, {"x.h": b"struct s { int a; int b; };\n"},
    ),
    "type_heading": (
        lambda q, k: q.type_heading(k.path, "t"), {"x.h": b"typedef int t;\n"}, {"x.h": b"typedef char *t;\n"},
    ),
    "member_type": (
        lambda q, k: q.member_type(k.path, "struct s", "a"),
        {"x.h": b"struct s { int a; int b; };\n"}, {"x.h": b"struct s { char *a; int b; };\n"},
    ),
    "variable_type": (
        lambda q, k: q.variable_type(k.path, "v"), {"x.h": b"extern int v;\n"}, {"x.h": b"extern char *v;\n"},
    ),
    "spliced": (
        lambda q, k: q.spliced(ProcedureKey("b.c", "f")),
        {"b.c": b'#include "y.h"\nint f(int n) { OUT(n) return 1; }\n', "y.h": b"#define OUT(n) if (n) return 7;\n"},
        {"b.c": b'#include "y.h"\nint f(int n) { OUT(n) return 1; }\n', "y.h": b"#define OUT(n) if (n) return 8;\n"},
    ),
    "function_pointers": (
        lambda q, k: q.function_pointers("run"),
        {"b.c": b"int f(void) { return 1; }\nvoid set(struct s *p) { p->run = 0; }\n"},
        {"b.c": b"int f(void) { return 1; }\nvoid set(struct s *p) { p->run = f; }\n"},
    ),
    "constant": (
        lambda q, k: q.constant(k.path, "LIMIT"), {"x.h": b"enum { LIMIT = 3 };\n"}, {"x.h": b"enum { LIMIT = 4 };\n"},
    ),
    "never_returns": (
        lambda q, k: q.never_returns(ProcedureKey("b.c", "die")),
        {"x.h": b"void quit(void);\n", "b.c": b'#include "x.h"\nvoid die(void) { quit(); }\n'},
        {"x.h": b"void quit(void) __attribute__((noreturn));\n", "b.c": b'#include "x.h"\nvoid die(void) { quit(); }\n'},
    ),
    "callers": (
        lambda q, k: q.callers("f"),
        {"b.c": b"int g(void) { return 1; }\n"}, {"b.c": b"int g(void) { return f(); }\n"},
    ),
    "mentioning": (
        lambda q, k: q.mentioning("word"),
        {"b.c": b"int g(void) { return 1; }\n"}, {"b.c": b"int g(void) { return 1; } /* word */ int word;\n"},
    ),
}  # fmt: skip

JAVA_KINDS = frozenset((
    "resolve_type", "supertypes", "is_subtype", "subtypes", "methods", "has_method", "callee", "is_customarily_closed", "overriders", "field_type", "is_closeable",
    "declared_types", "declaring_file",
))  # fmt: skip


def run(files: Files, ask: Callable[[Queries, ProcedureKey], object], store: MemoryStore | None) -> Asking:
    program = Program(MemoryTree(files), store=store, engine=ReachEngine())
    detector = Asking(ask)
    analyze(program, detectors=(detector,))
    program.save()
    return detector


@pytest.mark.parametrize("kind", KINDS)
def test_a_changed_answer_redoes_who_asked(kind: str) -> None:
    ask, before, after = KINDS[kind]
    asker = {"A.java": JAVA} if kind in JAVA_KINDS else {"a.c": C}
    store = MemoryStore()
    first = run({**asker, **before}, ask, store)
    second = run({**asker, **after}, ask, store)
    cold = run({**asker, **after}, ask, None)
    assert [key.path for key in second.asked] == list(asker)
    assert second.answers == cold.answers != first.answers


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_answer_redoes_nobody(kind: str) -> None:
    """A comment above everything moves all places and says nothing else."""
    ask, before, _ = KINDS[kind]
    asker = {"A.java": JAVA} if kind in JAVA_KINDS else {"a.c": C}
    store = MemoryStore()
    run({**asker, **before}, ask, store)
    moved = {path: b"/* above */\n" + text for path, text in before.items()}
    assert run({**asker, **moved}, ask, store).asked == []


@pytest.mark.parametrize("kind", ["type_heading", "member_type"])
def test_another_member_is_the_business_of_who_asked_for_all(kind: str) -> None:
    ask = KINDS[kind][0] if kind == "member_type" else lambda q, k: q.type_heading(k.path, "struct s")
    store = MemoryStore()
    run({"a.c": C, "x.h": b"struct s { int a; };\n"}, ask, store)
    assert run({"a.c": C, "x.h": b"struct s { int first; int a; };\n"}, ask, store).asked == []


def test_linking_does_not_ask_for_all_of_its_file() -> None:
    store = MemoryStore()
    files = {"a.c": b"static int one(void) { return 1; }\nint asker(void) { return one(); }\n"}
    more = {"a.c": b"static int two(int n) { return n; }\n" + files["a.c"]}
    for each in (files, more):
        engine = ReachEngine()
        program = Program(MemoryTree(each), store=store, engine=engine)
        for key in program.procedures():
            program.answer(("linked", key))
        program.save()
    assert engine.linked == [ProcedureKey("a.c", "two")]


def test_a_changed_model_redoes_who_asked() -> None:
    store = MemoryStore()

    def asked(effects: Effects) -> list[ProcedureKey]:
        program = Program(MemoryTree({"a.c": C}), Specs("lib", effects), store, engine=ReachEngine())
        detector = Asking(lambda q, k: q.model(("lib",), ()))
        analyze(program, detectors=(detector,))
        program.save()
        return detector.asked

    asker = [ProcedureKey("a.c", "asker")]
    assert asked(Effects(returns="never")) == asker
    assert asked(Effects(returns="never")) == []
    assert asked(Effects(returns="normal")) == asker


def test_every_kind_of_query_is_here() -> None:
    wanted = {name for name in vars(Queries) if not name.startswith("_")} - {"model", "source_of"}
    assert wanted == set(KINDS)
