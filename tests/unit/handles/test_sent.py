"""How often bodies are looked into for what they send."""

from __future__ import annotations

import pytest

from analyzers import MemoryTree, load, specs
from analyzers.handles.c import sent
from analyzers.queries import ProcedureKey


def test_a_function_that_many_call_is_looked_into_once_for_each_depth(monkeypatch: pytest.MonkeyPatch) -> None:
    notes = "".join(f"static void note{n}(struct job *j) {{ tell(j); tell(j); tell(j); }}\n" for n in range(5))
    calls = "".join(f"    note{n}(&own);\n" for n in range(5))
    text = (
        f"struct job {{ char *name; }};\nstatic void tell(struct job *j) {{ j->name = 0; }}\n{notes}"
        f"void run(char *name)\n{{\n    struct job own;\n    own.name = name;\n{calls}{calls}}}\n"
    )
    asked: list[str] = []
    real = sent.handed_on
    monkeypatch.setattr(sent, "handed_on", lambda nodes, name: asked.append(name) or real(nodes, name))
    program = load(MemoryTree({"a.c": text.encode()}), specs.load(("c",)))
    program.effects(ProcedureKey("a.c", "run"))
    # `run` looks into each of the five that it calls twice, and below them once into the one that they call three times each.
    assert len(asked) == 5 + 1
