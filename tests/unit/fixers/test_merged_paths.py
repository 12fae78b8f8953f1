"""Two paths are walked on as one only where nothing that they know can still make a difference (C)."""

from __future__ import annotations

import pytest

from analyzers import ir
from analyzers.facts import facts
from fixers.fix import Verdict
from fixers.paths import Question, Report, check
from fixers.paths.layout import Layout
from fixers.paths.met import Met
from fixers.paths.state import Instance, State
from tests.unit.fixers.patching import answers, program

PROVED, REFUTED = Verdict.PROVED, Verdict.REFUTED

HEAD = b"#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
LONG = "{ if (d) puts(\"a\"); else puts(\"b\"); }"
"""More steps than the other side of a branch takes: that side is walked on first."""


def ask(text: str, maker: str = "") -> Report:
    """The report on the last function of a text; its calls marked `OURS` are the fix's. `maker`: the only function that it is about."""
    data = HEAD + text.encode()
    subject = program("a.c", data)
    found = facts(subject, subject.procedures()[-1])
    assert found is not None
    body = found.linked.body
    calls = [node for node, each in enumerate(body.nodes) if isinstance(each, ir.Call)]
    ours = frozenset(n for n in calls if b"OURS" in data[body.start + body.nodes[n].start :].partition(b"\n")[0])
    sites = frozenset(n for n in calls if any(not t.entry for one in found.effects.get(n, ()) for t in one.transfers))
    sites = frozenset(n for n in sites if getattr(body.nodes[n], "name", "") == maker) if maker else sites
    assert ours and sites
    return check(found.linked, found.effects, Question(sites, "", ours, ours, "c"))


def test_what_is_null_on_the_path_that_comes_first() -> None:
    """Where it is not, the caller's block is released."""
    text = f"""int f(char *arg, int c, int d) {{
        char *p = arg;
        if (p) {LONG}
        if (c) p = strdup("x");
        puts("q");
        free(p); /* OURS */
        return 0;
    }}"""
    assert ask(text).acquired.verdict is not PROVED


@pytest.mark.parametrize("test", ["n", "!n"])
def test_a_size_that_is_zero_on_one_of_them(test: str) -> None:
    text = f"""int f(size_t n, int d) {{
        char *p = strdup("x"), *q;
        if ({test}) {LONG}
        q = realloc(p, n);
        if (!q)
            free(p); /* OURS */
        else
            free(q);
        return 0;
    }}"""
    assert ask(text).once.verdict is REFUTED


@pytest.mark.parametrize(("test", "verdict"), [("flag", PROVED), ("!flag", REFUTED)])
def test_what_only_a_callee_asks(test: str, verdict: Verdict) -> None:
    text = f"""static void put(char *p, int flag) {{ if (flag) free(p); }}
    int f(int flag, int d) {{
        char *p = strdup("x");
        if ({test}) {LONG}
        put(p, flag);
        if ({test}) return 0;
        free(p); /* OURS */
        return 0;
    }}"""
    assert ask(text).once.verdict is verdict


@pytest.mark.parametrize("first", ["v[1]", "!v[1]"])
def test_elements_that_decide(first: str) -> None:
    text = f"""int f(char **v, int d) {{
        char *p = strdup("x");
        if ({first}) {LONG}
        if (!v[1]) free(p);
        free(p); /* OURS */
        return 0;
    }}"""
    assert ask(text).once.verdict is REFUTED


def test_no_safe_patch_where_a_size_may_be_zero() -> None:
    text = f"""int f(size_t n, int d) {{
        char *p = strdup("x"), *q;
        if (!n) {LONG}
        q = realloc(p, n);
        if (!q)
            return -1;
        free(q);
        return 0;
    }}"""
    assert all(getattr(each, "applicability", None) != "safe" for each in answers("a.c", HEAD + text.encode()))


def test_elements_that_nobody_can_name_any_more_keep_no_paths_apart() -> None:
    reads = "".join(f"i = next(); if (a[i] > {n}) puts(\"{n}\");\n" for n in range(16))
    text = f"int next(void);\nint f(size_t n) {{ int i; int *a = calloc(n, sizeof(*a)); if (a == NULL) return -1;\n{reads}free(a); /* OURS */\nreturn 0; }}"
    report = ask(text)
    assert report.once.verdict is report.after.verdict is report.acquired.verdict is report.gone.verdict is PROVED


def test_elements_that_a_variable_still_names_do() -> None:
    text = f"""int next(void);
    int f(char **v, int d) {{
        int i = next();
        char *p = strdup("x");
        if (v[i]) {LONG}
        next();
        if (!v[i]) free(p);
        free(p); /* OURS */
        return 0;
    }}"""
    assert ask(text).once.verdict is REFUTED


def test_a_chain_of_tests_that_all_go_on_with_the_loop() -> None:
    """No two edges meet along it, and what is told apart of each call makes no difference behind it."""
    names = [f"m{number}" for number in range(24)]
    chain = "".join(f'if ((v = after(s, "{name}")) != NULL) {{ o->{name} = *v; continue; }}\n' for name in names)
    text = f"""struct o {{ {" ".join(f"int {name};" for name in names)} }};
    static const char *after(const char *s, const char *key) {{
        size_t n = strlen(key);
        return strncmp(s, key, n) ? NULL : s + n;
    }}
    int f(struct o *o, char *text, int d) {{
        const char *v;
        char *s, *copy = strdup(text);
        if (copy == NULL) return -1;
        while ((s = strsep(&text, ",")) != NULL) {{
            {chain}
            break;
        }}
        puts(copy);
        free(copy); /* OURS */
        return 0;
    }}"""
    report = ask(text)
    assert report.is_finished
    assert report.is_proved


def test_what_needed_a_resource_and_cannot_be_named_any_more() -> None:
    """Each turn of the loops may leave several such numbers behind."""
    tests = "".join(f"if (d == {number}) at = strchr(line, {number}); if (d == {number} && at && *at == {number}) puts(at);\n" for number in range(1, 40))
    text = f"""int f(int d, const char *s) {{
        char *at = NULL, *line = strdup(s);
        if (line == NULL) return -1;
        for (; d > 0; d--) {{
            {tests}
        }}
        free(line); /* OURS */
        return 0;
    }}"""
    assert ask(text).is_finished


KEEPER = """
struct s { struct s *next, *inner; char *text; };
static struct s *all;
static void keep(struct s *o) { o->next = all; all = o; }
static struct s *new_s(void) { return calloc(1, sizeof(struct s)); }
"""


def test_objects_that_were_given_away_and_have_no_name_any_more_keep_no_paths_apart() -> None:
    gifts = ["keep(new_s());", "if ((o = new_s())) keep(o);"]
    turns = "".join(f"    for (i = 0; i < n{turn}; i++)\n        {gifts[turn % 2]}\n" for turn in range(30))
    numbers = ", ".join(f"int n{turn}" for turn in range(30))
    report = ask(f"{KEEPER}int f(int d, {numbers}) {{\n    int i;\n    struct s *o;\n    char *p = NULL;\n    if (d)\n        p = strdup(\"x\");\n{turns}    if (d)\n        free(p); /* OURS */\n    return 0;\n}}\n", "strdup")
    assert report.is_finished and report.is_proved


@pytest.mark.parametrize(("given", "later"), [
    ("struct s *o = new_s(); keep(o);", "o->text = p;"),
    ("struct s *o = new_s(); char **q = &o->text; keep(o); o = NULL;", "*q = p;"),
    ("struct s *o = new_s(); struct s *all_of[2] = { o, 0 }; keep(o); o = NULL;", "all_of[0]->text = p;"),
    ("struct s *in = new_s(), *o = new_s(); in->next = o; keep(o); o = NULL;", "in->next->text = p;"),
    ("struct s *o = new_s(); struct s **q = &o; keep(o);", "(*q)->text = p;"),
    ("struct s *o = new_s(); o->text = p; keep(o); o = NULL;", "p = p;"),
    ("struct s *o = new_s(), *other = new_s(); o->inner = other; keep(o); o = NULL;", "other->text = p;"),
])
def test_objects_that_were_given_away_and_can_still_be_reached_do(given: str, later: str) -> None:
    """Who has the object has what is stored in it, and a release of the fix takes it away."""
    report = ask(f"{KEEPER}int f(int d) {{\n    char *p = strdup(\"x\");\n    {given}\n    if (d) puts(\"a\");\n    {later}\n    if (d) puts(\"b\");\n    free(p); /* OURS */\n    return 0;\n}}\n", "strdup")
    assert not report.is_proved


MANY = 14
EITHER = """static char *make(const char *text) { char *p = strdup(text); if (p == NULL) abort(); return p; }
    int f(int *c) { char NAMED; MADE USED FREED return 0; }"""


def _either(freed: str) -> str:
    """A procedure with many blocks, each of one of two acquisitions."""
    names = [f"p{n}" for n in range(MANY)]
    made = "\n".join(f'if (c[{n}]) {name} = make("a"); else {name} = make("b");' for n, name in enumerate(names))
    used = "\n".join(f"puts({name});" for name in names)
    parts = {"NAMED": ", ".join(f"*{name}" for name in names), "MADE": made, "USED": used, "FREED": f"{freed}\n"}
    text = EITHER
    for word, part in parts.items():
        text = text.replace(word, part)
    return text


def test_which_of_several_acquisitions_made_it() -> None:
    """Of all the same is asked: two to the power of fourteen ways are one."""
    report = ask(_either("\n".join(f"free(p{n}); /* OURS */" for n in range(MANY))), "make")
    assert report.is_proved


def test_one_of_many_that_is_released_twice_whichever_made_it() -> None:
    report = ask(_either("\n".join(f"free(p{n}); /* OURS */" for n in (*range(MANY), 3))), "make")
    assert report.once.verdict is REFUTED


def test_acquisitions_of_which_not_the_same_is_asked() -> None:
    """What one of them made is lost, what the other made is not asked for: they stay apart."""
    text = f"""int f(int c, int d) {{
        char *p;
        if (c) {LONG}
        if (c) p = strdup("a"); else p = strndup("b", 1);
        if (c) return 1;
        free(p); /* OURS */
        return 0;
    }}"""
    assert ask(text, "strndup").gone.verdict is PROVED
    assert ask(text, "strdup").gone.verdict is REFUTED


def test_ways_out_of_one_call_that_differ_in_nothing() -> None:
    subject = program("a.c", b"int f(int *p) { int a = p[0]; return a; }")
    found = facts(subject, subject.procedures()[-1])
    assert found is not None
    layout = Layout(found.linked, found.effects)
    met, first = Met(frozenset((9,)), layout.live, frozenset(), {}), State(3)
    first.variables["a"] = first.unknown()
    second = first.copy(3)
    second.variables["a"] = second.unknown()  # as unknown as the other
    third = first.copy(3)
    third.handles[third.variables["a"]] = Instance(2)
    assert list(met.apart([first, second, third])) == [first, third]
    at_a_join = [first.copy(9), first.copy(9)]  # where `again` tells
    assert list(met.apart(at_a_join)) == at_a_join
