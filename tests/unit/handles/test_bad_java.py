"""Code that no compiler would take, and far too much of it, gives findings or Notes, never an exception."""

from __future__ import annotations

import pytest

from analyzers import Analysis, MemoryTree, analyze, load, specs
from analyzers.detectors import DETECTORS
from analyzers.specs import SpecError

LEAK = "  void leak(java.io.File f) throws java.io.IOException { java.io.FileInputStream in = new java.io.FileInputStream(f); in.read(); }\n"


def analysis(files: dict[str, str], extra: str = "") -> Analysis:
    """What all detectors say of some files."""
    library = specs.load(("java",), (("own.toml", extra),) if extra else ())
    return analyze(load(MemoryTree({path: text.encode() for path, text in files.items()}), library), None, DETECTORS)


@pytest.mark.parametrize(
    "files",
    [
        {"A.java": "class A {\n" + LEAK + "  void broken( { int = ; }\n}\n"},
        {"A.java": "import no.such.Thing;\nimport gone.*;\nclass A extends Thing {\n" + LEAK + "  Nowhere n = Thing.make(7).chain();\n}\n"},
        {"A.java": "class A extends B {\n" + LEAK + "}\n", "B.java": "class B extends C {}\n", "C.java": "class C extends A {}\n"},
        {"one/A.java": "package p;\nclass A {\n" + LEAK + "}\n", "two/A.java": "package p;\nclass A { A(int x) {} }\n"},
        {"A.java": "interface I extends I {}\nclass A<T extends T> implements I {\n" + LEAK + "}\n"},
    ],
    ids=["does not compile", "missing imports", "cyclic inheritance", "duplicate classes", "absurd bounds"],
)
def test_the_leak_beside_bad_code_is_found(files: dict[str, str]) -> None:
    found = {(each.procedure.rpartition(".")[2], each.rule) for each in analysis(files).findings}
    assert ("leak(File)", "unclosed-resource") in found


def generated(count: int) -> str:
    """A class with a method of that many branches, and the leak beside it."""
    lines = "".join(f"    if (x == {i}) {{ in.read(); y += {i}; }}\n" for i in range(count))
    method = (
        "  int generated(java.io.File f, int x) throws java.io.IOException {\n    int y = 0;\n"
        "    java.io.FileInputStream in = new java.io.FileInputStream(f);\n" + lines + "    in.close();\n    return y;\n  }\n"
    )
    return "class A {\n" + LEAK + method + "}\n"


def test_a_generated_method_costs_a_note_at_most() -> None:
    assert any(each.procedure.endswith("leak(File)") for each in analysis({"A.java": generated(4_000)}).findings)


def test_a_method_of_30_000_lines_is_a_note() -> None:
    program = load(MemoryTree({"A.java": generated(30_000).encode()}), specs.load(("java",)))
    found = analyze(program, None, DETECTORS)
    assert [each.procedure.rpartition(".")[2] for each in found.findings] == ["leak(File)"]
    assert any("generated(File,int)" in each.text for each in (*program.notes, *found.notes))


def test_annotations_that_contradict_the_code_do_no_harm() -> None:
    members = (
        '  @MustCall("vanish") Object a; @Owning int b;\n  @EnsuresCalledMethods(value = "no.such", methods = "x") void c() {}\n'
        '  @CreatesMustCallFor("nobody") void d() {}\n  @MustCallAlias Object e(int x) { return null; }\n'
        '  @EnsuresCalledMethods(value = "#1", methods = "close") void f(java.io.InputStream in) {}\n'
    )
    found = analysis({"A.java": "class A {\n" + members + LEAK + "}\n"}).findings
    assert any(each.procedure.endswith("leak(File)") for each in found)
    assert any(each.rule == "contradicted-annotation" for each in found)


def test_a_spec_may_name_types_that_nobody_has() -> None:
    extra = 'language = "java"\n[[resource]]\nname = "ghost"\ntypes = "no.such.Ghost"\nacquire = "no.such.Ghost.<init>"\nrelease = "no.such.Ghost.vanish"\n'
    assert analysis({"A.java": "class A {\n" + LEAK + "}\n"}, extra).findings


def test_a_spec_that_cannot_be_read_names_its_file() -> None:
    with pytest.raises(SpecError, match=r"own\.toml"):
        analysis({"A.java": "class A {}"}, 'language = "java"\n[[call]]\nnothing = 1\n')
