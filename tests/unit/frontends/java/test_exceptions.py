"""Which exceptional edges linking calls real: the table of `docs/java-exceptions.md`, row by row."""

from __future__ import annotations

import pytest

from analyzers import MemoryTree, Program, ir
from analyzers.incremental.program import Options
from analyzers.queries import Linked
from analyzers.summaries import MemoryStore
from tests.unit.frontends.java.linking import calls, edges, in_method, linked, thrown, tree, ways, with_specs

REST = """
    void checked() throws IOException { }
    void narrow() throws FileNotFoundException { }
    void quiet() { }
    void busy() { quiet(); }
    void validating(int i) { if (i < 0) throw new IllegalArgumentException(); }
    void recovering() { try { throw new IllegalStateException(); } catch (IllegalStateException e) { quiet(); } }
    void declaring() throws UnsupportedOperationException { }
    static class Mine extends Exception { } static class Own extends RuntimeException { }
"""


def method(body: str, throws: str = "", imports: str = "") -> Linked:
    """A method with this body, beside callees that throw this and that."""
    head = f"void m(String s, Lib lib, InputStream in) {'throws ' + throws if throws else ''}"
    return in_method(body, head, REST, "import org.lib.*; import org.lib.LibException;" + imports)


# --- known callees


def test_a_checked_exception_leaves_where_it_is_declared() -> None:
    subject = method("checked(); quiet();", "IOException")
    assert edges(subject, "checked") == ["out"]
    assert edges(subject, "quiet") == []
    assert subject.thrown[calls(subject, "checked")[0]] == ("java.io.IOException",)
    assert not subject.believed


def test_checked_exceptions_of_the_jdk() -> None:
    assert edges(method("new FileReader(s);", "IOException"), "<init>") == ["out"]


def test_a_handler_of_a_supertype_stops() -> None:
    assert edges(method("try { narrow(); } catch (IOException e) { }", "IOException"), "narrow") == ["IOException"]
    assert edges(method("try { narrow(); } catch (Exception e) { }", "IOException"), "narrow") == ["Exception"]


def test_a_handler_of_a_subtype_may_catch() -> None:
    subject = method("try { checked(); } catch (FileNotFoundException e) { }", "IOException")
    assert edges(subject, "checked") == ["FileNotFoundException", "out"]
    assert subject.thrown[calls(subject, "checked")[0]] == ("java.io.FileNotFoundException", "java.io.IOException")


def test_a_narrow_handler_is_for_those_who_declare_its_type() -> None:
    body = "try { new FileReader(s); in.read(); checked(); } catch (FileNotFoundException e) { } catch (IOException e) { }"
    subject = method(body)
    assert edges(subject, "<init>") == ["FileNotFoundException"]
    assert edges(subject, "read") == ["IOException"]
    assert edges(subject, "checked") == ["FileNotFoundException", "IOException"]


def test_a_narrow_handler_that_nobody_declares_is_for_the_library_too() -> None:
    subject = method("try { in.read(); } catch (FileNotFoundException e) { } catch (IOException e) { }")
    assert edges(subject, "read") == ["FileNotFoundException", "IOException"]


def test_handlers_are_tried_in_order() -> None:
    subject = method("try { narrow(); } catch (FileNotFoundException e) { } catch (IOException e) { }")
    assert edges(subject, "narrow") == ["FileNotFoundException"]


def test_multi_catch() -> None:
    subject = method("try { checked(); } catch (RuntimeException | IOException e) { }")
    assert edges(subject, "checked") == ["RuntimeException|IOException"]


def test_a_finally_gets_what_arrives_and_throws_exactly_that() -> None:
    subject = method("try { checked(); } finally { quiet(); }", "IOException")
    assert edges(subject, "checked") == ["finally"]
    assert thrown(subject) == [["out"]]
    subject = method("try { try { checked(); } finally { quiet(); } } catch (IOException e) { }", "IOException")
    assert thrown(subject) == [["IOException"]]


def test_nothing_checked_means_no_edge_into_a_finally() -> None:
    subject = method("try { busy(); s.length(); new Object(); } finally { quiet(); }")
    assert edges(subject, "busy") == edges(subject, "length") == []
    assert thrown(subject) == [[]]


def test_a_resource_is_closed_on_the_edges_of_its_block() -> None:
    subject = method("try (Reader r = new FileReader(s)) { r.read(); busy(); }", "IOException")
    assert edges(subject, "read") == ["finally"]
    assert edges(subject, "busy") == []
    assert [edges_ for edges_ in thrown(subject) if edges_] == [["out"]]


def test_a_checked_exception_that_nobody_declares_does_not_leave() -> None:
    """Overloads may be chosen wrongly; the compiler had the last word."""
    assert edges(method("checked();"), "checked") == []


def test_lambdas_let_everything_leave() -> None:
    program = tree(p_C="package p; class C { Object m() { return (java.util.concurrent.Callable<?>) () -> f(); } "
                       "int f() throws java.io.IOException { return 0; } }")  # fmt: skip
    assert edges(linked(program, "p/C.java", "p.C.m()$lambda1"), "f") == ["out"]


def test_a_supplier_of_an_exception_says_which() -> None:
    subject = method("Optional<String> o = null; o.orElseThrow(() -> new FileNotFoundException());", "IOException")
    assert subject.thrown[calls(subject, "orElseThrow")[0]] == ("java.io.FileNotFoundException",)
    assert edges(method("Optional<String> o = null; o.orElseThrow(() -> new Own());", "IOException"), "orElseThrow") == []


@pytest.mark.parametrize(
    ("charset", "expected"), [('"UTF-8"', []), ('"utf-8"', []), ("s", ["out"]), ('"UTF-7"', ["out"])]
)
def test_standard_charsets_are_supported(charset: str, expected: list[str]) -> None:
    subject = method(f"new OutputStreamWriter(null, {charset});", "UnsupportedEncodingException")
    assert edges(subject, "<init>") == expected


# --- throw


def test_who_declares_what_is_ruled_out_here_still_explains_it() -> None:
    assert edges(method('try { lib.go(); s.getBytes("UTF-8"); } catch (UnsupportedEncodingException e) { }'), "go") == []
    assert edges(method('lib.go(); s.getBytes("UTF-8");', "UnsupportedEncodingException"), "go") == []
    url = "try { lib.go(); busy(); new java.io.File(s).toURI().toURL(); } catch (java.net.MalformedURLException e) { }"
    assert edges(method(url), "go") == edges(method(url), "busy") == []


def test_every_throw_is_real() -> None:
    assert thrown(method("if (s == null) throw new IllegalStateException(); quiet();")) == [["out"]]
    assert thrown(method("throw new AssertionError();")) == [["out"]]
    assert thrown(method("throw make();")) == [["out"]]


def test_a_throw_meets_its_handlers() -> None:
    subject = method("try { throw new Own(); } catch (IllegalStateException e) { } catch (RuntimeException e) { }")
    assert thrown(subject) == [["RuntimeException"]]


def test_a_caught_exception_is_thrown_again_as_what_arrived() -> None:
    subject = method("try { narrow(); } catch (Exception e) { throw e; }", "IOException")
    assert thrown(subject) == [["out"]]
    again = next(position for position, node in enumerate(subject.body.nodes) if isinstance(node, ir.Throw))
    assert subject.thrown[again] == ("java.io.FileNotFoundException",)


def test_what_never_arrives_is_not_thrown_again() -> None:
    subject = method("try { s.length(); } catch (OutOfMemoryError e) { throw e; }")
    assert thrown(subject) == [[]]


# --- beliefs in unchecked exceptions


def test_unchecked_exceptions_are_irrelevant_where_nobody_expects_them() -> None:
    subject = method("validating(1); declaring(); Integer.parseInt(s); checked();", "IOException")
    assert [edges(subject, name) for name in ("validating", "declaring", "parseInt")] == [[], [], []]


def test_a_handler_shows_belief_in_what_is_known_to_be_thrown() -> None:
    subject = method("try { busy(); Integer.parseInt(s); } catch (NumberFormatException e) { }")
    assert edges(subject, "parseInt") == ["NumberFormatException"]
    assert edges(subject, "busy") == []
    subject = method("try { validating(1); busy(); } catch (Exception e) { }")
    assert edges(subject, "validating") == ["Exception"]
    assert edges(subject, "busy") == []
    assert not subject.believed


def test_what_a_callee_catches_itself_does_not_leave_it() -> None:
    subject = method("try { recovering(); validating(1); } catch (RuntimeException e) { }")
    assert edges(subject, "recovering") == []
    assert edges(subject, "validating") == ["RuntimeException"]


def test_declaring_or_throwing_an_unchecked_exception_shows_belief() -> None:
    assert edges(method("declaring();", "UnsupportedOperationException"), "declaring") == ["out"]
    subject = method("declaring(); if (s == null) throw new UnsupportedOperationException();")
    assert edges(subject, "declaring") == ["out"]


def test_a_broad_handler_that_checked_exceptions_explain_shows_no_belief_in_others() -> None:
    subject = method("try { checked(); busy(); } catch (Exception e) { }")
    assert edges(subject, "checked") == ["Exception"]
    assert edges(subject, "busy") == []


@pytest.mark.parametrize("caught", ["Exception", "Throwable", "RuntimeException", "IllegalStateException"])
def test_an_unexplained_handler_is_explained_by_bodies_that_do_something(caught: str) -> None:
    subject = method(f"try {{ s.length(); quiet(); busy(); }} catch ({caught} e) {{ }}")
    assert edges(subject, "busy") == [caught]
    assert edges(subject, "quiet") == edges(subject, "length") == []
    assert calls(subject, "busy")[0] in subject.believed


def test_where_there_is_nothing_else_every_call_explains_a_handler() -> None:
    assert edges(method("try { s.length(); } catch (RuntimeException e) { }"), "length") == ["RuntimeException"]


def test_what_only_wraps_a_stream_explains_no_handler_of_something_unchecked() -> None:
    for caught in ("RuntimeException", "UncheckedIOException"):
        subject = method(f"try {{ new DataInputStream(new BufferedInputStream(in)); s.length(); }} catch ({caught} e) {{ }}", imports="import java.io.*;")
        assert edges(subject, "<init>") == []
        assert edges(subject, "length") == [caught]
    subject = method("try { new GZIPInputStream(in); } catch (IOException | RuntimeException e) { }", imports="import java.util.zip.*;")
    assert edges(subject, "<init>") == ["IOException|RuntimeException"]


def test_a_handler_further_out_is_explained_through_a_finally() -> None:
    subject = method("try { try { busy(); } finally { quiet(); } } catch (RuntimeException e) { }")
    assert edges(subject, "busy") == ["finally"]
    assert thrown(subject) == [["RuntimeException"]]


def test_calls_whose_exceptions_stop_further_in_explain_nothing() -> None:
    subject = method("try { try { busy(); } catch (Exception e) { } s.length(); } catch (RuntimeException e) { }")
    assert edges(subject, "busy") == ["Exception"]
    assert edges(subject, "length") == ["RuntimeException"]


@pytest.mark.parametrize("caught", ["OutOfMemoryError", "NullPointerException", "Error", "StackOverflowError"])
def test_exceptions_of_a_broken_program_or_machine_are_ignored(caught: str) -> None:
    assert edges(method(f"try {{ busy(); lib.go(); }} catch ({caught} e) {{ }}"), "busy") == []


# --- unknown callees


def test_an_unknown_callee_throws_what_nobody_else_explains() -> None:
    subject = method("try { lib.go(); quiet(); } catch (IOException e) { }")
    assert edges(subject, "go") == ["IOException"]
    assert edges(subject, "quiet") == []
    assert subject.believed[calls(subject, "go")[0]] == subject.raises[calls(subject, "go")[0]]
    assert edges(method("lib.go();", "IOException"), "go") == ["out"]
    assert edges(method("lib.go();"), "go") == []


def test_a_constructor_without_arguments_is_not_what_a_signature_means() -> None:
    assert edges(method("new Lib();", "IOException"), "<init>") == []
    assert edges(method("new Lib(s);", "IOException"), "<init>") == ["out"]


def test_an_unknown_callee_throws_everywhere_what_it_alone_can_throw_somewhere() -> None:
    alone = "try { Lib.read(s); } catch (IOException e) { }"
    beside = "try { checked(); Lib.read(s); } catch (IOException e) { }"
    first, second = calls(method(alone + beside), "read")
    subject = method(alone + beside)
    assert ways(subject, first) == ways(subject, second) == ["IOException"]
    assert second in subject.believed
    (only,) = calls(method(beside), "read")
    assert ways(method(beside), only) == []


def test_an_unknown_callee_does_not_throw_what_a_known_one_explains() -> None:
    assert edges(method("try { lib.go(); checked(); } catch (IOException e) { }"), "go") == []
    assert edges(method("lib.go(); checked();", "IOException"), "go") == []


def test_unless_it_is_handed_something_closeable() -> None:
    subject = method("try { lib.go(in); checked(); } catch (IOException e) { }")
    assert edges(subject, "go") == ["IOException"]
    assert edges(method("lib.go(in); checked();", "IOException"), "go") == ["out"]
    assert calls(subject, "go")[0] in subject.believed


def test_streams_that_need_no_closing_count_as_closeable_there() -> None:
    head = "void m(Lib lib, ByteArrayOutputStream out) throws IOException"
    source = f"package p; import java.io.*; import org.lib.Lib; class C {{ {head} {{ lib.go(out); out.close(); }} }}"
    subject = linked(with_specs(p_C=source), "p/C.java", "p.C.m(Lib,ByteArrayOutputStream)")
    assert edges(subject, "go") == ["out"]


def test_unknown_exceptions() -> None:
    subject = method("try { lib.go(); checked(); } catch (LibException e) { }", "IOException")
    assert edges(subject, "go") == ["LibException"]
    assert edges(subject, "checked") == ["out"]


def test_an_exception_of_the_repository_is_not_thrown_by_a_library() -> None:
    subject = method("try { lib.go(); busy(); } catch (Own e) { }")
    assert edges(subject, "go") == []
    assert edges(subject, "busy") == ["Own"]


def test_accessors_are_the_last_suspects_among_unknown_callees() -> None:
    subject = method("try { lib.getName(); lib.go(); } catch (IOException e) { }")
    assert edges(subject, "getName") == []
    assert edges(subject, "go") == ["IOException"]
    assert edges(method("try { lib.getName(); } catch (IOException e) { }"), "getName") == ["IOException"]


def test_an_unknown_callee_may_fail_at_its_work_on_what_the_procedure_closes() -> None:
    subject = method("Lib l = lib.open(); l.start(); l.register(lib); l.work(); lib.other(); l.getName(); lib.read(l); lib.getName(l); quiet(); l.close();")
    assert edges(subject, "work") == edges(subject, "read") == ["out"]
    (first, second) = calls(subject, "getName")
    assert ways(subject, first) == ["out"] and ways(subject, second) == []
    assert edges(subject, "other") == edges(subject, "open") == edges(subject, "start") == edges(subject, "register") == edges(subject, "quiet") == edges(subject, "close") == []
    assert subject.thrown[first] == ("java.lang.RuntimeException",)
    assert first in subject.believed
    assert edges(method("Lib l = lib.open(); if (!l.isClosed()) l.close();"), "isClosed") == []
    assert edges(method("Lib l = lib.open(); l.work();"), "work") == []
    checked = method("Lib l = lib.open(); l.work(); l.close();", "IOException")
    assert checked.thrown[calls(checked, "work")[0]] == ("java.io.IOException",)


def test_helpers_that_say_what_they_close_throw_nothing() -> None:
    subject = in_method(
        "try { s.read(); } catch (IOException e) { lib.go(s); } finally { DbUtils.closeRows(s); DbUtils.close(s, lib); closeAll(s); lib.closeLater(s); Files.closed(s); }",
        "void m(java.io.InputStream s, L lib) throws java.io.IOException", REST,
    )  # fmt: skip
    assert edges(subject, "closeRows") == edges(subject, "closeAll") == edges(subject, "close") == []
    assert edges(subject, "closeLater") == edges(subject, "closed") == ["out"]


def test_logs_and_assertions_throw_nothing() -> None:
    imports = "import org.slf4j.Logger; import org.junit.Assert;"
    subject = in_method(
        "try { log.info(s); Assert.fail(); lib.go(); } catch (Exception e) { }", "void m(Logger log, String s, L lib)",
        REST, imports,
    )  # fmt: skip
    assert edges(subject, "info") == edges(subject, "fail") == []
    assert edges(subject, "go") == ["Exception"]


# --- configuration, specs


def test_ignored_exceptions_can_be_added() -> None:
    source = """package p; class C { void m() throws InterruptedException { Thread.sleep(1);
        try { Thread.sleep(2); } catch (InterruptedException e) { } throw new InterruptedException(); } }"""
    store = MemoryStore()
    found = []
    for ignored in ((), ("java.lang.InterruptedException",)):
        options = Options(ignored_exceptions=ignored)
        program = Program(MemoryTree({"p/C.java": source.encode()}), store=store, options=options)
        subject = linked(program, "p/C.java", "p.C.m()")
        found.append([ways(subject, call) for call in calls(subject, "sleep")] + thrown(subject))
        program.save()
    assert found == [[["out"], ["InterruptedException"], ["out"]], [[], [], ["out"]]]


def test_calls_that_never_return_have_no_successor() -> None:
    source = "package p; class C { void m() { System.exit(1); n(); } void n() {} }"
    subject = linked(with_specs(p_C=source), "p/C.java", "p.C.m()")
    assert subject.next[calls(subject, "exit")[0]] == ()
    assert subject.next[calls(subject, "n")[0]] == (ir.EXIT,)


def test_edges_are_some_of_those_that_lowering_gives() -> None:
    subject = method("""try { checked(); lib.go(in); try { busy(); throw new Mine(); } finally { narrow(); } }
        catch (IOException | Mine e) { validating(2); throw new Own(); } finally { in.close(); }""", "IOException")  # fmt: skip
    for real, possible in zip(subject.raises, subject.body.raises, strict=True):
        assert set(real) <= set(possible)
    assert set(subject.thrown) == {position for position, handlers in enumerate(subject.raises) if handlers}
