"""Releases of C that a change takes out: what else of the old text shows that they were right, and what does not speak against it."""

from __future__ import annotations

import textwrap

from analyzers import MemoryTree, load, specs
from analyzers.withdrawn import Text, withdrawn


def without(text: str, line: str, instead: str = "") -> list[str]:
    """What is told where a change takes out a line of a file, or puts another one in its place."""
    assert line in text
    texts = [textwrap.dedent(each).encode() for each in (text, text.replace(line, instead, 1))]
    old = load(MemoryTree({"a.c": texts[0]}), specs.load(("c",)))
    new = old.beside(MemoryTree({"a.c": texts[1]}))
    pairs = [(each, each) for each in new.procedures_of("a.c") if each in set(old.procedures_of("a.c"))]
    return [each.variable for each in withdrawn(old, new, pairs, {"a.c": Text(*texts)})]


BEGIN = """
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    struct pen { char *ink; char *case_of; int width; };
    struct box { struct pen **pens; struct pen **next; int count; struct { struct { FILE *log; } out; } ends; };
    extern struct pen *pen_make(const char *name);
    extern void pen_free(struct pen *pen);
    extern int pen_set_width(struct pen *pen, int width);
    extern int desk_add(struct pen *pen);
    extern struct pen *pen_find(const char *name);
"""


def test_method_of_what_is_released() -> None:
    text = BEGIN + """
    int draw(const char *name)
    {
        struct pen *pen = pen_make(name);
        int done = pen_set_width(pen, 3);
        pen_free(pen);
        return done;
    }
    """
    assert without(text, "pen_free(pen);") == ["pen"]
    assert without(text.replace("pen_set_width(pen, 3)", "desk_add(pen)"), "pen_free(pen);") == []
    assert without(text.replace("pen_set_width(pen, 3)", "pen_set_width(name, pen)"), "pen_free(pen);") == []


def test_call_behind_which_another_release_stays() -> None:
    text = BEGIN + """
    int draw(const char *name, int is_long)
    {
        struct pen *pen = pen_make(name);
        desk_add(pen);
        if (is_long) {
            pen_free(pen);
            return 1;
        }
        pen_free(pen);
        return 0;
    }
    """
    assert without(text, "pen_free(pen);\n            return 1;", "return 1;") == ["pen"]


def test_what_was_looked_up_and_is_taken_apart() -> None:
    text = BEGIN + """
    void drop(const char *name)
    {
        struct pen *pen = pen_find(name);
        free(pen->ink);
        free(pen->case_of);
        free(pen);
    }
    """
    assert without(text, "free(pen);") == ["pen"]
    assert without(text.replace("free(pen->ink);", "").replace("free(pen->case_of);", ""), "free(pen);") == []


def test_what_a_call_has_left_and_somebody_looks_at() -> None:
    text = BEGIN + """
    int show(void)
    {
        struct pen *pen;
        if (pen_fetch(&pen))
            return -1;
        printf("%d", pen->width);
        pen_free(pen);
        return 0;
    }
    void other(void)
    {
        struct pen *pen;
        pen_fetch(&pen);
        pen_free(pen);
    }
    """
    assert without(text, "pen_free(pen);\n        return 0;", "return 0;") == ["pen"]
    assert without(text.replace('printf("%d", pen->width);', ""), "pen_free(pen);\n        return 0;", "return 0;") == []


def test_release_at_the_end_of_one_of_several_ways() -> None:
    """The others, which end at the same place, have released it."""
    text = BEGIN + """
    void draw(const char *name, int kind)
    {
        struct pen *pen = pen_make(name);
        switch (kind) {
        case 1:
            puts("one");
            pen_free(pen);
            break;
        default:
            puts("more");
            pen_free(pen);
            break;
        }
    }
    """
    assert without(text, 'puts("more");\n            pen_free(pen);', 'puts("more");') == ["pen"]


MEMBER = BEGIN + """
    int add(struct box *box, struct pen *pen)
    {
        struct pen **more = realloc(box->pens, (box->count + 1) * sizeof *more);
        if (more == NULL)
            return -1;
        box->pens = more;
        box->pens[box->count++] = pen;
        return 0;
    }
    void empty(struct box *box)
    {
        free(box->pens);
        free(box);
    }
"""


def test_member_that_grows() -> None:
    assert without(MEMBER, "free(box->pens);") == ["box->pens"]
    kept = MEMBER.replace("box->pens = more;", "desk = more;").replace("int add", "static struct pen **desk;\n    int add")
    assert without(kept, "free(box->pens);") == []


def test_member_that_has_a_second_name_in_its_struct() -> None:
    text = MEMBER + """
    struct pen *first(struct box *box)
    {
        box->next = box->pens;
        return *box->next;
    }
    """
    assert without(text, "free(box->pens);") == ["box->pens"]
    outside = text.replace("box->next = box->pens;\n        return *box->next;", "desk = box->pens;\n        return *desk;")
    assert without(outside.replace("int add", "static struct pen **desk;\n    int add"), "free(box->pens);") == []


TEXTS = BEGIN + """
    struct pen *fill(const char *ink)
    {
        struct pen *pen = calloc(1, sizeof *pen);
        if (pen != NULL)
            pen->ink = strdup(ink);
        return pen;
    }
    void end(struct pen *pen)
    {
        free(pen->ink);
        free(pen);
    }
"""


def test_member_of_structs_that_nobody_frees() -> None:
    text = TEXTS + """
    static struct pen plain;
    void begin(void)
    {
        plain.ink = "black";
    }
    """
    assert without(text, "free(pen->ink);") == ["pen->ink"]
    assert without(text.replace("struct pen plain;", "struct pen *plain;").replace("plain.ink", "plain->ink"), "free(pen->ink);") == []


def test_member_that_is_printed() -> None:
    text = TEXTS + """
    void say(struct pen *pen, void *log)
    {
        log_add(log, "%s", pen->ink);
    }
    """
    assert without(text, "free(pen->ink);") == ["pen->ink"]
    assert without(text.replace('"%s", pen->ink', "pen->ink"), "free(pen->ink);") == []


RESET = TEXTS + """
    void reset(struct pen *pen)
    {
        free(pen->ink);
        pen->ink = NULL;
    }
"""


def test_member_that_is_set_to_nothing_and_that_a_destructor_releases() -> None:
    other = """
    void desk_release(struct pen *pens, int count)
    {
        while (count-- > 0)
            free(pens[count].ink);
    }
    """
    assert without(RESET + other, "free(pen->ink);\n        pen->ink = NULL;", "pen->ink = NULL;") == ["pen->ink"]
    named = (RESET + other).replace("desk_release", "desk_turn")
    assert without(named, "free(pen->ink);\n        pen->ink = NULL;", "pen->ink = NULL;") == []


def test_member_that_a_callee_fills_anew() -> None:
    text = BEGIN + """
    struct desk { struct pen pen; int count; };
    static int read_pen(const char *line, struct pen *pen)
    {
        if (line[0] != 'p')
            return -1;
        pen->ink = strdup(line);
        return 0;
    }
    int next(struct desk *desk, const char *line)
    {
        free(desk->pen.ink);
        if (read_pen(line, &desk->pen))
            return -1;
        return desk->pen.ink[0];
    }
    """
    assert without(text, "free(desk->pen.ink);") == ["desk->pen->ink"]
    assert without(text.replace("pen->ink = strdup(line);", "pen->width = 3;"), "free(desk->pen.ink);") == []


def test_member_that_a_function_ends_a_part_of_before() -> None:
    """What only has the name of an end surely ends nothing where its body is there."""
    text = TEXTS.replace("free(pen->ink);", "pen_free_ink(pen);\n        free(pen->case_of);").replace("    void end", """
    static void pen_free_ink(struct pen *pen)
    {
        free(pen->ink);
    }
    void end""").replace("pen->ink = strdup(ink);", "{ pen->ink = strdup(ink); pen->case_of = strdup(ink); }")  # fmt: skip
    assert without(text, "free(pen->case_of);") == ["pen->case_of"]


def test_member_that_a_callee_clears_on_another_way() -> None:
    """What ends a member and sets it to nothing itself is no second end of what lies there on other ways. Where it comes before on all of them,
    the release was for nothing."""
    text = BEGIN + """
    static void pen_clear(struct pen *pen)
    {
        if (pen->ink) {
            free(pen->ink);
            pen->ink = NULL;
        }
    }
    int fill(struct pen *pen, const char *line)
    {
        pen->ink = strdup(line);
        if (!pen->ink)
            return -1;
        return 0;
    }
    int draw(struct pen *pen, const char *line)
    {
        int done = fill(pen, line);
        if (done == 0 && strlen(line) > 80) {
            pen_clear(pen);
            done = -2;
        }
        if (done < 0)
            pen->width = 0;
        free(pen->ink);
        pen->ink = NULL;
        return done;
    }
    """
    assert without(text, "free(pen->ink);\n        pen->ink = NULL;\n        return", "pen->ink = NULL;\n        return") == ["pen->ink"]
    always = text.replace("if (done == 0 && strlen(line) > 80) {", "{")
    assert without(always, "free(pen->ink);\n        pen->ink = NULL;\n        return", "pen->ink = NULL;\n        return") == []


def test_way_on_which_there_is_nothing() -> None:
    """However it is asked for: what is released there is null, and taking that out is right."""
    text = BEGIN + """
    int say(const char *name)
    {
        char *copy = NULL;
        copy = malloc(strlen(name) + 1);
        if (!copy) {
            free(copy);
            return -3;
        }
        puts(strcpy(copy, name));
        free(copy);
        return 0;
    }
    """
    assert without(text, "free(copy);\n            return -3;", "return -3;") == []
    assert without(text, "free(copy);\n        return 0;", "return 0;") == ["copy"]


def test_descriptor_whose_lock_is_let_go() -> None:
    text = BEGIN + """
    #include <fcntl.h>
    #include <sys/file.h>
    #include <unistd.h>
    int note(const char *path)
    {
        int file = open(path, O_RDWR);
        if (file < 0)
            return -1;
        if (flock(file, LOCK_EX) == 0)
            write(file, "x", 1);
        flock(file, LOCK_UN);
        close(file);
        return 0;
    }
    """
    assert without(text, "close(file);") == ["file"]
