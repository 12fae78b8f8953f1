"""The Resource Leak Checker: keys, bad annotations, who releases what, and which files it speaks about."""

from __future__ import annotations

import pytest

import fixers
from analyzers import MemoryTree, Program, analyze, load, specs
from analyzers.detectors.resource_leak_checker import ResourceLeakChecker
from analyzers.detectors.resource_leak_checker.vocabulary import read
from analyzers.finding import NOT_CALLED, Finding

IMPORTS = "import org.checkerframework.checker.mustcall.qual.*;\nimport org.checkerframework.checker.calledmethods.qual.*;\n"


def program_of(**files: str) -> Program:
    tree = MemoryTree({f"{name}.java": text.encode() for name, text in files.items()})
    return load(tree, specs.load(("java",)))


def found(**files: str) -> list[Finding]:
    analysis = analyze(program_of(**files), None, (ResourceLeakChecker(),))
    assert not [note for note in analysis.notes if "failed" in note.text]
    return list(analysis.findings)


@pytest.mark.parametrize(
    ("attribute", "strings"),
    [
        ('MustCall("a")', ("a",)),
        ('MustCall({"a", "b"})', ("a", "b")),
        ("MustCall({})", ()),
        ("MustCall", ()),
        ('checker.MustCall(value = {"a"})', ("a",)),
        ('MustCall(NAME)', ()),
        ('MustCall({"a", ', ("a",)),
    ],
)
def test_the_strings_of_an_annotation_are_read(attribute: str, strings: tuple[str, ...]) -> None:
    (annotation,) = read((attribute,))
    assert (annotation.name, annotation.strings()) == ("MustCall", strings)


def test_the_annotations_of_a_container_are_read_for_themselves() -> None:
    text = 'EnsuresCalledMethods.List({@EnsuresCalledMethods(value = "#1", methods = "a"), @EnsuresCalledMethods(value = "#2", methods = {"b"})})'
    first, second = read((text,))
    assert (first.strings(), first.strings("methods")) == (("#1",), ("a",))
    assert (second.strings(), second.strings("methods")) == (("#2",), ("b",))


def test_annotations_of_any_package_count() -> None:
    source = "class A { static void take(@my.own.Owning java.net.Socket s) { } }"
    assert [each.detail for each in found(A=source)] == [NOT_CALLED]


def test_a_file_without_annotations_is_left_to_the_others() -> None:
    assert found(A="class A { void f() throws Exception { new java.net.Socket(\"h\", 1); } }") == []


BAD = {
    "cyclic": "@InheritableMustCall(\"a\") class A extends B { void a() { } void f() { new A(); } }\nclass B extends A { }",
    "unknown parameter": "class A { @EnsuresCalledMethods(value = \"#7\", methods = \"close\") void f(@Owning java.net.Socket s) { } }",
    "no expression": "class A { @CreatesMustCallFor(\"new A(\") void f() { } @EnsuresCalledMethods(value = \"a b\", methods = \"x\") void g() { } }",
    "unknown type": "class A { @Owning Missing m; void f(@Owning Missing m) { this.m = m; } }",
    "annotated lambda": "class A { Runnable r = () -> { @Owning java.net.Socket s = null; }; }",
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_no_failure(name: str) -> None:
    found(A=IMPORTS + BAD[name])


def test_what_an_annotation_demands_is_what_the_fix_calls() -> None:
    source = IMPORTS + '@InheritableMustCall("a") class A { void a() { } static void f() { A x = new A(); x.hashCode(); } }'
    program = program_of(A=source)
    (leak,) = analyze(program).findings
    answer = fixers.fix(leak, program)
    assert isinstance(answer, fixers.Fix) and any("x.a();" in edit.text for edit in answer.edits)


def test_a_contradicted_annotation_is_declined() -> None:
    source = IMPORTS + "class A { @MustCallAlias Object f(@MustCallAlias Object o) { return null; } }"
    program = program_of(A=source)
    (wrong,) = analyze(program).findings
    assert wrong.detail == "mustcallalias.out.of.scope"
    assert isinstance(fixers.fix(wrong, program), fixers.Declined)


def test_annotations_settle_what_tracker_would_report() -> None:
    source = IMPORTS + (
        "import java.io.*; abstract class A { abstract void take(@Owning InputStream in); static class B extends A {"
        " void take(@Owning InputStream in) { } }"
        ' static void f() throws IOException { A a = new B(); a.take(new FileInputStream("x")); } }'
    )
    lines = {(each.procedure, each.detail) for each in analyze(program_of(A=source)).findings}
    assert lines == {("A$B.take(InputStream)", NOT_CALLED)}


def test_what_keeps_a_resource_that_is_released_elsewhere_is_not_released_by_a_fix() -> None:
    source = IMPORTS + (
        '@InheritableMustCall("a") class Foo { void a() { } }\n'
        'class Keeper extends Foo { private final @Owning Foo f; Keeper(Foo f) { this.f = f; }\n'
        '@EnsuresCalledMethods(value = "this.f", methods = "a") void a() { f.a(); } }\n'
        "class User {\n    void use() {\n        Foo f = new Foo();\n        try {\n            Keeper k = new Keeper(f);\n"
        "            k.hashCode();\n        } finally {\n            f.a();\n        }\n    }\n}\n"
    )
    program = program_of(A=source)
    (leak,) = [each for each in analyze(program).findings if each.resource == "Keeper"]
    answer = fixers.fix(leak, program)
    assert isinstance(answer, fixers.Declined) and "`f` is kept" in answer.reason


def test_an_exception_that_a_finally_passes_on_is_told_as_such() -> None:
    source = """package p; import java.io.*; import java.net.Socket;
        class Line {
            private final Socket socket; private final InputStream in; private boolean isOpen;
            Line(Socket socket) throws IOException { this.socket = socket; in = new FileInputStream("stored"); }
            private void tell(String text) { System.out.println(text); }
            private void hangUp() throws IOException { socket.close(); }
            public void disconnect() throws IOException {
                try { isOpen = false; hangUp(); in.close(); }
                catch (IOException e) { tell("late"); throw e; }
                finally { tell("done"); }
            }
        }"""
    assert [each.message for each in found(Line=source)] == ["`in` is not closed when an exception leaves the method."]
