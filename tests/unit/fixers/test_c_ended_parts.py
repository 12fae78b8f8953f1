"""What belongs to an object that is lost, and was ended by itself: to end the object, too, would end it twice."""

from __future__ import annotations

from analyzers import MemoryTree, analyze, load, specs
from fixers import fix
from fixers.fix import Applicability, Declined, Fix

HEAD = "#include <libudev.h>\n#include <stdio.h>\n"
USER = """int print_port(struct udev *udev, const char *where)
{
    struct udev_device *stick = udev_device_new_from_syspath(udev, where);
    struct udev_device *port;
    if (stick == NULL)
        return -1;
    port = udev_device_get_parent(stick);
    if (port != NULL) {
        puts(udev_device_get_syspath(port));
        %s;
    }
    return 0;
}
"""


def answer(end: str) -> Fix | Declined:
    program = load(MemoryTree({"port.c": (HEAD + USER % end).encode()}), specs.load(("c",)))
    (leak,) = analyze(program).findings
    return fix(leak, program)


def test_who_has_ended_the_parent_gets_no_patch_for_the_child() -> None:
    found = answer("udev_device_unref(port)")
    assert isinstance(found, Declined) and found.reason == "`port` belongs to `stick`, and `udev_device_unref` has ended it by itself"


def test_a_parent_that_stays_hinders_nothing() -> None:
    found = answer("puts(udev_device_get_devnode(port))")
    assert isinstance(found, Fix) and found.applicability is Applicability.SAFE
