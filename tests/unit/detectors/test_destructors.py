"""Destructors of C that forget members, or the struct itself."""

from __future__ import annotations

from analyzers import load, specs
from analyzers.detectors.destructors import Destructors
from analyzers.finding import Finding
from analyzers.tree import MemoryTree

HEAD = """#include <stdlib.h>
#include <string.h>
struct ring { char *name; char **slots; };
"""
WRAPPER = """void drop(void *p)
{
    if (p != NULL)
        free(p);
}
"""
MAKER = """struct ring *ring_new(const char *name)
{
    struct ring *ring = calloc(1, sizeof(*ring));
    if (ring == NULL)
        return NULL;
    ring->name = strdup(name);
    return ring;
}
"""


def _told(*parts: str) -> list[str]:
    source = HEAD + "".join(parts)
    program = load(MemoryTree({"ring.c": source.encode()}), specs.load(("c",)))
    found = Destructors().detect(program, program.procedures())
    return [each.variable for each in found if isinstance(each, Finding)]


def test_a_member_is_forgotten_also_where_the_program_frees_by_a_function_of_its_own() -> None:
    assert _told(WRAPPER, MAKER, "void ring_free(struct ring *ring)\n{\n    drop(ring);\n}\n") == ["ring->name"]
    assert _told(WRAPPER, MAKER, "void ring_free(struct ring *ring)\n{\n    drop(ring->name);\n    drop(ring);\n}\n") == []


SETTER = """void ring_rename(struct ring *ring, const char **names, int n)
{
    int i;
    free(ring->name);
    ring->name = NULL;
    for (i = 0; i < n; i++)
        if (names[i] != NULL)
            ring->name = strdup(names[i]);
}
"""
CLEARER = """void ring_clear(struct ring *ring)
{
    free(ring->name);
    ring->name = NULL;
}
"""


def test_a_setter_that_makes_room_takes_nothing_out_for_good() -> None:
    destructor = "void ring_free(struct ring *ring)\n{\n    free(ring);\n}\n"
    assert _told(MAKER, SETTER, destructor) == ["ring->name"]
    assert _told(MAKER, CLEARER, destructor) == []


def test_who_fills_an_object_and_gives_it_up_on_failure_is_no_destructor() -> None:
    filler = (
        "int ready(void);\nstruct ring *ring_fill(struct ring *ring)\n{\n    if (!ready()) {\n        free(ring);\n"
        "        return NULL;\n    }\n    return ring;\n}\n"
    )
    assert _told(MAKER, filler) == []


PARTS = "void ring_free(struct ring *ring)\n{\n    if (ring == NULL)\n        return;\n    free(ring->name);\n}\n"


def test_a_struct_that_is_taken_apart_goes_too() -> None:
    assert _told(MAKER, PARTS) == ["ring"]
    assert _told(MAKER, PARTS, "void end(struct ring *ring)\n{\n    ring_free(ring);\n    free(ring);\n}\n") == []
    assert _told(MAKER, PARTS, "void end(void)\n{\n    struct ring ring;\n    ring.name = NULL;\n    ring_free(&ring);\n}\n") == []
    assert _told(MAKER, PARTS, "struct box { struct ring ring; };\nvoid end(struct box *box)\n{\n    ring_free(&box->ring);\n}\n") == []
    assert _told(PARTS) == []
    kept = "static struct ring *spare;\n" + PARTS.replace("    free(ring->name);", "    free(ring->name);\n    spare = ring;")
    assert _told(MAKER, kept) == []



def _told_in(files: dict[str, str]) -> list[str]:
    program = load(MemoryTree({path: text.encode() for path, text in files.items()}), specs.load(("c",)))
    found = Destructors().detect(program, program.procedures())
    return [each.variable for each in found if isinstance(each, Finding)]


def test_members_of_a_struct_that_one_file_keeps_for_itself_may_have_any_name() -> None:
    others = {f"other{n}.c": f"#include <stdlib.h>\nstruct other {{ char *name; }};\nvoid end_{n}(struct other *o)\n{{\n    free(o->name);\n}}\n" for n in range(40)}
    end = "void ring_free(struct ring *ring)\n{\n    free(ring);\n}\n"
    assert _told_in({"ring.c": HEAD + MAKER + end, **others}) == ["ring->name"]
    assert _told_in({"ring.h": HEAD, "ring.c": '#include "ring.h"\n' + MAKER + end, **others}) == []


CLIENT = """#include <stdlib.h>
#include <string.h>
struct client { char *host; char *user; char *word; char *path; char *proxy; };
"""
FILLED = "void client_fill(struct client *c, const char *text)\n{\n" + "".join(
    f"    c->{each} = strdup(text);\n" for each in ("host", "user", "word", "path", "proxy")
) + "}\n"


def _cleaner(*members: str) -> str:
    return "void client_cleanup(struct client *c)\n{\n" + "".join(f"    free(c->{each});\n" for each in members) + "}\n"


def test_who_cleans_up_all_members_but_one_forgets_it() -> None:
    assert _told_in({"a.c": CLIENT + FILLED + _cleaner("host", "user", "word", "path")}) == ["c->proxy"]
    assert _told_in({"a.c": CLIENT + FILLED + _cleaner("host", "user", "word", "path", "proxy")}) == []


def test_who_cleans_up_some_members_leaves_the_others_to_others() -> None:
    assert _told_in({"a.c": CLIENT.replace("; }", "; char *more; }") + FILLED.replace("}\n", "    c->more = strdup(text);\n}\n") + _cleaner("host", "user", "word", "path")}) == []
    later = "void client_end(struct client *c)\n{\n    client_cleanup(c);\n    free(c->proxy);\n}\n"
    assert _told_in({"a.c": CLIENT + FILLED + _cleaner("host", "user", "word", "path") + later}) == []


def test_a_struct_of_the_same_name_in_another_program_says_nothing() -> None:
    other = CLIENT.replace("char *host;", "int port; char *host;") + FILLED + _cleaner("host", "user", "word", "path", "proxy")
    headers = {"one/client.h": CLIENT, "two/client.h": other.partition("void")[0]}
    one = '#include "client.h"\n' + FILLED + _cleaner("host", "user", "word", "path")
    two = '#include "client.h"\n' + other.partition("};\n")[2]
    assert _told_in({**headers, "one/a.c": one, "two/b.c": two}) == ["c->proxy"]


def test_a_number_that_is_computed_of_a_block_takes_nothing_out() -> None:
    text = "#include <stdlib.h>\n#include <string.h>\nstruct text { char *bytes; unsigned length; };\n"
    fill = "void text_set(struct text *t, const char *s)\n{\n    t->bytes = strdup(s);\n}\n"
    count = "void text_measure(struct text *t)\n{\n    char *end = strchr(t->bytes, 0);\n    t->length = end - t->bytes;\n}\n"
    assert _told_in({"a.c": text + fill + count + "void text_free(struct text *t)\n{\n    free(t);\n}\n"}) == ["t->bytes"]
