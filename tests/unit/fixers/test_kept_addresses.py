"""Variables with another name: a proof does not begin in the middle where one matters."""

from __future__ import annotations

import pytest

from fixers.paths.shape import keeps_address
from tests.unit.fixers.patching import program


@pytest.mark.parametrize(("body", "is_kept"), [
    ("char *p = 0; char **slot = &p; p = make(); return use(*slot);", True),
    ("char *p = 0; struct place s; s.to = &p; p = make(); return use(*s.to);", True),
    ("char *p = 0; fill(&p); return use(p);", False),
    ("char *p = make(); return use(&b->name) + use(p);", False),
])  # fmt: skip
def test_an_address_that_is_kept_is_another_name(body: str, is_kept: bool) -> None:
    subject = program("x.c", f"struct place {{ char **to; }};\nint f(struct box *b)\n{{\n    {body}\n}}\n".encode())
    linked = subject.linked(next(key for key in subject.procedures() if key.name == "f"))
    assert linked is not None
    assert keeps_address(linked, {"p", "b"}) is is_kept
