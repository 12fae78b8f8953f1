"""Macros beside the tag of a struct, which the grammar takes for the name of a function without parameters."""

from __future__ import annotations

import pytest

from tests.unit.frontends.c.paths import lowered

AFTER = "int f(struct crate *crate) { return crate->weight; }\n"


@pytest.mark.parametrize("head", [
    "struct crate PACKED",
    "struct crate __tight",
    "struct TIGHT_PACK crate",
    "union crate TIGHTLY",
    "static struct crate TIGHT",
])
def test_a_macro_beside_a_tag_makes_no_function(head: str) -> None:
    kind = "union" if "union" in head else "struct"
    unit = lowered(f"{head} {{\n\tchar *label;\n\tint weight;\n}};\n{AFTER}")
    assert [each.name for each in unit.procedures] == ["f"]
    assert [(each.name, [field.name for field in each.fields]) for each in unit.types] == [(f"{kind} crate", ["label", "weight"])]


def test_what_follows_such_a_struct_is_a_variable() -> None:
    unit = lowered(f"struct crate TIGHT {{ char *label; int weight; }} first, *second;\n{AFTER}")
    assert [each.name for each in unit.types] == ["struct crate"]
    assert [(each.name, each.type) for each in unit.globals] == [("first", "struct crate"), ("second", "struct crate *")]


def test_a_function_whose_parameters_a_macro_has_stays_one() -> None:
    unit = lowered("struct crate MAKE_CRATE { struct crate made; fill(&made); return made; }\n" + AFTER)
    assert [each.name for each in unit.procedures] == ["MAKE_CRATE", "f"]
