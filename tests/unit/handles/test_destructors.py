"""What destructors written in C say of the members and elements that they free."""

from __future__ import annotations

from analyzers import MemoryTree, load, specs
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
