"""What Tracker says of C: where an acquisition is told to lie."""

from __future__ import annotations

import pytest

from analyzers import analyze, load, specs
from analyzers.finding import Role
from analyzers.source import LineIndex
from analyzers.tree import MemoryTree

RECURSIVE = b"""#include <stdlib.h>
static char *deep(int n)
{
    if (n > 0)
        return deep(n - 1);
    return malloc(8);
}
void f(void)
{
    char *text = deep(3);
}
"""


def test_acquisition_in_a_recursive_callee_is_told_where_it_happens() -> None:
    program = load(MemoryTree({"a.c": RECURSIVE}), specs.load(("java", "c")))
    (finding,) = analyze(program, None).findings
    lines = [LineIndex(RECURSIVE).line(step.span.start) for step in finding.witness if step.role is Role.ACQUIRE]
    assert lines == [6, 10]


CHOSEN = b"""#include <stdlib.h>
#include <string.h>
struct box { char *name; };
int f(struct box *box, const char *name, int k)
{
    struct box own;
    own.name = k ? strdup(name) : NULL;
    if (k == 2)
        return 1;
    free(own.name);
    return 0;
}
"""


def test_no_text_names_a_variable_that_the_source_lacks() -> None:
    program = load(MemoryTree({"a.c": CHOSEN}), specs.load(("java", "c")))
    (finding,) = analyze(program, None).findings
    texts = [finding.message, finding.variable, *(step.note for step in finding.witness)]
    assert not [text for text in texts if "%" in text]


def confidences(source: str) -> dict[str, str]:
    """Per procedure how sure its one finding is."""
    text = "#include <stdlib.h>\n#include <string.h>\n" + source
    found = analyze(load(MemoryTree({"a.c": text.encode()}), specs.load(("c",))), None).findings
    return {each.procedure.rpartition(":")[2]: each.confidence.value for each in found}


def test_what_a_program_loses_once_is_assumed_and_what_it_loses_in_a_loop_is_not() -> None:
    found = confidences("""
int list_main(int argc, char **argv) { char *p = strdup(argv[0]); if (!p) return 1; return argc; }
int move_main(int argc, char **argv) { for (int i = 0; i < argc; i++) { char *p = strdup(argv[i]); } return 0; }
int copy_main(const char *from) { char *p = strdup(from); if (!p) return 1; return 0; }
""")
    assert found == {"list_main": "assumed", "move_main": "witnessed", "copy_main": "witnessed"}


def test_what_comes_through_many_functions_is_assumed() -> None:
    through = "".join(f"static char *f{n}(void) {{ return f{n - 1}(); }}\n" for n in range(1, 4))
    found = confidences(f"""
static char *f0(void) {{ return malloc(8); }}
{through}
void near(int a) {{ char *p = f2(); if (p) *p = a; }}
void far(int a) {{ char *p = f3(); if (p) *p = a; }}
""")
    assert found == {"near": "witnessed", "far": "assumed"}


def test_what_is_handed_over_with_a_function_is_assumed() -> None:
    found = confidences("""
struct job { void (*run)(void *); void *with; };
void later(struct job *job, void (*run)(void *), void *with);
static void start(struct job *job, void (*run)(void *), void *with, int n) { if (n) { job->run = run; } else { later(job, run, NULL); } }
static void done(void *with) { free(with); }
void given(struct job *job, const char *text) { char *copy = strdup(text); if (copy) start(job, done, copy, 1); }
""")
    assert found == {"given": "assumed"}


def test_a_descriptor_without_a_name_is_assumed() -> None:
    found = confidences("""
#include <fcntl.h>
void taken(const char *name) { if (open(name, O_RDONLY) < 0) abort(); }
int named(const char *name) { int fd = open(name, O_RDONLY); return fd < 0; }
""")
    assert found == {"taken": "assumed", "named": "witnessed"}


PLATFORM = "#ifdef ODD_PLATFORM\n#define open odd_open\nint odd_open(const char *, int);\n#endif\n"
OPENED = '#include <fcntl.h>\n#include <unistd.h>\n#include "platform.h"\nint f(const char *name)\n{\n    int fd = open(name, O_RDONLY);\n    if (fd < 0)\n        return -1;\n    if (name[0] == 0)\n        return 1;\n    close(fd);\n    return 0;\n}\n'


def test_what_opens_a_descriptor_does_so_under_the_name_that_a_platform_gives_it() -> None:
    body = "#undef open\n#include <fcntl.h>\nint odd_open(const char *name, int how)\n{\n    return open(name, how);\n}\n"
    files = {"a.c": OPENED, "platform.h": PLATFORM, "odd.c": body}
    program = load(MemoryTree({path: text.encode() for path, text in files.items()}), specs.load(("c",)))
    assert [each.variable for each in analyze(program, None).findings] == ["fd"]


CURSOR = b"""#include <netdb.h>
int f(const char *host)
{
    struct addrinfo *found, *each;
    if (getaddrinfo(host, 0, 0, &found) != 0)
        return -1;
    for (each = found; each; each = each->ai_next)
        if (each->ai_family == AF_INET)
            break;
    if (!each)
        return -1;
    freeaddrinfo(found);
    return 0;
}
"""


def test_what_walks_along_a_list_is_not_what_has_to_be_released() -> None:
    program = load(MemoryTree({"a.c": CURSOR}), specs.load(("java", "c")))
    (finding,) = analyze(program, None).findings
    assert finding.message.startswith("`found` is not freed")


QUERY = "struct query { struct query *next; int number; };\nstruct query *context_new(int number, int kind);\n"
ASKED = '#include "query.h"\nint f(int n)\n{\n    struct query *query = context_new(n, 1);\n    return query ? query->number : -1;\n}\n'
QUERIES = """#include <stdlib.h>
#include "query.h"
static struct query *all;
struct query *context_new(int number, int kind)
{
    struct query *query = calloc(1, sizeof(*query));
    if (!query)
        return NULL;
    query->number = number + kind;
    query->next = all;
    all = query;
    return query;
}
"""


def test_a_maker_of_structs_of_the_program_is_not_the_librarys_of_that_name() -> None:
    files = {"a.c": ASKED, "query.h": QUERY, "query.c": QUERIES}
    program = load(MemoryTree({path: text.encode() for path, text in files.items()}), specs.load(("c",)))
    assert analyze(program, None).findings == ()
    files["query.c"] = QUERIES.replace("    all = query;\n", "")
    program = load(MemoryTree({path: text.encode() for path, text in files.items()}), specs.load(("c",)))
    assert [each.variable for each in analyze(program, None).findings] == ["query"]


QUEUE = """#define TAILQ_FIRST(head) ((head)->tqh_first)
#define TAILQ_NEXT(elm, field) ((elm)->field.tqe_next)
#define TAILQ_INSERT_TAIL(head, elm, field) do { (elm)->field.tqe_next = 0; *(head)->tqh_last = (elm); (head)->tqh_last = &(elm)->field.tqe_next; } while (0)
"""
LINES = """#include <stdlib.h>
#include <string.h>
#include "queue.h"
void line_add(struct lines *lines, const char *text)
{
    struct line *line = malloc(sizeof *line);
    if (!line)
        abort();
    line->text = strdup(text);
    TAILQ_INSERT_TAIL(lines, line, links);
}
void lines_free(struct lines *lines)
{
    struct line *line = TAILQ_FIRST(lines), *next;
    while (line) {
        next = TAILQ_NEXT(line, links);
        free(line->text);
        free(line);
        line = next;
    }
    free(lines);
}
void f(const char *text)
{
    struct lines *lines = calloc(1, 16);
    if (!lines)
        return;
    line_add(lines, text);
    lines_free(lines);
}
"""


def test_members_of_elements_go_with_a_list_whose_macros_the_program_has() -> None:
    found = []
    for text in (LINES, LINES.replace("        free(line->text);\n", "")):
        files = {"a.c": text.encode(), "queue.h": QUEUE.encode()}
        found.append([each.procedure for each in analyze(load(MemoryTree(files), specs.load(("c",))), None).findings])
    assert found[0] == []
    assert "f" in found[1] or "lines_free" in found[1]


@pytest.mark.parametrize(("call", "weakness"), [("g_strdup(name)", 401), ("malloc(9)", 401), ("fopen(name, \"r\")", 772)])
def test_memory_of_a_library_is_memory(call: str, weakness: int) -> None:
    text = f"void f(const char *name)\n{{\n    void *p = {call};\n    if (p)\n        g_print(\"%p\", p);\n}}\n"
    (found,) = analyze(load(MemoryTree({"x.c": text.encode()}), specs.load(("c",)))).findings
    assert found.cwe == weakness


MACRO_VARIABLE = b"""\
#include <stdlib.h>
#define LARGER(p, n) ({ void *__larger_ptr__ = realloc((p), (n)); if (!__larger_ptr__) abort(); __larger_ptr__; })

int look(const char *);

int f(int n)
{
    return look(LARGER(NULL, n));
}
"""


def test_no_message_names_a_variable_of_the_body_of_a_macro() -> None:
    program = load(MemoryTree({"a.c": MACRO_VARIABLE}), specs.load(("java", "c")))
    (finding,) = analyze(program, None).findings
    assert finding.message.startswith("The result of `LARGER(NULL, n)` is not freed")
