"""A function that works with an object, as a thread runs it, and ends it last (C): no patch calls it to release the object; a destructor it does."""

from __future__ import annotations

from tests.unit.fixers.patching import mended

TEXT = b"""#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct screen { int busy; char *found; };
struct work { struct screen *on; char *name; };
static void show(struct screen *on, int busy)
{
    on->busy = busy;
}
static void *search(struct work *given)
{
    struct screen *on = given->on;
    show(on, 1);
    on->busy += given->name != NULL;
    show(on, 0);
    free(given->name);
    free(given);
    return NULL;
}
static void start(void *(*function)(void *), void *data)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, function, data) != 0)
        abort();
    pthread_detach(thread);
}
void begin(struct screen *on, const char *name)
{
    struct work *given = calloc(1, sizeof *given);
    if (given == NULL)
        return;
    given->on = on;
    if (name) {
        given->name = strdup(name);
        start((void *(*)(void *)) search, given);
    }
}
"""
WORK = b"    show(on, 1);\n    on->busy += given->name != NULL;\n    show(on, 0);\n"


def test_what_a_thread_runs_is_not_called_to_release() -> None:
    assert mended("a.c", TEXT) == TEXT


def test_a_destructor_is_called() -> None:
    text = TEXT.replace(WORK, b"    on->busy = 0;\n")
    assert b"else {\n        search(given);\n    }" in mended("a.c", text)
