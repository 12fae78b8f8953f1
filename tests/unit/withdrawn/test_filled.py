"""Releases of members that a change takes out: what the procedure, or a callee, had put there itself."""

from __future__ import annotations

import pytest

from tests.unit.withdrawn.test_withdrawn import without

BELOW = """
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    struct ink { char *name; char *tint; FILE *log; struct ink *first; struct ink *last; struct ink *next; int size; };
"""

GROWN = BELOW + """
    void ink_grow(struct ink *ink, int size) { ink->name = realloc(ink->name, size); ink->size = size; }
    extern int ink_print(const struct ink *ink);
    void ink_keep(struct ink *ink) { kept = ink->name; }
    int proof(void)
    {
        struct ink ink = {0};
        int lines;
        ink_grow(&ink, 40);
        lines = ink_print(&ink);
        free(ink.name);
        return lines;
    }
"""


def test_what_a_callee_has_put_into_a_struct_of_the_procedures_own() -> None:
    assert without(GROWN, "free(ink.name);") == ["ink->name"]


@pytest.mark.parametrize(("line", "other"), [
    ("ink_grow(&ink, 40);", "ink.name = cover;"),
    ("ink_grow(&ink, 40);", "ink = *cover;"),
    ("lines = ink_print(&ink);", "lines = ink_add(&ink);"),
])  # fmt: skip
def test_what_a_struct_of_the_procedures_own_was_only_lent(line: str, other: str) -> None:
    text = GROWN.replace(line, other).replace("proof(void)", "proof(struct ink *cover)" if "*" in other else "proof(char *cover)")
    assert without(text, "free(ink.name);") == []


STARTED = BELOW + """
    extern int ink_check(struct ink *ink);
    int ink_start(struct ink *ink)
    {
        ink->log = fopen("log", "w");
        if (ink->log == NULL)
            return -1;
        if (ink_check(ink) < 0) {
            fclose(ink->log);
            return -2;
        }
        ink->name = malloc(9);
        if (ink->name == NULL) {
            fclose(ink->log);
            return -3;
        }
        return 0;
    }
    void ink_stop(struct ink *ink)
    {
        free(ink->name);
        fclose(ink->log);
    }
"""


def test_what_a_procedure_has_put_there_and_releases_on_its_other_ways() -> None:
    assert without(STARTED, "fclose(ink->log);\n            return -2;", "return -2;") == ["ink->log"]
    assert without(STARTED, "fclose(ink->log);\n            return -3;", "return -3;") == ["ink->log"]


def test_what_no_way_releases_any_more_was_somebody_elses_to_end() -> None:
    """Who calls it stops it whatever it answers: the change takes out a second release."""
    one = STARTED.replace("fclose(ink->log);\n            return -3;", "return -3;")
    assert without(one, "fclose(ink->log);\n            return -2;", "return -2;") == []


def test_what_came_with_the_object_may_be_its_owners() -> None:
    given = STARTED.replace('ink->log = fopen("log", "w");', "ink_check(ink);")
    assert without(given, "fclose(ink->log);\n            return -2;", "return -2;") == []


def test_who_gives_up_what_it_made_takes_nothing_of_anothers() -> None:
    assert without(STARTED, "fclose(ink->log);\n    }", "}") == ["ink->log"]
    other = STARTED + "    void ink_pause(struct ink *ink) { fclose(ink->log); }\n"
    assert without(other, "fclose(ink->log);\n    }\n    void", "}\n    void") == []


ENDS = BELOW + """
    struct ink *ink_new(void)
    {
        struct ink *ink = calloc(1, sizeof *ink);
        if (ink != NULL) {
            ink->first = malloc(sizeof *ink);
            ink->last = malloc(sizeof *ink);
            if (ink->first != NULL)
                ink->first->next = ink->last;
        }
        return ink;
    }
    void ink_done(struct ink *ink)
    {
        free(ink->first);
        free(ink->last);
    }
"""


def test_what_only_gets_a_second_name_below_the_same_object() -> None:
    assert without(ENDS, "free(ink->last);") == ["ink->last"]


RENAMED = BELOW + """
    void ink_name(struct ink *ink, const char *name)
    {
        char *copy = strdup(name);
        free(ink->name);
        ink->name = copy;
    }
    void ink_lost(struct ink *ink)
    {
        free(ink->name);
        free(ink->tint);
        free(ink->first);
        ink_gone(ink);
    }
"""


def test_member_that_gets_what_has_another_name_until_then() -> None:
    assert without(RENAMED, "free(ink->name);\n        ink->name", "ink->name") == ["ink->name"]


def test_who_releases_that_member_alone_may_have_done_so_before() -> None:
    text = RENAMED.replace("free(ink->tint);\n        free(ink->first);", "")
    assert without(text, "free(ink->name);\n        ink->name", "ink->name") == []


RESTORED = BELOW + """
    int ink_try(struct ink *ink, const char *name)
    {
        char *before = ink->name;
        ink->name = strdup(name);
        if (ink->name != NULL && ink_print(ink) == 0) {
            free(before);
            return 0;
        }
        free(ink->name);
        ink->name = before;
        return -1;
    }
    void ink_free(struct ink *ink) { free(ink->name); free(ink); }
"""


def test_name_for_what_lay_there_before() -> None:
    assert without(RESTORED, "free(ink->name);\n        ink->name = before", "ink->name = before") == ["ink->name"]


ROWS = BELOW + """
    struct sheet { struct ink inks[4]; int used; };
    void sheet_fill(struct sheet *sheet, const char *name)
    {
        for (sheet->used = 0; sheet->used < 4; sheet->used++)
            sheet->inks[sheet->used].name = strdup(name);
    }
    void sheet_done(struct sheet *sheet)
    {
        int i;
        for (i = 0; i < sheet->used; i++) {
            free(sheet->inks[i].name);
        }
    }
"""


def test_member_of_each_element() -> None:
    assert without(ROWS, "free(sheet->inks[i].name);") == ["sheet->inks[…]->name"]


def test_member_behind_a_test_of_what_it_lies_in() -> None:
    text = STARTED.replace("fclose(ink->log);\n    }", "if (ink)\n            fclose(ink->log);\n    }")
    assert without(text, "if (ink)\n            fclose(ink->log);\n    }", "}") == ["ink->log"]


def test_member_that_was_found_empty_before() -> None:
    text = RENAMED.replace("free(ink->name);\n        ink->name", "if (ink->name == NULL)\n            if (ink->name != NULL)\n                free(ink->name);\n        ink->name")
    assert without(text, "if (ink->name != NULL)\n                free(ink->name);", ";") == []
    full = text.replace("ink->name == NULL", "ink->size > 0")
    assert without(full, "if (ink->name != NULL)\n                free(ink->name);", ";") == ["ink->name"]
