"""Releases of C that a change takes out: what is told of them, and which changes are right."""

from __future__ import annotations

import textwrap

import pytest

from analyzers import MemoryTree, load, specs
from analyzers.finding import WITHDRAWN, Confidence
from analyzers.withdrawn import Text, withdrawn


def told(before: str, after: str) -> list[str]:
    """What is said to be lost between two versions of one file."""
    texts = [textwrap.dedent(each).encode() for each in (before, after)]
    old = load(MemoryTree({"a.c": texts[0]}), specs.load(("c",)))
    new = old.beside(MemoryTree({"a.c": texts[1]}))
    there = set(old.procedures_of("a.c"))
    pairs = [(each, each) for each in new.procedures_of("a.c") if each in there]
    found = withdrawn(old, new, pairs, {"a.c": Text(*texts)})
    assert all(each.confidence is Confidence.ASSUMED and each.detail == WITHDRAWN and each.acquired.path == "a.c" for each in found)
    return [each.variable for each in found]


def without(text: str, line: str, instead: str = "") -> list[str]:
    """What is told where a change takes out a line, or puts another one in its place."""
    assert line in text
    return told(text, text.replace(line, instead, 1))


STRUCTS = """
    #include <stdlib.h>
    #include <string.h>
    struct shelf { char *label; char *note; char tag[8]; int count; struct shelf *next; };
    extern struct shelf *depot_make(const char *name);
    extern void depot_free(struct shelf *shelf);
    extern int depot_ask(struct shelf *shelf);
    extern void depot_give(struct shelf *shelf);
    extern char *depot_text(void);
"""

LOCAL = STRUCTS + """
    int ask(const char *name)
    {
        struct shelf *shelf = depot_make(name);
        int answer;
        if (shelf == NULL)
            return -1;
        answer = depot_ask(shelf);
        depot_free(shelf);
        return answer;
    }
"""

MEMBER = STRUCTS + """
    static struct shelf *fill(const char *name)
    {
        struct shelf *shelf = calloc(1, sizeof *shelf);
        if (shelf != NULL) {
            shelf->label = strdup(name);
            shelf->note = depot_text();
        }
        return shelf;
    }
    void empty(struct shelf *shelf)
    {
        free(shelf->label);
        free(shelf->note);
        free(shelf);
    }
"""


def test_local_that_is_not_released_any_more() -> None:
    assert without(LOCAL, "depot_free(shelf);") == ["shelf"]


def test_local_that_somebody_else_gets_instead() -> None:
    assert without(LOCAL, "depot_free(shelf);", "depot_give(shelf);") == []


def test_release_that_moves_to_a_shared_end() -> None:
    text = LOCAL.replace("return answer;", "return answer;\n        out:\n            depot_free(shelf);\n            return 0;")
    assert without(text, "depot_free(shelf);\n        return answer;", "goto out;") == []


def test_release_on_the_way_on_which_there_is_nothing() -> None:
    text = LOCAL.replace("return -1;", "{\n            depot_free(shelf);\n            return -1;\n        }")
    assert without(text, "depot_free(shelf);") == []


def test_release_before_a_use_was_wrong() -> None:
    text = LOCAL.replace("return answer;", "return answer + depot_ask(shelf);")
    assert without(text, "depot_free(shelf);") == []


def test_second_release_was_wrong() -> None:
    text = LOCAL.replace("depot_free(shelf);", "depot_free(shelf);\n        (void)answer;\n        depot_free(shelf);")
    assert without(text, "depot_free(shelf);") == []


@pytest.mark.parametrize("made", ['"none"', "depot_find(name)", "(struct shelf *)name"])
def test_what_was_never_its_own(made: str) -> None:
    text = LOCAL.replace("depot_make(name)", made)
    assert without(text, "depot_free(shelf);") == []


def test_what_a_strange_function_gives_needs_more_than_one_release() -> None:
    text = LOCAL.replace("depot_make(name)", "depot_line(name)")
    assert without(text, "depot_free(shelf);") == []
    other = """
    void twice(const char *name)
    {
        struct shelf *other = depot_line(name);
        depot_ask(other);
        depot_free(other);
    }
    """
    assert without(text + other, "depot_free(shelf);") == ["shelf"]


def test_maker_that_the_change_makes_another() -> None:
    maker = """
    static struct shelf kept;
    static struct shelf *own_make(const char *name) { return malloc(sizeof(struct shelf)); }
    """
    before = LOCAL.replace("depot_make(name)", "own_make(name)").replace("int ask", maker + "\n    int ask")
    after = before.replace("malloc(sizeof(struct shelf))", "&kept").replace("depot_free(shelf);\n        return answer", "return answer")
    assert before != after
    assert told(before, after) == []


def test_what_was_given_away_before() -> None:
    text = LOCAL.replace("answer = depot_ask(shelf);", "answer = depot_add(shelf);")
    assert without(text, "depot_free(shelf);") == []


KEEPING = STRUCTS + """
    struct depot { char *keys[9]; int n; };
    extern struct depot *depot;
    static void keep(struct depot *depot, char *key)
    {
        if (depot->n < 9)
            depot->keys[depot->n++] = key;
    }
    static int first(const struct depot *depot)
    {
        return depot->keys[0][0];
    }
    int add(const char *name)
    {
        struct depot mine = {{0}, 0};
        char *key = strdup(name);
        if (key == NULL)
            return -1;
        keep(THERE, key);
        free(key);
        return first(&mine);
    }
"""


def test_what_a_callee_of_ours_keeps() -> None:
    """Its release was wrong; in a struct of the procedure's own nobody has it any more afterwards."""
    assert without(KEEPING.replace("THERE", "depot"), "free(key);") == []
    mine = KEEPING.replace("THERE", "&mine").replace("return first(&mine);", "return 0;")
    assert without(mine, "free(key);") == ["key"]


SENDING = STRUCTS + """
    #include <stdio.h>
    #include <unistd.h>
    extern int depot_open(void);
    static int send_all(int fd)
    {
        FILE *stream = fdopen(fd, "w");
        if (stream == NULL)
            return -1;
        fputs("all", stream);
        fclose(stream);
        return 0;
    }
    void serve(void)
    {
        int fd = depot_open();
        if (fd < 0)
            return;
        send_all(fd);
        close(fd);
    }
"""


def test_callee_that_may_have_released_it_already() -> None:
    assert without(SENDING, "close(fd);") == []


def test_callee_that_the_change_touches() -> None:
    text = SENDING.replace('fdopen(fd, "w")', 'fopen("all", "w")')
    assert without(text, "close(fd);") == ["fd"]
    assert told(text, text.replace("fclose(stream);", "fclose(stream);\n        depot_shut(fd);").replace("close(fd);\n    }", "}")) == []


def test_struct_whose_member_it_is_goes_to_a_new_call() -> None:
    text = STRUCTS + """
    int ask(struct shelf *owner)
    {
        struct shelf *shelf = owner->next;
        if (depot_ask(shelf) < 0) {
            depot_free(shelf);
            free(owner);
            return -1;
        }
        return 0;
    }
    """
    assert without(text, "depot_free(shelf);\n            free(owner);", "drop_all(owner);") == []


def test_result_that_is_released_under_its_own_name() -> None:
    text = LOCAL.replace("depot_free(shelf);", "wipe(shelf);\n        depot_free(shelf);")
    assert without(text, "wipe(shelf);\n        depot_free(shelf);", "depot_free(wipe(shelf));") == []


def test_way_that_ends_no_more() -> None:
    text = LOCAL.replace("answer = depot_ask(shelf);", "answer = 0;\n        if (depot_ask(shelf)) {\n            depot_free(shelf);\n            return 1;\n        }")
    text = text.replace("depot_free(shelf);\n        return answer;", "return answer;")
    assert without(text, "if (depot_ask(shelf)) {\n            depot_free(shelf);\n            return 1;\n        }") == []


def test_release_that_gets_other_arguments() -> None:
    text = STRUCTS + """
    int ask(const char *name)
    {
        struct shelf *shelf = depot_make(name);
        struct shelf *room = depot_room(shelf);
        depot_ask(shelf);
        depot_free(shelf, room);
        return 0;
    }
    """
    assert without(text, "depot_free(shelf, room);") == ["shelf"]
    assert without(text, "depot_free(shelf, room);", "depot_free(room);") == []


def test_release_that_moves_up_to_where_another_stood() -> None:
    text = STRUCTS + """
    int ask(const char *name)
    {
        struct shelf *shelf = depot_make(name);
        int answer;
        if ((answer = depot_ask(shelf)) == 0) {
            depot_free(shelf);
            return 1;
        }
        while (answer > 9)
            answer /= 10;
        depot_free(shelf);
        return answer;
    }
    """
    after = text.replace("if ((answer = depot_ask(shelf)) == 0) {\n            depot_free(shelf);\n            return 1;\n        }", "answer = depot_ask(shelf);\n        depot_free(shelf);")
    after = after.replace("answer /= 10;\n        depot_free(shelf);", "answer /= 10;")
    assert after.count("depot_free(shelf);") == 1
    assert told(text, after) == []


def test_release_of_all_but_one() -> None:
    text = LOCAL.replace("depot_free(shelf);", "if (shelf != depot_first)\n            depot_free(shelf);").replace("int ask", "extern struct shelf *depot_first;\n    int ask")
    assert without(text, "if (shelf != depot_first)\n            depot_free(shelf);") == ["shelf"]


def test_what_the_end_of_the_program_takes() -> None:
    text = LOCAL.replace("int ask(const char *name)", "int main(int count, char **name)")
    assert without(text, "depot_free(shelf);") == []


def test_status_that_says_whether_there_is_anything() -> None:
    text = STRUCTS + """
    int ask(void)
    {
        struct shelf *shelf;
        if (depot_fetch(&shelf) < 0) {
            depot_free(shelf);
            return -1;
        }
        depot_free(shelf);
        return 0;
    }
    """
    assert without(text, "depot_free(shelf);\n            return -1;", "return -1;") == []


def test_member_that_goes_with_its_struct() -> None:
    assert without(MEMBER, "free(shelf->note);") == ["shelf->note"]


def test_member_that_another_procedure_of_the_change_releases() -> None:
    after = MEMBER.replace("free(shelf->note);", "drop(shelf);").replace(
        "void empty", "static void drop(struct shelf *shelf) { free(shelf->note); }\n    void empty"
    )
    assert told(MEMBER, after) == []


def test_member_that_is_not_there_any_more() -> None:
    after = MEMBER.replace("shelf->note = depot_text();", "").replace("free(shelf->note);", "").replace("char *note; ", "")
    assert told(MEMBER, after) == []


def test_member_whose_use_changes_elsewhere() -> None:
    after = MEMBER.replace("shelf->note = depot_text();", "shelf->note = depot_own(shelf);").replace("free(shelf->note);", "")
    assert told(MEMBER, after) == []


def test_member_that_two_procedures_forget_at_once() -> None:
    text = MEMBER + """
    void renew(struct shelf *shelf)
    {
        free(shelf->note);
        shelf->note = depot_text();
    }
    """
    assert told(text, text.replace("free(shelf->note);", "")) == ["shelf->note", "shelf->note"]


def test_member_that_is_an_array() -> None:
    text = MEMBER.replace("free(shelf->note);", "free(shelf->tag);").replace("shelf->note = depot_text();", "strcpy(shelf->tag, name);")
    assert without(text, "free(shelf->tag);") == []


@pytest.mark.parametrize("value", ['"plain"', "name"])
def test_member_that_holds_what_is_another_s(value: str) -> None:
    text = MEMBER.replace("shelf->note = depot_text();", f"shelf->note = {value};")
    assert without(text, "free(shelf->note);") == []


def test_member_that_somebody_releases_and_leaves_there() -> None:
    other = """
    void finish(struct shelf *shelf)
    {
        free(shelf->note);
        empty(shelf);
    }
    """
    assert without(MEMBER + other, "free(shelf->note);") == []


def test_member_that_somebody_releases_and_clears() -> None:
    other = """
    void forget(struct shelf *shelf)
    {
        free(shelf->note);
        shelf->note = NULL;
    }
    """
    assert without(MEMBER + other, "free(shelf->note);") == ["shelf->note"]


def test_member_that_is_filled_anew() -> None:
    text = MEMBER + """
    void rename_it(struct shelf *shelf, const char *name)
    {
        free(shelf->label);
        shelf->label = strdup(name);
    }
    """
    assert without(text, "free(shelf->label);\n        shelf->label", "shelf->label") == ["shelf->label"]


def test_early_release_of_what_the_destructor_releases() -> None:
    text = MEMBER + """
    void forget(struct shelf *shelf)
    {
        free(shelf->note);
        shelf->note = NULL;
    }
    """
    assert without(text, "free(shelf->note);\n        shelf->note = NULL;") == []


def test_other_name_of_a_member() -> None:
    text = MEMBER + """
    void turn(struct shelf *shelf)
    {
        char *note = shelf->note;
        puts(note);
        free(shelf->note);
        free(shelf);
    }
    """
    after = text.replace("puts(note);\n        free(shelf->note);", "puts(note);\n        free(note);")
    assert told(text, after) == []


def test_global_that_is_filled_anew() -> None:
    text = STRUCTS + """
    static char *last;
    const char *keep(const char *name)
    {
        free(last);
        last = strdup(name);
        return last;
    }
    """
    assert without(text, "free(last);") == ["last"]


def test_elements_of_an_array_that_goes() -> None:
    text = STRUCTS + """
    void all(char **names, int count)
    {
        for (int i = 0; i < count; i++) {
            puts(names[i]);
            free(names[i]);
        }
        free(names);
    }
    """
    assert without(text, "free(names[i]);") == ["names[…]"]
    after = text.replace("puts(names[i]);", "char *name = names[i];\n            puts(name);").replace("free(names[i]);", "free(name);")
    assert told(text, after) == []


def test_struct_that_its_destructor_does_not_free_any_more() -> None:
    user = """
    void use(const char *name)
    {
        struct shelf *shelf = fill(name);
        empty(shelf);
    }
    """
    assert without(MEMBER + user, "free(shelf);\n    }", "}") == ["shelf"]
    owner = user.replace("empty(shelf);", "empty(shelf);\n        free(shelf);")
    assert without(MEMBER + owner, "free(shelf);\n    }", "}") == []
