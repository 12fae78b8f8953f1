"""A patched function is lowered alone, and the file is what lowering all of it gives."""

from __future__ import annotations

import msgspec
import pytest

from analyzers import MemoryTree, Program, ir
from analyzers.engine import StandardEngine
from analyzers.incremental.blobs import Stored, Symbols, lower_blob
from analyzers.incremental.nearby import Nearby, lower_nearby
from tests.reach import ReachEngine

FILE = b"""\
#include <stdlib.h>
#define EACH(x, list) for (x = list; x != 0; x = x->next)
struct item { struct item *next; char *name; };
static char *first_name = "first";
int count(struct item *list)
{
\tstruct item *each;
\tint found = 0;
\tEACH(each, list)
\t\tfound++;
\treturn found;
}
static void drop(struct item *one)
{
\tfree(one->name);
\tfree(one);
}
struct item *make(const char *name)
{
\tstruct item *one = malloc(sizeof(*one));
#ifdef NAMED
\tone->name = name != 0 ? strdup(name) : first_name;
#endif
\tif (count(one) > 3)
\t\treturn NULL;
\treturn one;
}
static void (*table[])(struct item *) = { drop, &drop };
int last(void) { static int calls; struct local { int n; } here = { 1 }; calls++; return calls + here.n; }
#define BEHIND(x) drop(x)
enum { ONE, TWO } kind;
#ifdef HIDDEN
#define LOCAL static
#else
#define LOCAL extern
#endif
LOCAL char *named(void)
{
	char *name = malloc(9);
	if (kind == ONE)
		return 0;
	return name;
}
"""


def lowered(data: bytes) -> Nearby:
    found = lower_blob(StandardEngine(), "c", data)
    stored = msgspec.msgpack.decode(found.unit, type=Stored)
    unit = msgspec.msgpack.decode(stored.skeleton, type=ir.Unit)
    return Nearby(data, unit, stored, msgspec.msgpack.decode(found.symbols, type=Symbols))


@pytest.mark.parametrize(("old", "new"), [
    (b"\t\treturn NULL;\n", b"\t{\n\t\tfree(one);\n\t\treturn NULL;\n\t}\n"),
    (b"\tfree(one->name);\n", b""),
    (b"\treturn found;\n", b"\tif (list == NULL)\n\t\tdrop(list);\n\treturn found;\n"),
    (b"\t\tfound++;\n", b"\t\tfound += 2;\n"),
    (b"\t\treturn 0;\n", b"\t{\n\t\tfree(name);\n\t\treturn 0;\n\t}\n"),
    (b"\tone->name = name", b"\t/* } */ one->name = name"),
])
def test_gives_what_lowering_all_gives(old: bytes, new: bytes) -> None:
    data = FILE.replace(old, new)
    found = lower_nearby(StandardEngine(), lowered(FILE), data, {})
    assert found is not None
    whole = lowered(data)
    assert msgspec.structs.replace(found.skeleton, mentions=()) == msgspec.structs.replace(whole.skeleton, mentions=())
    assert set(whole.skeleton.mentions) <= set(found.skeleton.mentions)
    assert [bytes(each) for each in found.stored.bodies] == [bytes(each) for each in whole.stored.bodies]
    assert found.symbols == whole.symbols


@pytest.mark.parametrize(("old", "new"), [
    pytest.param(b"int found = 0;", b"static int found = 0;", id="a variable of the file"),
    pytest.param(b"\treturn one;\n", b"\treturn one;\n}\nvoid more(void)\n{\n", id="another function"),
    pytest.param(b"\treturn one;\n", b"\treturn one;\n}\n", id="a brace"),
    pytest.param(b"\treturn one;\n", b"\treturn one; /*\n", id="a comment without an end"),
    pytest.param(b"\treturn one;\n", b"#if 1\n\treturn one;\n", id="a condition without an end"),
    pytest.param(b"\treturn one;\n", b"\tfirst_name = NULL;\n\treturn one;\n", id="a global that was constant"),
    pytest.param(b"\treturn one;\n", b"\tone->make = drop;\n\treturn one;\n", id="a function that is stored"),
    pytest.param(b"\treturn found;\n", b"\treturn 1;\n", id="what it returns"),
    pytest.param(b"calls++;", b"calls += 2;", id="a function with declarations of the file"),
    pytest.param(b"*make(const char *name)", b"*make(const char *nm)", id="a header"),
    pytest.param(b"#include <stdlib.h>\n", b"#include <stdlib.h>\n#include <stdio.h>\n", id="an include"),
    pytest.param(b"free(one", b"drop(one", id="two places"),
])
def test_leaves_to_the_whole_what_others_would_see(old: bytes, new: bytes) -> None:
    data = FILE.replace(old, new)
    assert data != FILE
    found = lower_nearby(StandardEngine(), lowered(FILE), data, {})
    assert found is None or found.symbols == lowered(data).symbols


def test_a_patched_file_is_not_lowered_again() -> None:
    engine = ReachEngine()
    program = Program(MemoryTree({"a.c": FILE}), engine=engine)
    assert len(program.procedures_of("a.c")) == 8
    engine.lowered.clear()
    data = FILE.replace(b"\t\treturn NULL;\n", b"\t{\n\t\tfree(one);\n\t\treturn NULL;\n\t}\n")
    patched = program.beside_with({"a.c": data})
    [key] = [each for each in patched.procedures_of("a.c") if each.name == "make"]
    body = patched.procedure(key)
    assert body is not None
    assert "free" in [each.name for each in body.nodes if isinstance(each, ir.Call)]
    assert engine.lowered == []
    assert patched.source("a.c") == data
