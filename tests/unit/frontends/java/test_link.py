"""Types of variables and targets of calls."""

from __future__ import annotations

from analyzers import ir
from analyzers.frontends.java.resolution import MOST_BODIES
from tests.unit.frontends.java.linking import bodies, calls, in_method, linked, target, tree, with_specs

# --- types of variables


def test_declared_types_fields_and_results() -> None:
    subject = in_method("var a = f; var b = a.length(); Object o = new File(n); var c = x.readLine();", rest="""
        String f; static BufferedReader x; String n;""")  # fmt: skip
    assert [subject.types[name] for name in "aboc"] == [
        "java.lang.String", "int", "java.lang.Object", "java.lang.String",
    ]  # fmt: skip


def test_type_arguments_reach_elements() -> None:
    subject = in_method(
        """for (var a : list) { a.close(); }
        var b = list.get(0); var c = map.values().iterator().next(); var d = Optional.of(b).get();
        var e = map.get("k"); var g = Arrays.asList(b).get(0); var h = raw.get(0); var i = array[0];
        for (var j : map.entrySet()) { var k = j.getValue(); }""",
        rest="List<InputStream> list; Map<String, ? extends Reader> map; List raw; InputStream[] array;",
    )
    found = {name: subject.types.get(name) for name in "abcdeghik"}
    stream, reader = "java.io.InputStream", "java.io.Reader"
    assert found == {
        "a": stream, "b": stream, "c": reader, "d": stream, "e": reader, "g": stream, "h": None, "i": stream,
        "k": reader,
    }  # fmt: skip


def test_lambdas_are_typed_by_where_they_go() -> None:
    program = tree(p_C="""package p; import java.io.*; import java.util.*; import java.util.function.*;
        class C {
            Consumer<Reader> field;
            void m(List<InputStream> list, Map<File, Writer> map) {
                list.forEach(a -> a.close());
                map.forEach((b, c) -> c.flush());
                list.stream().map(d -> new InputStreamReader(d)).filter(e -> e.ready()).forEach(f -> f.close());
                Function<Writer, Object> g = h -> h.append('x');
                field = i -> i.close();
                take(j -> j.close());
            }
            <T extends Closeable> void take(Consumer<T> t) {}
            Supplier<Consumer<Writer>> n() { return () -> k -> k.close(); }
        }""")  # fmt: skip
    found = {}
    for key in program.procedures_of("p/C.java"):
        if "$lambda" in key.name:
            subject = linked(program, "p/C.java", key.name)
            found |= {name: subject.types.get(name) for name in subject.body.parameters}
    assert found == {
        "a": "java.io.InputStream", "b": "java.io.File", "c": "java.io.Writer", "d": "java.io.InputStream",
        "e": "java.io.InputStreamReader", "f": "java.io.InputStreamReader", "h": "java.io.Writer",
        "i": "java.io.Reader", "j": None, "k": "java.io.Writer",
    }  # fmt: skip


def test_captured_variables_have_the_types_of_those_around() -> None:
    program = tree(p_C="""package p; import java.io.*; class C {
        void m(Reader r) { var w = new StringWriter();
            Runnable a = () -> { r.close(); w.flush(); };
            new Thread() { public void run() { r.close(); w.flush(); } };
            class Local { void q() { w.flush(); } }
        } }""")  # fmt: skip
    for name in ("p.C.m(Reader)$lambda1", "p.C$1.run()"):
        subject = linked(program, "p/C.java", name)
        assert target(subject, "close").type == "java.io.Reader"
        assert target(subject, "flush").type == "java.io.StringWriter"


def test_multi_catch_has_the_common_supertype() -> None:
    subject = in_method("try { read(); } catch (FileNotFoundException | EOFException e) { }",
                        rest="void read() throws IOException {}")  # fmt: skip
    assert subject.types["e"] == "java.io.IOException"


# --- overloads


def test_overloads_by_type_and_arity() -> None:
    rest = "void f(Object o) {} void f(Reader r) {} void f(BufferedReader r) {} void f(Object o, int i) {}"
    chosen = {
        body: bodies(in_method(body, rest=rest), "f")
        for body in ("f(new StringReader(s));", 'f("x");', "f(new BufferedReader(r));", "f(null, 1);")
    }
    assert list(chosen.values()) == [["p.C.f(Reader)"], ["p.C.f(Object)"], ["p.C.f(BufferedReader)"], ["p.C.f(Object,int)"]]


def test_phases_of_overload_choice() -> None:
    rest = "void f(long l) {} void f(Integer i) {} void f(int... i) {} void g(Object o) {} void g(int... i) {}"
    assert bodies(in_method("f(1);", rest=rest), "f") == ["p.C.f(long)"]
    assert bodies(in_method("f(Integer.valueOf(1));", rest=rest), "f") == ["p.C.f(Integer)"]
    assert bodies(in_method("f(1, 2);", rest=rest), "f") == ["p.C.f(int[])"]
    assert bodies(in_method("g(1);", rest=rest), "g") == ["p.C.g(Object)"]


def test_an_argument_of_unknown_type_leaves_all_that_fit() -> None:
    rest = "void f(File o) {} void f(Reader r) {} void f(int i, int j) {}"
    subject = in_method("f(org.lib.Thing.make());", rest=rest)
    assert bodies(subject, "f") == ["p.C.f(File)", "p.C.f(Reader)"]
    assert not target(subject, "f").is_exact


def test_lambdas_choose_by_their_formals() -> None:
    rest = "void f(Runnable r) {} void f(Comparator<String> c) {}"
    assert bodies(in_method("f((a, b) -> 0);", rest=rest), "f") == ["p.C.f(Comparator)"]


# --- dispatch


SHAPES = {
    "p_S": "package p; public interface S { void close(); default void log() {} }",
    "p_A": "package p; public class A implements S { public void close() {} }",
    "p_B": "package p; public class B extends A { public void close() {} public static B make() { return null; } }",
    "p_D": "package p; public final class D extends A { private void own() {} }",
}


def test_virtual_calls_reach_all_overriders() -> None:
    program = tree(**SHAPES, p_C="package p; class C { void m(S s, A a, B b) { s.close(); a.close(); b.close(); } }")
    subject = linked(program, "p/C.java", "p.C.m(S,A,B)")
    found = [[key.name for key in subject.targets[call].procedures] for call in calls(subject, "close")]
    assert found == [["p.A.close()", "p.B.close()"], ["p.A.close()", "p.B.close()"], ["p.B.close()"]]


def test_anonymous_and_local_classes_override() -> None:
    program = tree(**SHAPES, p_C="""package p; class C {
        void m(S s) { s.close(); }
        S n() { class L implements S { public void close() {} } return new A() { public void close() {} }; } }""")  # fmt: skip
    assert bodies(linked(program, "p/C.java", "p.C.m(S)"), "close") == [
        "p.A.close()", "p.B.close()", "p.C$1.close()", "p.C$1L.close()",
    ]  # fmt: skip


def test_an_inherited_method_that_implements_an_interface_is_a_body() -> None:
    program = tree(p_I="package p; interface I { void go(); }", p_A="package p; class A { public void go() {} }",
                   p_B="package p; class B extends A implements I {}",
                   p_C="package p; class C { void m(I i) { i.go(); } }")  # fmt: skip
    assert bodies(linked(program, "p/C.java", "p.C.m(I)"), "go") == ["p.A.go()"]


def test_an_object_made_here_has_its_exact_type() -> None:
    program = tree(**SHAPES, p_C="""package p; class C {
        void m() { S s = new A(); s.close(); }
        void n(boolean b) { S s = new A(); if (b) s = B.make(); s.close(); } }""")  # fmt: skip
    subject = linked(program, "p/C.java", "p.C.m()")
    assert bodies(subject, "close") == ["p.A.close()"] and target(subject, "close").is_exact
    assert bodies(linked(program, "p/C.java", "p.C.n(boolean)"), "close") == ["p.A.close()", "p.B.close()"]


def test_private_static_final_and_super_calls_are_exact() -> None:
    program = tree(p_B="package p; class B { void v() {} final void f() {} static void s() {} private void q() {} "
                       "class X extends B { void v() { super.v(); f(); s(); B.this.q(); } void f() {} } }")  # fmt: skip
    subject = linked(program, "p/B.java", "p.B$X.v()")
    found = {name: (bodies(subject, name), target(subject, name).is_exact) for name in ("v", "s", "q")}
    assert found == {name: ([f"p.B.{name}()"], True) for name in ("v", "s", "q")}


def test_unqualified_calls_look_outwards_and_at_static_imports() -> None:
    program = tree(
        p_C="""package p; import static q.U.a; import static q.W.*; class C extends Base { void o() {}
            class In extends Other { void m() { o(); inherited(); a(); w(); } } }""",
        p_Base="package p; class Base { void inherited() {} }", p_Other="package p; class Other { }",
        q_U="package q; public class U { public static void a() {} }",
        q_W="package q; public class W { public static void w() {} }",
    )  # fmt: skip
    subject = linked(program, "p/C.java", "p.C$In.m()")
    assert [bodies(subject, name) for name in ("o", "inherited", "a", "w")] == [
        ["p.C.o()"], ["p.Base.inherited()"], ["q.U.a()"], ["q.W.w()"],
    ]  # fmt: skip


def test_constructors_and_default_constructors() -> None:
    program = tree(p_C="package p; class C { C() {} C(int i) { this(); } static class D extends C { D() { super(1); } } "
                       "static class E {} void m() { new E(); new C(2); } }")  # fmt: skip
    made = linked(program, "p/C.java", "p.C.m()")
    found = [[key.name for key in made.targets[call].procedures] for call in calls(made, "<init>")]
    assert found == [["p.C$E.<init>()"], ["p.C.<init>(int)"]]
    assert bodies(linked(program, "p/C.java", "p.C.<init>(int)"), "<init>") == ["p.C.<init>()"]
    assert bodies(linked(program, "p/C.java", "p.C$D.<init>()"), "<init>") == ["p.C.<init>(int)"]


def test_a_lambda_made_here_is_what_its_interface_calls() -> None:
    subject = in_method("Runnable r = () -> n(); r.run(); unknown(r);", rest="void n() {}")
    assert bodies(subject, "run") == ["p.C.m()$lambda1"] and target(subject, "run").is_exact


def test_method_references_call_their_method() -> None:
    program = tree(p_C="""package p; import java.io.*; import java.util.*; class C {
        void m(List<Reader> l) { l.forEach(C::stop); l.forEach(this::halt); l.forEach(Reader::close); l.forEach(C::new); }
        static void stop(Reader r) {} void halt(Reader r) {} C(Reader r) {} }""")  # fmt: skip
    subjects = [linked(program, "p/C.java", f"p.C.m(List)$lambda{number}") for number in (1, 2, 3, 4)]
    assert bodies(subjects[0], "stop") == ["p.C.stop(Reader)"]
    assert bodies(subjects[1], "halt") == ["p.C.halt(Reader)"]
    assert target(subjects[2], "close").models[0] == "java.io.Reader.close"
    call = subjects[2].body.nodes[calls(subjects[2], "close")[0]]
    assert isinstance(call, ir.Call) and call.receiver == subjects[2].body.parameters[0] and not call.args
    assert bodies(subjects[3], "<init>") == ["p.C.<init>(Reader)"]


def test_too_many_bodies_are_none() -> None:
    many = "".join(f"class S{number} implements I {{ public void go() {{}} }}" for number in range(MOST_BODIES + 1))
    program = tree(p_C=f"package p; class C {{ interface I {{ void go(); }} {many} void m(I i) {{ i.go(); }} }}")
    found = target(linked(program, "p/C.java", "p.C.m(I)"), "go")
    assert found.procedures == () and not found.is_exact


def test_a_contract_in_the_specs_stands_for_overriders() -> None:
    files = {
        "p_C": "package p; import java.io.*; class C { void m(InputStream in) throws IOException { in.close(); } }",
        "p_S": "package p; class S extends java.io.InputStream { public int read() { return 0; } public void close() {} }",
    }
    name = "p.C.m(InputStream)"
    assert bodies(linked(tree(**files), "p/C.java", name), "close") == ["p.S.close()"]
    assert bodies(linked(with_specs(**files), "p/C.java", name), "close") == []


# --- models


def test_models_name_the_method_in_each_supertype_nearest_first() -> None:
    subject = in_method("new FileInputStream(n).close();", head="void m(String n) throws IOException")
    assert target(subject, "<init>").models == ("java.io.FileInputStream.<init>",)
    assert target(subject, "<init>").parameters == ("java.lang.String",)
    assert target(subject, "close").models == (
        "java.io.FileInputStream.close", "java.io.InputStream.close", "java.io.Closeable.close",
        "java.lang.AutoCloseable.close",
    )  # fmt: skip


def test_anonymous_classes_have_the_constructor_of_what_they_extend() -> None:
    subject = in_method("InputStream i = new FileInputStream(n) { };", head="void m(File n) throws IOException")
    assert "java.io.FileInputStream.<init>" in target(subject, "<init>").models
    assert target(subject, "<init>").parameters == ("java.io.File",)


def test_anonymous_classes_of_interfaces_have_no_constructor_to_run() -> None:
    subject = in_method("Runnable r = new Runnable() { public void run() { } };")
    assert target(subject, "<init>").is_exact and not target(subject, "<init>").procedures


def test_unknown_receivers_and_libraries_still_have_models() -> None:
    subject = in_method("IOUtils.closeQuietly(x); x.stop(); y().halt();", head="void m(Session x)",
                        imports="import org.apache.commons.io.IOUtils; import org.lib.Session;")  # fmt: skip
    assert target(subject, "closeQuietly").models[0] == "org.apache.commons.io.IOUtils.closeQuietly"
    assert target(subject, "stop").models == ("org.lib.Session.stop", "?.stop")
    assert target(subject, "halt").models == ("?.halt",)
    assert target(subject, "halt").type == ""


def test_static_members_imported_whole_from_one_library() -> None:
    subject = in_method("mock(Reader.class);", imports="import static org.mockito.Mockito.*;")
    assert target(subject, "mock").models[0] == "org.mockito.Mockito.mock"


def test_of_several_types_imported_whole_the_specs_tell_whose_method_is_called() -> None:
    both = "import static org.junit.jupiter.api.Assertions.*; import static org.mockito.Mockito.*;"
    for more, is_told in (("", True), (" import static some.where.Else.*;", False)):
        program = with_specs(p_C=f"package p; {both}{more} class C {{ void m() {{ when(null); }} }}")
        models = target(linked(program, "p/C.java", "p.C.m()"), "when").models
        assert ("org.mockito.Mockito.when" in models) is is_told


# --- bad input


def test_copies_of_a_class_call_their_own_methods() -> None:
    from analyzers import MemoryTree, Program

    source = "package p; class C { void m() { n(); new Object() { void q() { n(); } }; } void n() { %s } }"
    program = Program(MemoryTree({f"{side}/C.java": (source % side).encode() for side in ("after();", "before();")}))
    for key in program.procedures():
        subject = program.linked(key)
        assert subject is not None
        for call in calls(subject, "n"):
            assert {each.path for each in subject.targets[call].procedures} == {key.path}
            assert "@" not in subject.targets[call].type


def test_missing_imports_and_broken_code_link() -> None:
    program = tree(p_C="package p; import gone.*; import x.Y; class C extends Y implements { void m( { a.b().c(); "
                       "new Gone<>(1) {}; super.q(); Outer.this.x = y -> z; try (var r = s) { } catch (Z | Q e) { throw e; } } }")  # fmt: skip
    for key in program.procedures():
        assert program.linked(key) is not None
