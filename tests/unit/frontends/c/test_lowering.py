"""Lowering of C: goldens of whole units, and the conventions of loads, stores, calls and literals."""

from __future__ import annotations

import pathlib

import pytest

from analyzers.frontends.c import lower
from analyzers.printing import print_unit
from tests.conftest import check_golden
from tests.unit.frontends.c.paths import function, texts

C = pathlib.Path(__file__).parents[3] / "fixtures" / "c"
FIXTURES = sorted((C / "lowering").glob("*.c"))


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_units_are_as_expected(path: pathlib.Path) -> None:
    check_golden(path.with_suffix(".ir"), print_unit(lower(path.read_bytes())))


DECLARATIONS = """
struct inner { char *text; int n; };
struct outer { struct inner in; struct inner *far; char **names; int (*call)(int); };
typedef struct outer *handle;
extern char *made(void);
enum { FIRST = 3, SECOND };
static handle known;
"""


def _body(statements: str) -> list[str]:
    text = "int f(struct outer *o, handle h, char **out, int n) { struct outer s; char *p; int i; "
    return texts(function(f"{DECLARATIONS}{text}{statements} }}"))


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        # places
        ("p = o->in.text;", ["p = load o.in.text"]),
        ("p = s.in.text;", ["p = load s.in.text"]),
        ("p = (*o).in.text;", ["p = load o.in.text"]),
        ("p = (&s)->in.text;", ["p = load s.in.text"]),
        ("s.far->text = p;", ["%1 = load s.far", "store %1.text = p"]),
        ("*out = p;", ["store out.* = p"]),
        ("p = out[n];", ["p = load out[n]"]),
        ("o->far[n].text = p;", ["%1 = load o.far", "%2 = op []+ %1, n", "store %2.text = p"]),
        ("known->far = 0;", ["%1 = load .known", "store %1.far = =null"]),
        ("global_one.x.y = p;", ["store .global_one.x.y = p"]),
        ("p = unknown;", ["p = load .unknown"]),
        ("s = *o;", ["s = load o.*"]),
        ("p = ((struct inner *) h)->text;", ["%1 = op cast h : struct inner *", "p = load %1.text"]),
        ("p = (char *) o;", ["p = o"]),
        # addresses
        ("use(&s);", ["%1 = & s", "function use(%1)"]),
        ("use(&o->far);", ["%1 = & o.far", "function use(%1)"]),
        ("use(&*p);", ["function use(p)"]),
        ("use(&o->far[2]);", ["%1 = load o.far", "%2 = op []+ %1, =2", "function use(%2)"]),
        ("use(&out[2]);", ["%1 = & out.[]", "function use(%1)"]),
        ("use(&elsewhere);", ["%1 = & .elsewhere", "function use(%1)"]),
        # arithmetic
        ("p += n;", ["p = op []+ p, n"]),
        ("p = p - 1;", ["p = op []+ p, =-1"]),
        ("i = n + 1;", ["i = op + n, =1"]),
        ("i = *p++;", ["%1 = p", "p = op []+ p, =1", "i = load %1.*"]),
        ("i = --n;", ["n = op - n, =1", "i = n"]),
        ("o->in.n++;", ["%1 = load o.in.n", "%2 = op + %1, =1", "store o.in.n = %2"]),
        # null and constants
        ("p = 0;", ["p = =null"]),
        ("h = 0;", ["h = =null"]),
        ("i = NULL;", ["i = =0"]),
        ("p = (void *) 0;", ["p = =null"]),
        ("i = SECOND | 8;", ["i = =12"]),
        ("i = -'a';", ["i = =-97"]),
        ("i = 0x1F & ~0U;", ["i = =31"]),
        ("i = LIMIT;", ["i = load .LIMIT"]),
        ("i = sizeof(struct outer);", ["i = =?"]),
        ('p = "a" "b";', ['p = ="a" "b"']),
        # branches
        ("if (p) use(p);", ["if p", "function use(p)"]),
        ("if (!h) use(h);", ["if h", "function use(h)"]),
        ("if (p == 0) use(p);", ["if p == =null", "function use(p)"]),
        ("if (NULL != p) use(p);", ["if p != =null", "function use(p)"]),
        ("if (3 > n) use(n);", ["if n < =3", "function use(n)"]),
        ("if ((p = made()) == NULL) use(p);", ["p = function made()", "if p == =null", "function use(p)"]),
        (
            "if ((s.in.text = made())) use(p);",
            ["%1 = function made()", "store s.in.text = %1", "if %1", "function use(p)"],
        ),
        ("i = p == 0;", ["i = op == p, =null"]),
        # calls
        ("o->call(n);", ["%1 = load o.call", "pointer call(n) on %1"]),
        ("(*o->call)(n);", ["%1 = load o.call", "pointer call(n) on %1"]),
        ("(free)(p);", ["function free(p)"]),
        ("register_it(f);", ["function register_it(=&f)"]),
        ("register_it(&f);", ["function register_it(=&f)"]),
        ("h->call = f;", ["store h.call = =&f"]),
        ("MACRO(p, struct outer *, n);", ["function MACRO(p, =?, n)"]),
        ("i = va_arg(p, char *);", ["i = function va_arg(p, =?)"]),
        ("use((struct inner) { .text = p });", ["%1 = op zero  : struct inner", "store %1.text = p", "function use(%1)"]),
        # initialisers
        ("struct inner z = { p, 3 };", ["z = op zero  : struct inner", "store z.text = p", "store z.n = =3"]),
        ("char *z[] = { p, 0 };", ["z = op zero  : char *[]", "store z[=0] = p"]),
        ("struct far_away z = { p };", ["z = op zero  : struct far_away", "store z.#0 = p"]),
        ("struct outer z = { { p }, .names = out };",
         ["z = op zero  : struct outer", "store z.in.text = p", "store z.names = out"]),
    ],
)
def test_statements_lower_to(statement: str, expected: list[str]) -> None:
    assert _body(statement) == expected


def test_a_second_variable_of_one_name_is_numbered() -> None:
    found = function("void f(int n) { int x = n; { int x = 1; use(x); } use(x); }")
    assert texts(found) == ["x = n", "x#2 = =1", "function use(x#2)", "end x#2", "function use(x)"]
    visible = {each.name: (each.start, each.end) for each in found.variables}
    assert visible["x"] == (20, 59)
    assert visible["x#2"] == (33, 49)


def test_offsets_are_relative_to_the_procedure() -> None:
    text = "void f(int n) { use(n); }"
    moved = function("\n\n" + text)
    assert moved.start == 2
    assert (moved.nodes[3].start, moved.nodes[3].end) == (16, 22)
    assert moved.nodes == function(text).nodes


def test_statics_of_functions_are_globals() -> None:
    found = function("int f(void) { static int calls = 2; return ++calls; }")
    assert texts(found) == [
        "%1 = load .f.calls", "%2 = op + %1, =1", "store .f.calls = %2", "return %2",
    ]


def test_address_taken_variables_say_so() -> None:
    found = function("void f(void) { int x, y; struct s z; use(&x, y, &z.a); }")
    assert {each.name for each in found.variables if each.is_address_taken} == {"x", "z"}
