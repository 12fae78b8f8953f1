"""What a patch does on every way behind its release is seen without following each path."""

from __future__ import annotations

import pytest

from analyzers import ir
from analyzers.facts import facts
from analyzers.queries import ProcedureKey
from fixers.c.harm import evident_harm
from tests.unit.fixers.patching import program

HEAD = "#include <stdlib.h>\n#include <string.h>\n#include <stdio.h>\nstruct box { char *text; int n; };\nextern struct box *kept;\n"

USED = "`p` is used after its release"
DANGLING = "`text` would still lead to what is gone"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("free(p); if (n) p[0] = 1; else puts(p); return 0;", USED),
        ("free(p); if (n) p[0] = 1; return 0;", ""),
        ("free(p); if (!p) n++; free(p); return n;", USED),
        ("free(p); while (n--) puts(p); return 0;", ""),
        ("free(p); p = malloc(2); puts(p); return 0;", ""),
        ("free(p); if (n) { p = NULL; } puts(p); return 0;", ""),
        ("free(b->text); return 0;", DANGLING),
        ("free(b->text); b->text = NULL; return 0;", ""),
        ("free(b->text); if (n) b->text = NULL; return 0;", DANGLING),
        ("free(b->text); if (n) b->text = p; else b->text = NULL; return 0;", ""),
        ("free(b->text); free(b); return 0;", ""),
        ("free(b->text); kept = b; free(b); return 0;", DANGLING),
        ("free(b->text); n = b->n; free(b); return n;", ""),
        ("free(own.text); return 0;", ""),
        ("free(own.text); puts(own.text); return 0;", DANGLING),
    ],
)
def test_harm_on_every_way(body: str, expected: str) -> None:
    text = f"{HEAD}int f(struct box *b, char *p, int n) {{ struct box own; own.text = strdup(p); {body} }}\n"
    found = facts(program("f.c", text.encode()), ProcedureKey("f.c", "f"))
    assert found is not None
    ours = next(node for node, each in enumerate(found.linked.body.nodes) if isinstance(each, ir.Call) and each.name == "free")
    assert evident_harm(found, [ours]) == expected
