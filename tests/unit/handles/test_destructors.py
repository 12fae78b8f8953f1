"""What destructors written in C say of the members and elements that they free."""

from __future__ import annotations

import pytest

from analyzers import MemoryTree, analyze, load, specs
from analyzers.queries import ProcedureKey

SOURCE = b"""
#include <stdlib.h>
struct words { int count; char **all; };
void words_free(struct words *words)
{
    int i;
    for (i = 0; i < words->count; i++)
        free(words->all[i]);
    free(words->all);
}
"""


def test_loop_over_elements_is_taken_to_turn() -> None:
    program = load(MemoryTree({"a.c": SOURCE}), specs.load(("c",)))
    effects = program.effects(ProcedureKey("a.c", "words_free"))
    fates = {each.entry: {outcome.fate for outcome in each.outcomes} for each in effects.transfers}
    assert fates["$0", "all", "[]"] == {"released"}
    assert fates["$0", "all"] == {"released"}


def test_a_library_that_is_here_speaks_for_itself_where_a_model_says_that_it_only_borrows() -> None:
    source = b"static void *last;\nvoid uv_remember(void *p)\n{\n    last = p;\n}\nvoid f(void *p)\n{\n    uv_remember(p);\n}\n"
    library = specs.load(("c",))
    assert (model := library.model(("uv_remember",), ())) is None or not model.transfers
    program = load(MemoryTree({"a.c": source}), library)
    (passed,) = program.effects(ProcedureKey("a.c", "f")).transfers
    assert [outcome.fate for outcome in passed.outcomes] == ["retained"]


def test_a_macro_that_renames_a_function_of_the_library_says_nothing_of_it() -> None:
    header = b"#include <glob.h>\n#define glob(a, b, c, d) our_own_glob(a, b, c, d)\n"
    source = b'#include "own.h"\n#include <stdlib.h>\nint f(char *p, glob_t *found)\n{\n    return glob(p, 0, NULL, found);\n}\n'
    program = load(MemoryTree({"own.h": header, "a.c": source}), specs.load(("c",)))
    assert [each for each in program.effects(ProcedureKey("a.c", "f")).transfers if each.entry == ("$0",)] == []


LISTS = """
#include <stdlib.h>
#include <string.h>
struct cell { char *text; struct cell *next; };
struct list { struct cell *first; struct cell *last; };
struct letter { MEMBERS struct list *marks; };
void count(int n);

static int list_append(struct list *list, char *text)
{
    struct cell *cell = malloc(sizeof *cell);
    if (cell == NULL)
        return -1;
    cell->text = text;
    cell->next = NULL;
    if (list->last == NULL) {
        list->first = list->last = cell;
    } else {
        list->last->next = cell;
        list->last = cell;
    }
    return 0;
}

static char *list_take(struct list *list)
{
    struct cell *cell = list->first;
    char *text;
    if (cell == NULL)
        return NULL;
    text = cell->text;
    list->first = cell->next;
    if (list->last == cell)
        list->last = NULL;
    free(cell);
    return text;
}

void letter_end(struct letter *letter)
{
    char *text;
    READ
    if (letter->marks) {
        for (text = list_take(letter->marks); text; text = list_take(letter->marks))
            free(text);
        free(letter->marks);
    }
    free(letter);
}

int copied(char **words, struct letter **to)
{
    struct letter *letter = calloc(1, sizeof *letter);
    if (letter == NULL)
        return -1;
    while (*words) {
        char *text = strdup(*words++);
        if (text == NULL) {
            letter_end(letter);
            return -1;
        }
        if (letter->marks == NULL) {
            letter->marks = calloc(1, sizeof(struct list));
            if (letter->marks == NULL) {
                free(text);
                letter_end(letter);
                return -1;
            }
        }
        if (list_append(letter->marks, text) < 0) {
            free(text);
            letter_end(letter);
            return -1;
        }
    }
    *to = letter;
    return 0;
}
"""


@pytest.mark.parametrize("members", [1, 420])
def test_a_destructor_of_which_only_is_known_that_it_reads_much_looks_into_its_lists(members: int) -> None:
    names = [f"n_{number}" for number in range(members)]
    text = LISTS.replace("MEMBERS", "".join(f"int {name};" for name in names)).replace("READ", "".join(f"count(letter->{name});" for name in names))
    program = load(MemoryTree({"a.c": text.encode()}), specs.load(("c",)))
    assert [each.procedure for each in analyze(program).findings] == []
