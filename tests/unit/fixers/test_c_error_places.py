"""The place of an error of GLib that a second call gets has to be empty: `g_clear_error` empties it, `g_error_free` does not (C)."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

ASKED_TWICE = """GdkPixbuf *make_icon(void);

GdkPixbuf *icon(const char *name)
{
    GError *error = NULL;
    GdkPixbuf *pixbuf = make_icon();
    if (pixbuf == NULL)
        pixbuf = gdk_pixbuf_new_from_file(name, &error);
    if (pixbuf == NULL) {
        g_warning("another one");
        pixbuf = gdk_pixbuf_new_from_file("about.png", &error);
    }
    if (pixbuf == NULL) {
        g_warning("failed: %s", error->message);
        g_error_free(error);
    }
    return pixbuf;
}
"""

ASKED_ONCE = """GdkPixbuf *icon(const char *name)
{
    GError *error = NULL;
    GdkPixbuf *pixbuf = gdk_pixbuf_new_from_file(name, &error);
    if (pixbuf == NULL) {
        g_warning("failed: %s", error->message);
        return NULL;
    }
    return pixbuf;
}
"""

ASKED_IN_TURNS = """int icons(const char **names)
{
    int count = 0;
    GError *error = NULL;
    for (; *names; names++) {
        GdkPixbuf *pixbuf = gdk_pixbuf_new_from_file(*names, &error);
        if (pixbuf == NULL) {
            g_warning("failed: %s", error->message);
            continue;
        }
        count += gdk_pixbuf_get_width(pixbuf);
        g_object_unref(pixbuf);
    }
    return count;
}
"""


@pytest.mark.parametrize(("text", "written"), [(ASKED_TWICE, b"g_clear_error(&error);"), (ASKED_ONCE, b"g_error_free(error);")], ids=["twice", "once"])
def test_a_place_that_is_asked_for_again_is_emptied(text: str, written: bytes) -> None:
    patched = mended("x.c", text.encode())
    assert patched.count(written) == 1


def test_a_place_that_is_asked_for_in_turns_is_not_left_full() -> None:
    assert b"g_error_free" not in mended("x.c", ASKED_IN_TURNS.encode())

ASKED_BY_ITSELF = """void run(const char *command)
{
    GError *error = NULL;

    g_spawn_command_line_sync(command, NULL, NULL, NULL, &error);
    if (error)
        g_warning("unable to launch: %s", error->message);
}
"""


def test_an_error_that_only_its_place_tells_is_freed_where_there_is_one() -> None:
    after = mended("x.c", ASKED_BY_ITSELF.encode()).decode()
    assert "if (error)\n        g_error_free(error);" in after or "error->message);\n        g_error_free(error);\n    }" in after
