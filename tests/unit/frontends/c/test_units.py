"""What a C file says besides its bodies: prototypes, types, constants, globals, macros, initialisers, mentions."""

from __future__ import annotations

from analyzers import ir
from tests.unit.frontends.c.paths import lowered, texts


def test_prototypes_keep_types_and_attributes() -> None:
    unit = lowered(
        """extern void *make(size_t n) __attribute__((__malloc__(drop, 1), warn_unused_result));
           _Noreturn void die(const char *fmt, ...);
           void take(struct s *s, int (*by)(int)) __attribute__((ownership_takes(malloc, 1), nonnull(1)));"""
    )
    by_name = {each.name: each for each in unit.prototypes}
    assert by_name["make"].result == "void *"
    assert set(by_name["make"].attributes) == {"extern", "malloc(drop,1)", "warn_unused_result"}
    assert by_name["die"].parameters == ("const char *",)
    assert by_name["die"].is_varargs
    assert "noreturn" in by_name["die"].attributes
    assert by_name["take"].parameters == ("struct s *", "int (*)()")
    assert by_name["take"].attributes == ("ownership_takes(malloc,1)", "nonnull(1)")


def test_types_and_constants() -> None:
    unit = lowered(
        """typedef struct { int a; struct { char *b; } in; union { int c; }; } T, *P;
           struct s { T t; P p[2]; void (*f)(int); };
           enum e { A = 1 << 3, B, C = 'a', D = sizeof(int), F };"""
    )
    types = {each.name: each for each in unit.types}
    assert [(each.name, each.type) for each in types["T"].fields if "." not in each.name and each.name != "in"] == [
        ("a", "int"), ("c", "int"),
    ]
    assert "in.b" in [each.name for each in types["T"].fields]
    assert types["P"].supertypes == ("T *",)
    assert [each.type for each in types["struct s"].fields] == ["T", "P[]", "void (*)()"]
    assert [(each.name, each.type) for each in types["enum e"].fields] == [
        ("A", "=8"), ("B", "=9"), ("C", "=97"), ("D", "=?"), ("F", "=?"),
    ]


def test_moving_a_function_changes_nothing_in_it() -> None:
    text = "int f(int n) { struct { int a; } s = { n }; return s.a; }\n"
    first = next(each for each in lowered(text).procedures if each.name == "f")
    second = next(each for each in lowered("int x;\n\n" + text).procedures if each.name == "f")
    assert (first.nodes, first.next, first.variables) == (second.nodes, second.next, second.variables)


def test_macros_become_procedures_where_they_can() -> None:
    unit = lowered(
        """#define VALUE(a, b) ((a) ? (b) : 0)
#define RESET(p) do { free(p); (p) = NULL; } while (0)
#define CHECK(x) if (!(x)) return -1
#define SKIP(x) { if (x) continue; }
#define EACH(e, l) for ((e) = first(l); (e); (e) = next(e))
#define PASTE(a, b) a##b
#define OPEN(x) { use(x);
#define CASES case 1: case 2:
#define LIMIT 16
#define LONG(a) \\
    use(a); /* kept \\
    together */ \\
    use(a)
"""
    )
    procedures = {each.name: each for each in unit.procedures}
    assert set(procedures) == {"VALUE", "RESET", "CHECK", "SKIP", "EACH", "LONG"}
    assert procedures["VALUE"].attributes == ("expression",)
    assert procedures["RESET"].attributes == ("assigns(0)", "statements")
    assert procedures["CHECK"].attributes == ("control-flow", "statements")
    assert texts(procedures["CHECK"]) == ["if x", "return =-1"]
    assert "jumps(continue)" in procedures["SKIP"].attributes
    assert {"heads-loop", "assigns(0)"} <= set(procedures["EACH"].attributes)
    assert texts(procedures["LONG"]) == ["function use(a)", "function use(a)"]
    macros = {each.name: each for each in unit.macros}
    assert macros["LIMIT"].parameters is None
    assert macros["LIMIT"].body == "16"
    assert macros["LONG"].body == "use(a); use(a)"
    assert macros["PASTE"].parameters == ("a", "b")


def test_macros_inside_functions_are_kept() -> None:
    unit = lowered("int f(int n) {\n#define TWICE(x) (2 * (x))\n return TWICE(n); }\nint g(void) {\n#define ONE 1\n BAD( }")
    assert {each.name for each in unit.macros} == {"TWICE", "ONE"}


def test_initialisers_store_functions_to_members() -> None:
    unit = lowered(
        """struct ops { int (*open)(int); void (*close)(void); char *name; };
           static int opener(int n) { return n; }
           struct ops one = { .close = closer, .name = "x" };
           struct ops many[] = { { opener, closer }, { &opener } };
           struct elsewhere other = { 1, opener, LIMIT };
           int (*hook)(int) = opener;
           static int verbose = 0;
           char *none = 0;
           void f(void) { static struct ops kept = { opener }; }"""
    )
    stores = [text for text in texts(unit.procedures[-1]) if text.startswith("store")]
    assert unit.procedures[-1].name == "<file>"
    assert stores == [
        "store .one.close = =&closer",
        "store %1.open = =&opener", "store %1.close = =&closer", "store %1.open = =&opener",
        "store .other.#1 = =&opener",
        "store .hook = =&opener",
        "store .verbose = =0",
        "store .none = =null",
        "store .f.kept.open = =&opener",
    ]


def test_mentions_name_what_other_files_may_define() -> None:
    unit = lowered("int f(struct s *p, word w) { cb = handler; return call(MACRO, p->field, sizeof(w)); }")
    assert {"s", "word", "handler", "call", "MACRO"} <= set(unit.mentions)
    assert not {"p", "w", "field"} & set(unit.mentions)
    assert list(unit.mentions) == sorted(unit.mentions)


def test_two_definitions_of_one_name_are_both_kept() -> None:
    unit = lowered("#ifdef A\nint f(void) { return a(); }\n#else\nint f(void) { return b(); }\n#endif\n")
    assert [each.name for each in unit.procedures] == ["f", "f#2"]


def test_nested_functions_see_the_variables_around_them() -> None:
    unit = lowered("int f(int n) { int k = n; int inner(int m) { return m + k; } return inner(2); }")
    by_name = {each.name: each for each in unit.procedures}
    assert next(each for each in by_name["f.inner"].variables if each.name == "k").kind == "captured"
    assert [node.name for node in by_name["f"].nodes if isinstance(node, ir.Call)] == ["f.inner"]
