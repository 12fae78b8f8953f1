"""A library that has been called may be in use where it would be unloaded."""

from __future__ import annotations

import pytest

from fixers import Fix
from tests.unit.fixers.patching import answers

HEAD = """#include <dlfcn.h>
int run(const char *path, int mode)
{
	void *library = dlopen(path, RTLD_NOW);
	int (*begin)(void);
	int result;

	if (!library)
		return -1;
	begin = (int (*)(void))dlsym(library, "begin");
"""


@pytest.mark.parametrize(
    ("body", "applicability"),
    [
        ("	if (!begin)\n		return -1;\n	result = begin();\n	return result;\n", "unsafe"),
        ("	if (!begin)\n		return -1;\n	result = begin();\n	if (mode)\n		return 1;\n	dlclose(library);\n	return result;\n", "safe"),
        ("	if (!begin)\n		return -1;\n	dlclose(library);\n	return mode;\n", "safe"),
    ],
)
def test_what_was_called_may_have_left_something(body: str, applicability: str) -> None:
    found = answers("run.c", f"{HEAD}{body}}}\n".encode())
    assert [each.applicability.value for each in found if isinstance(each, Fix)] == [applicability]
    assert len(found) == 1
