"""Mutants of C take out one release, with the test around it where that only looks; nothing else changes."""

from __future__ import annotations

import pytest

from analyzers.syntax import C, parse
from benchmarks.mutants_c import mutants


def made(kind: str, data: bytes) -> list[str]:
    """The functions that mutants of a kind give, on one line each."""
    found = [each.applied(data) for each in mutants(data) if each.kind == kind]
    assert all(not parse(C, each).errors for each in found)
    return [" ".join(each.decode().split()) for each in found]


def body(text: str, name: str = "run") -> bytes:
    return f"int {name}(struct box *b, int n) {{ {text} }}".encode()


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [
        ("plain", "char *t = strdup(s); use(t); free(t); return 0;", "char *t = strdup(s); use(t); return 0;"),
        ("plain", "FILE *f; f = (FILE *)open_it(); (void)fclose(f);", "FILE *f; f = (FILE *)open_it();"),
        ("plain", "char *t = 0; fill(&t); if (t != NULL) { free(t); }", "char *t = 0; fill(&t);"),
        ("plain", "char *t = make(); if (n) free(t); else keep(t);", "char *t = make(); if (n) ; else keep(t);"),
        ("plain", "char *t = make(); if (store(t) < 0) free(t);", "char *t = make(); if (store(t) < 0) ;"),
        ("early", "char *t = make(); if (n) { free(t); return -1; } free(t);", "char *t = make(); if (n) { return -1; } free(t);"),
        ("label", "char *t = make(); if (n) goto out; use(t); out: free(t); return n;", "char *t = make(); if (n) goto out; use(t); out: ; return n;"),
        ("label", "int f = open(p); if (n) goto out; out: note(n); close(f); return n;", "int f = open(p); if (n) goto out; out: note(n); return n;"),
        ("member", "if (b->name) free(b->name); free(b);", "free(b);"),
        ("member", "part_free(&b->parts[n]);", ""),
    ],
)
def test_one_release_is_taken_out(kind: str, before: str, after: str) -> None:
    assert " ".join(body(after).decode().split()) in made(kind, body(before))


@pytest.mark.parametrize(
    "data",
    [
        body("free(b);"), body("char *t = b; free(t);"), body("char *t = make(); use(t);"), body("char *t = make(); mutex_release(t);"),
        body("char *t = make(); free(t);", "main"), body("char *t = make(); } } free(t);"),
    ],
    ids=["a formal", "a copy", "no release", "a lock", "the program's end", "what does not parse"],
)
def test_what_a_function_did_not_make_itself_is_left(data: bytes) -> None:
    assert mutants(data) == []
