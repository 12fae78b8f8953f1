"""Names of atoms that X gives (C): they are texts, and go back with a cast where the variable points to what may not be written."""

from __future__ import annotations

from tests.unit.fixers.patching import mended

TEXT = b"""#include <X11/Xlib.h>
#include <stdio.h>
#include <string.h>
void name_into(Display *display, Atom atom, char *into)
{
    const char *name = XGetAtomName(display, atom);
    if (name == NULL)
        return;
    strncpy(into, name, 20);
}
void tell(Display *display, Atom atom)
{
    fprintf(stderr, "not %s\\n", XGetAtomName(display, atom));
}
"""


def test_names_of_atoms() -> None:
    after = mended("a.c", TEXT)
    assert b"    strncpy(into, name, 20);\n    XFree((void *)name);\n}" in after
    assert b"    char *result = XGetAtomName(display, atom);\n" in after
