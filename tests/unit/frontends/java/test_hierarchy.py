"""Names, supertypes, subtypes, members and closeability of Java types."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzers import MemoryTree, Program, load, specs
from tests.unit.frontends.java.linking import tree

JDK_LIST = "java.util.List"


def resolve(program: Program, written: str, owner: str = "p.C", path: str = "p/C.java") -> str:
    return program.resolve_type(path, owner, written)


# --- names


def test_own_nested_types_come_before_imports() -> None:
    program = tree(p_C="package p; import java.util.List; class C { class List {} }")
    assert resolve(program, "List") == "p.C$List"


def test_inherited_nested_types_come_before_imports() -> None:
    program = tree(
        p_C="package p; import java.util.*; class C extends B { }", p_B="package p; class B extends A {}",
        p_A="package p; class A { static class List {} }",
    )  # fmt: skip
    assert resolve(program, "List") == "p.A$List"


def test_type_parameters_come_first_and_become_their_bound() -> None:
    program = tree(p_C="package p; import java.io.*; class C<File extends Reader, X> { class X {} }")
    assert resolve(program, "File") == "java.io.Reader"
    assert resolve(program, "X[]") == "java.lang.Object[]"


def test_single_imports_come_before_the_package_and_that_before_imports_on_demand() -> None:
    program = tree(
        p_C="package p; import q.A; import q.*; class C {}", p_A="package p; class A {}", q_A="package q; class A {}",
        p_B="package p; class B {}", q_B="package q; class B {}", q_D="package q; class D {}",
    )  # fmt: skip
    assert [resolve(program, name) for name in ("A", "B", "D")] == ["q.A", "p.B", "q.D"]


def test_the_package_hides_java_lang() -> None:
    program = tree(p_C="package p; class C {}", p_Record="package p; class Record {}")
    assert resolve(program, "Record") == "p.Record"
    assert resolve(program, "String") == "java.lang.String"


def test_qualified_and_nested_names() -> None:
    program = tree(p_C="package p; import java.util.Map; class C { class D { class E {} } }")
    assert resolve(program, "Map.Entry<String, Integer>[]") == "java.util.Map$Entry[]"
    assert resolve(program, "java.util.Map.Entry") == "java.util.Map$Entry"
    assert resolve(program, "D.E") == "p.C$D$E"
    assert resolve(program, "p.C.D") == "p.C$D"


def test_member_types_through_static_imports() -> None:
    program = tree(p_C="package p; import static q.A.N; import static java.util.Map.*; class C {}",
                   q_A="package q; public class A { public static class N {} }")  # fmt: skip
    assert resolve(program, "N") == "q.A$N"
    assert resolve(program, "Entry") == "java.util.Map$Entry"


def test_names_inside_a_nested_class_see_the_classes_around() -> None:
    program = tree(p_C="package p; class C { class A {} class B { class D {} } }")
    assert resolve(program, "A", "p.C$B$D") == "p.C$A"


def test_types_of_libraries_have_the_name_that_their_import_gives() -> None:
    program = tree(p_C="package p; import org.lib.Thing; import org.other.*; class C { }")
    assert resolve(program, "Thing.Part") == "org.lib.Thing$Part"
    assert resolve(program, "Whatever") == "org.other.Whatever"


def test_what_several_imports_may_mean_has_no_package() -> None:
    program = tree(p_C="package p; import org.one.*; import org.two.*; class C {}")
    assert resolve(program, "Whatever") == "Whatever"


def test_what_several_imports_may_mean_is_no_type_without_a_package() -> None:
    program = tree(p_C="package p; import org.one.*; import org.two.*; class C {}", D="class Whatever {}")
    assert resolve(program, "Whatever") == ""


def test_static_members_imported_whole_are_no_place_for_a_type() -> None:
    program = tree(p_C="package p; import org.one.*; import static org.two.Names.*; class C {}")
    assert resolve(program, "Whatever") == "org.one.Whatever"


def test_of_several_imports_that_counts_of_which_specs_tell() -> None:
    text = b"package p; import okhttp3.*; import org.two.*; class C {}"
    program = load(MemoryTree({"p/C.java": text}), specs.load(("java",)))
    assert resolve(program, "Response") == "okhttp3.Response"
    assert resolve(program, "Whatever") == "Whatever"


def test_what_types_of_libraries_extend_is_told_by_specs() -> None:
    text = b"package p; class C extends androidx.appcompat.app.AppCompatActivity {}"
    program = load(MemoryTree({"p/C.java": text}), specs.load(("java",)))
    assert program.is_subtype("p.C", "android.content.Context")
    assert program.is_subtype("p.C", "java.io.Closeable") is None


def test_a_missing_type_of_the_package_has_its_name_unless_it_may_be_inherited() -> None:
    program = tree(p_C="package p; class C {}", p_D="package p; class D extends org.lib.Base {}")
    assert resolve(program, "Generated") == "p.Generated"
    assert resolve(program, "Generated", "p.D", "p/D.java") == ""


def test_copies_of_one_name_are_told_apart_by_file() -> None:
    program = Program(
        MemoryTree(
            {
                "after/p/C.java": b"package p; class C { void m() {} }",
                "after/p/U.java": b"package p; class U {}",
                "before/p/C.java": b"package p; class C { void n() {} }",
                "before/p/U.java": b"package p; class U {}",
            }
        )
    )
    found = [program.resolve_type(f"{side}/p/U.java", "p.U", "C") for side in ("after", "before")]
    assert found == ["p.C", "p.C@before/p/C.java"]
    assert program.methods(found[0], "m") and not program.methods(found[0], "n")
    assert program.methods(found[1], "n") and not program.methods(found[1], "m")


# --- hierarchy


def test_supertypes_come_nearest_first() -> None:
    program = tree(p_C="package p; class C extends B implements I {}", p_B="package p; class B implements J {}",
                   p_I="package p; interface I extends K {}", p_J="package p; interface J {}",
                   p_K="package p; interface K {}")  # fmt: skip
    assert program.supertypes("p.C") == ("p.B", "p.I", "p.J", "p.K", "java.lang.Object")


def test_subtypes_of_the_repository_through_the_jdk() -> None:
    program = tree(p_C="package p; import java.io.*; class C extends FilterInputStream { C() { super(null); } }",
                   p_D="package p; class D extends C { Object o = new C() { }; }")  # fmt: skip
    assert program.subtypes("java.io.InputStream") == ("p.C", "p.D", "p.D$1")


def test_is_subtype_is_unknown_only_where_something_is_missing() -> None:
    program = tree(p_C="package p; class C extends org.lib.Base {}", p_D="package p; class D {}")
    assert program.is_subtype("p.D", "java.io.Closeable") is False
    assert program.is_subtype("p.C", "java.io.Closeable") is None
    assert program.is_subtype("p.C", "java.lang.String") is False
    assert program.is_subtype("org.lib.Thing", "java.lang.Object") is True
    assert program.is_subtype("int", "java.lang.Object") is False


def test_arrays_are_covariant() -> None:
    program = tree(p_C="package p; class C {}")
    assert program.is_subtype("p.C[]", "java.lang.Object[]") is True
    assert program.is_subtype("int[]", "long[]") is False
    assert program.is_subtype("p.C[][]", "java.lang.Cloneable") is True


def test_enums_and_records_have_what_nobody_wrote() -> None:
    program = tree(p_E="package p; enum E { A }", p_R="package p; record R(java.io.File f) {}")
    assert "java.lang.Enum" in program.supertypes("p.E")
    assert program.methods("p.E", "values")[0].result == "p.E[]"
    assert program.methods("p.R", "f")[0].result == "java.io.File"
    assert program.methods("p.R", "<init>")[0].parameters == ("java.io.File",)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=10))
def test_cyclic_inheritance_terminates(edges: list[tuple[int, int]]) -> None:
    above: dict[int, list[str]] = {}
    for below, name in edges:
        above.setdefault(below, []).append(f"T{name}.N{name}" if below % 2 else f"T{name}")
    files = {
        f"p/T{number}.java": (
            f"package p; class T{number} {'extends ' + ', '.join(above[number]) if number in above else ''} "
            f"{{ class N{number} extends N{(number + 1) % 5} {{}} void m() {{ m(); x = f; }} }}"
        ).encode()
        for number in range(5)
    }
    program = Program(MemoryTree(files))
    for number in range(5):
        name = f"p.T{number}"
        assert len(program.supertypes(name)) == len(set(program.supertypes(name)))
        assert name not in program.supertypes(name)
        program.subtypes(name)
        program.is_subtype(name, "java.io.Closeable")
        program.methods(name, "m")
        program.field_type(name, "f")
        program.is_closeable(name)
    for key in program.procedures():
        assert program.linked(key) is not None


@given(st.permutations(["p.A", "p.B", "p.C", "p.D"]))
@settings(max_examples=24, deadline=None)
def test_answers_do_not_depend_on_who_asked_first(order: list[str]) -> None:
    files = {"p_A": "package p; class A extends B { class X {} }", "p_B": "package p; class B extends C.Y {}",
             "p_C": "package p; class C extends D { class Y extends A.X {} }",
             "p_D": "package p; class D extends A.Y { class X extends B.Y {} }"}  # fmt: skip
    fresh = {name: tree(**files).supertypes(name) for name in order}
    shared = tree(**files)
    assert {name: shared.supertypes(name) for name in order} == fresh


# --- members


def test_inherited_generic_results_are_told_in_terms_of_the_type_below() -> None:
    program = tree(p_C="package p; class C<A, B> extends java.util.HashMap<B, A> {}")
    assert program.methods("p.C", "get")[0].generics == ("java.lang.Object", "#0")
    assert program.methods("java.util.Stack", "elementAt")[0].generics == ("int", "#0")


def test_overridden_methods_hide_those_above() -> None:
    program = tree(p_C="package p; class C extends B { void m(int i) {} }",
                   p_B="package p; class B { void m(int i) {} void m(String s) {} private void m() {} }")  # fmt: skip
    assert [(facts.owner, facts.parameters) for facts in program.methods("p.C", "m")] == [
        ("p.C", ("int",)), ("p.B", ("java.lang.String",)),
    ]  # fmt: skip


def test_type_parameters_of_methods_are_erased_to_their_bound() -> None:
    program = tree(p_C="package p; class C { <T extends java.io.Reader> T m(T t, java.util.List<T> l) { return t; } }")
    facts = program.methods("p.C", "m")[0]
    assert facts.parameters == ("java.io.Reader", "java.util.List") and facts.result == "java.io.Reader"
    assert facts.generics == ("!0", "java.util.List<!0>", "!0")


def test_a_class_without_constructor_has_the_default_one() -> None:
    program = tree(p_C="package p; class C { }", p_I="package p; interface I {}")
    assert len(program.methods("p.C", "<init>")) == 1
    assert program.methods("p.I", "<init>") == ()


def test_the_method_of_a_functional_interface() -> None:
    program = tree(p_F="package p; interface F<T> { void run(T t); default void other() {} boolean equals(Object o); }",
                   p_G="package p; interface G { void a(); void b(); }")  # fmt: skip
    assert [facts.name for facts in program.methods("p.F", "->")] == ["run"]
    assert program.methods("p.G", "->") == ()
    assert [facts.name for facts in program.methods("java.util.Comparator", "->")] == ["compare"]
    assert program.methods("java.lang.Object", "->") == ()


def test_fields_are_inherited() -> None:
    program = tree(p_C="package p; class C extends B {}", p_B="package p; class B extends java.io.FilterReader { int[] n; }")
    assert program.field_type("p.C", "n") == "int[]"
    assert program.field_type("p.C", "in") == "java.io.Reader"
    assert program.field_type("p.C[]", "length") == "int"
    assert program.field_type("p.C", "missing") == ""


# --- closeable


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("java.io.FileInputStream", True), ("java.sql.Connection", True), ("java.lang.String", False),
        ("java.io.File[]", False), ("int", False), ("java.util.concurrent.ExecutorService", False), ("", None),
    ],
)  # fmt: skip
def test_closeable_types_of_the_jdk(name: str, expected: bool | None) -> None:
    assert tree(p_C="package p; class C {}").is_closeable(name) is expected


def test_types_are_closeable_from_a_release_on() -> None:
    from analyzers.incremental.program import Options

    program = Program(MemoryTree({"C.java": b"class C {}"}), options=Options(java_release=21))
    assert program.is_closeable("java.util.concurrent.ExecutorService") is True
    assert program.is_closeable("java.util.concurrent.ForkJoinPool") is True


def test_an_unknown_type_is_closeable_where_the_repository_closes_it() -> None:
    program = tree(
        p_C="package p; import org.lib.*; class C { void m(Session s) { s.close(); } void n(Other o) {} }",
        p_D="package p; import org.lib.Cursor; class D { void m() { try (Cursor c = open()) { } } }",
        p_E="package p; import org.lib.Pool; class E { Pool pool; void stop() { pool.close(); } }",
        p_F="package p; import org.lib.Shape; class F { Shape s; } class G { java.io.Reader s; void m() { s.close(); } }",
        p_H="package p; import org.lib.Base; class H extends Base { @Override public void close() {} }",
    )  # fmt: skip
    known = {name: program.is_closeable(f"org.lib.{name}") for name in ("Session", "Cursor", "Pool", "Base")}
    assert known == dict.fromkeys(known, True)
    assert program.is_closeable("org.lib.Other") is None
    assert program.is_closeable("org.lib.Shape") is None
    assert program.is_closeable("p.H") is True
