"""New text never looks into what may have been released before it."""

from __future__ import annotations

import pytest

from analyzers.facts import facts
from analyzers.queries import ProcedureKey
from analyzers.source import Span
from fixers.fix import Applicability, Edit, Fix
from fixers.freed import freed_before
from tests.unit.fixers.patching import answers, mended, program

HEAD = """
#include <stdio.h>
#include <stdlib.h>
struct box { FILE *file; char *text; };
static void lend(FILE *file, char *buffer) { setbuf(file, buffer); }
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("free(box); /*+*/fclose(box->file);/*-*/ return 0;", "box"),
        ("struct box *same = box; free(same); /*+*/fclose(box->file);/*-*/ return 0;", "box"),
        ("if (mode) free(box); /*+*/fclose(box->file);/*-*/ return 0;", "box"),
        ("/*+*/fclose(box->file);/*-*/ free(box); return 0;", ""),
        ("free(box->text); /*+*/fclose(box->file);/*-*/ return 0;", ""),
        ("char *own = box->text; FILE *file = box->file; setbuf(file, own); free(own); /*+*/fclose(file);/*-*/ return 0;", "own"),
        ("char *own = box->text; setvbuf(box->file, own, _IOFBF, 9); free(own); /*+*/box->text = calloc(9, 1);/*-*/ return 0;", ""),
        ("char *own = box->text; FILE *file = box->file; setbuf(file, own); /*+*/fclose(file);/*-*/ free(own); return 0;", ""),
        ("char *own = box->text; FILE *file = box->file; lend(file, own); free(own); /*+*/fclose(file);/*-*/ return 0;", "own"),
        ("char *own = box->text, *same = own; FILE *file = box->file; setvbuf(file, own, _IOFBF, 9); if (mode) free(same); /*+*/fclose(file);/*-*/ return 0;", "own"),
        ("free(box); box = calloc(1, sizeof *box); /*+*/fclose(box->file);/*-*/ return 0;", ""),
    ],
)
def test_blocks_that_are_gone(body: str, expected: str) -> None:
    text = f"{HEAD}int f(struct box *box, int mode) {{ {body} }}\n"
    start, end = text.index("/*+*/") + 5, text.index("/*-*/")
    whole = program("f.c", text.encode())
    found = facts(whole, ProcedureKey("f.c", "f"))
    assert found is not None
    edit = Edit(Span("f.c", start, start), text[start:end])
    assert freed_before(found, [edit], whole) == expected


def test_members_are_released_before_what_holds_them() -> None:
    text = HEAD + """
struct box *make(const char *path)
{
    struct box *box = malloc(sizeof *box);
    if (!box)
        return NULL;
    box->file = fopen(path, "r");
    if (!box->file) {
        free(box);
        return NULL;
    }
    box->text = malloc(9);
    if (!box->text) {
        free(box);
        return NULL;
    }
    return box;
}
"""
    fixed = mended("make.c", text.encode()).decode()
    assert "        fclose(box->file);\n        free(box);\n" in fixed
    assert fixed.count("fclose") == 1


MEMBERS = """
#include <glib.h>
#include <netdb.h>
extern int probe(const char *path);
extern void note(const char *text);
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("char *text = label->str; /*+*/g_string_free(label, TRUE);/*-*/ return text;", "text"),
        ("char *text = label->str, *same = text; /*+*/g_string_free(label, TRUE);/*-*/ note(same); return NULL;", "same"),
        ("GString *other = label; char *text = other->str; /*+*/g_string_free(label, TRUE);/*-*/ return text;", "text"),
        ("char *text = error->message; /*+*/g_error_free(error);/*-*/ return text;", "text"),
        ("char *text = list->ai_canonname; /*+*/freeaddrinfo(list);/*-*/ return text;", "text"),
        ("char *text = g_strdup(label->str); /*+*/g_string_free(label, TRUE);/*-*/ return text;", ""),
        ("char *text = label->str; note(text); /*+*/g_string_free(label, TRUE);/*-*/ return text ? \"yes\" : NULL;", ""),
        ("char *text = label->str; label = g_string_new(text); /*+*/g_string_free(label, TRUE);/*-*/ return text;", ""),
        ("char *text = error->message; error->message = NULL; /*+*/g_error_free(error);/*-*/ return text;", ""),
        ("char *text = label->str; /*+*/text = g_string_free(label, FALSE);/*-*/ return text;", ""),
        ("char *text = error->message; /*+*/g_string_free(label, TRUE);/*-*/ return text;", ""),
        ("char *text = first->data; /*+*/g_list_free(first);/*-*/ return text;", ""),
    ],
)
def test_members_that_go_with_the_struct(body: str, expected: str) -> None:
    text = f"{MEMBERS}char *f(GString *label, GError *error, struct addrinfo *list, GList *first) {{ {body} }}\n"
    start, end = text.index("/*+*/") + 5, text.index("/*-*/")
    whole = program("f.c", text.encode())
    found = facts(whole, ProcedureKey("f.c", "f"))
    assert found is not None
    assert freed_before(found, [Edit(Span("f.c", start, start), text[start:end])], whole) == expected


def test_no_fix_frees_a_string_whose_text_is_returned() -> None:
    text = MEMBERS + """
char *label_of(const char *format, int number)
{
    GString *label = g_string_new(NULL);

    g_string_printf(label, format, number);
    if (probe(label->str))
        return label->str;
    g_string_free(label, TRUE);
    return NULL;
}

int length_of(const char *format, int number)
{
    GString *label = g_string_new(NULL);

    g_string_printf(label, format, number);
    if (probe(label->str))
        return label->len;
    g_string_free(label, TRUE);
    return 0;
}
"""
    told = {each.finding.procedure: each for each in answers("label.c", text.encode())}
    assert not isinstance(told["label_of"], Fix)
    length = told["length_of"]
    assert isinstance(length, Fix) and length.applicability is Applicability.SAFE
