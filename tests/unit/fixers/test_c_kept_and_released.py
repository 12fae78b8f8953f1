"""What the procedure does with what somebody keeps is no fault of a patch that has nothing to do with it."""

from __future__ import annotations

from fixers import Applicability, Fix
from tests.unit.fixers.patching import answers

HEAD = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"


def test_what_the_procedure_releases_though_somebody_keeps_it_is_no_fault_of_the_fix() -> None:
    text = """int all(struct names *to, char **from, int is_first)
{
    char *each, *copy;
    while ((each = next_of(from)) != NULL) {
        copy = strdup(each);
        if (copy == NULL)
            return -1;
        if (strcmp(each, "none") == 0) {
            fprintf(stderr, "%s stands alone", each);
            return -1;
        }
        if (is_first)
            names_append(to, copy);
        free(copy);
    }
    return 0;
}
"""
    found = [each for each in answers("x.c", (HEAD + text).encode()) if isinstance(each, Fix)]
    assert found and all(each.applicability is Applicability.SAFE for each in found)


def test_what_somebody_keeps_the_fix_does_not_release() -> None:
    text = """int all(struct names *to, char **from)
{
    char *each, *copy;
    while ((each = next_of(from)) != NULL) {
        copy = strdup(each);
        if (copy == NULL)
            return -1;
        names_append(to, copy);
        if (strcmp(each, "none") == 0)
            return -1;
        free(copy);
    }
    return 0;
}
"""
    found = [each for each in answers("x.c", (HEAD + text).encode()) if isinstance(each, Fix)]
    assert not any(each.applicability is Applicability.SAFE for each in found)
