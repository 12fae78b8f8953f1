"""An object of GLib that handlers are connected to is not released where the procedure itself never does (C)."""

from __future__ import annotations

from fixers import Applicability, Fix
from tests.unit.fixers.patching import answers

HEAD = """\
#include <gio/gio.h>

void on_signal(void);

"""

USE = """\
int watch(const char *path, int n)
{
    GDBusProxy *proxy = g_dbus_proxy_new_for_bus_sync(1, 0, NULL, "a", path, "b", NULL, NULL);
    if (!proxy)
        return 0;
    CONNECT
    if (n > 3)
        return 1;
    END
    return 2;
}
"""


def are_safe(connect: str, end: str) -> bool:
    found = answers("a.c", (HEAD + USE.replace("CONNECT", connect).replace("END", end)).encode())
    return bool(found) and all(isinstance(each, Fix) and each.applicability is Applicability.SAFE for each in found)


def test_what_stays_for_its_signals_is_not_released() -> None:
    for connect in ('g_signal_connect(proxy, "g-signal", G_CALLBACK(on_signal), NULL);', 'g_signal_connect_swapped(G_OBJECT(proxy), "x", on_signal, NULL);'):
        assert not are_safe(connect, "")


def test_what_the_procedure_ends_is_ended_on_the_other_way_too() -> None:
    assert are_safe('g_signal_connect(proxy, "g-signal", G_CALLBACK(on_signal), NULL);', "g_object_unref(proxy);")
    assert are_safe("", "")


def test_what_others_are_made_of_is_ended() -> None:
    connect = 'GFileMonitor *monitor = g_file_monitor_file(file, 0, NULL, NULL);\n    g_signal_connect(monitor, "changed", G_CALLBACK(on_signal), NULL);'
    text = "#include <gio/gio.h>\n\nvoid on_signal(void);\nvoid keep(GFileMonitor *);\n\nvoid watch(const char *uri)\n{\n    GFile *file = g_file_new_for_uri(uri);\n    "
    found = answers("a.c", (text + connect + "\n    keep(monitor);\n}\n").encode())
    assert all("connected" not in check.reason for each in found if isinstance(each, Fix) for check in each.proof)


OWN = """\
#include <gio/gio.h>

typedef struct { GObject parent; GObject *dialog; } PanelWindow;
#define PANEL_TYPE_WINDOW (panel_window_get_type ())
GType panel_window_get_type (void);
void on_response(GObject *dialog, int response, PanelWindow *window);

static void panel_window_init(PanelWindow *window)
{
    window->dialog = g_object_new(G_TYPE_OBJECT, NULL);
    BEGUN
}

PanelWindow *panel_window_new(void)
{
    return g_object_new(PANEL_TYPE_WINDOW, NULL);
}

void panel_window_show(PanelWindow *window)
{
    g_object_set(window->dialog, "visible", TRUE, NULL);
}

void shown(void)
{
    PanelWindow *window = panel_window_new();
    panel_window_show(window);
}
"""


def test_what_its_own_beginning_hands_to_callbacks_is_not_released() -> None:
    for begun, is_safe in (('g_signal_connect(window->dialog, "response", G_CALLBACK(on_response), window);', False), ("", True)):
        found = answers("a.c", OWN.replace("BEGUN", begun).encode())
        assert found and all((isinstance(each, Fix) and each.applicability is Applicability.SAFE) is is_safe for each in found), begun


def test_a_bus_that_somebody_listens_to_is_not_released() -> None:
    text = USE.replace('g_dbus_proxy_new_for_bus_sync(1, 0, NULL, "a", path, "b", NULL, NULL)', "g_bus_get_sync(G_BUS_TYPE_SYSTEM, NULL, NULL)")
    for connect, is_told in (
        ('g_dbus_connection_signal_subscribe(proxy, NULL, "a", "b", path, NULL, 0, on_signal, NULL, NULL);', False),
        ("g_dbus_connection_add_filter(proxy, on_signal, NULL, NULL);", False),
        ("", True),
    ):
        found = answers("a.c", (HEAD + text.replace("GDBusProxy", "GDBusConnection").replace("CONNECT", connect).replace("END", "")).encode())
        assert bool(found) and all(isinstance(each, Fix) and (each.applicability is Applicability.SAFE) == is_told for each in found), connect
