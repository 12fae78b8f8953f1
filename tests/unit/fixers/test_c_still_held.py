"""No patch of C releases an object while the function holds a lock that lies in it."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

HEAD = """#include <stdlib.h>
#include <pthread.h>
struct dev { pthread_mutex_t lock; int n; };
struct bus { struct dev *dev; pthread_mutex_t lock; };
static pthread_mutex_t all;
static void dev_end(struct dev *d) { pthread_mutex_destroy(&d->lock); free(d); }
static struct dev *dev_new(void) { struct dev *d = calloc(1, sizeof *d); if (d) pthread_mutex_init(&d->lock, NULL); return d; }
"""


@pytest.mark.parametrize(
    ("takes", "gives", "is_released"),
    [
        ("pthread_mutex_lock(&d->lock);", "pthread_mutex_unlock(&d->lock);", False),
        ("pthread_mutex_lock(&all);", "pthread_mutex_unlock(&all);", True),
        ("pthread_mutex_lock(&bus->lock);", "pthread_mutex_unlock(&bus->lock);", True),
        ("pthread_mutex_lock(&d->lock); d->n = 2; pthread_mutex_unlock(&d->lock);", "", True),
        ("if (n > 4) pthread_mutex_lock(&d->lock);", "if (n > 4) pthread_mutex_unlock(&d->lock);", False),
    ],
)
def test_an_object_is_not_released_under_its_own_lock(takes: str, gives: str, is_released: bool) -> None:
    text = f"{HEAD}int f(struct bus *bus, int n)\n{{\n    struct dev *d = dev_new();\n    if (!d)\n        return -1;\n    {takes}\n    if (n == 1)\n        return 1;\n    {gives}\n    dev_end(d);\n    return 0;\n}}\n"
    assert (mended("f.c", text.encode()).count(b" dev_end(d);") == 2) is is_released


def test_nor_under_one_that_it_has_asked_for() -> None:
    text = f"{HEAD}int f(int n)\n{{\n    struct dev *d = dev_new();\n    if (!d)\n        return -1;\n    if (pthread_mutex_trylock(&d->lock) == 0) {{\n        if (n == 1)\n            return 1;\n        pthread_mutex_unlock(&d->lock);\n    }}\n    dev_end(d);\n    return 0;\n}}\n"
    after = mended("f.c", text.encode())
    assert after.count(b"dev_end(d);") == 1 and after.count(b"pthread_mutex_unlock(&d->lock);") == 2
