"""Small trees of Java for the tests of types and linking."""

from __future__ import annotations

from analyzers import MemoryTree, Program, ir
from analyzers.queries import Linked, ProcedureKey, Target
from analyzers.specs import load


def tree(**files: str) -> Program:
    """A Program over files: `a_b_C=` is the file `a/b/C.java`."""
    return Program(MemoryTree({name.replace("_", "/") + ".java": text.encode() for name, text in files.items()}))


def with_specs(**files: str) -> Program:
    """The same, with the models of library calls."""
    tree_of = {name.replace("_", "/") + ".java": text.encode() for name, text in files.items()}
    return Program(MemoryTree(tree_of), load(("java",)))


def linked(program: Program, path: str, name: str) -> Linked:
    """A procedure, linked."""
    found = program.linked(ProcedureKey(path, name))
    assert found is not None, [key.name for key in program.procedures_of(path)]
    return found


def in_method(body: str, head: str = "void m()", rest: str = "", imports: str = "") -> Linked:
    """The only method `m` of a class `p.C` in one file, linked. Types of `java.io` are imported."""
    source = f"package p; import java.io.*; import java.util.*; {imports} class C {{ {head} {{ {body} }} {rest} }}"
    program = tree(p_C=source)
    name = next(key.name for key in program.procedures_of("p/C.java") if key.name.startswith("p.C.m("))
    return linked(program, "p/C.java", name)


def calls(subject: Linked, name: str) -> list[int]:
    """The calls of a method, in the order of the nodes."""
    return [
        position
        for position, node in enumerate(subject.body.nodes)
        if isinstance(node, ir.Call) and node.name == name
    ]


def target(subject: Linked, name: str) -> Target:
    """The Target of the first call of a method."""
    return subject.targets[calls(subject, name)[0]]


def bodies(subject: Linked, name: str) -> list[str]:
    """The names of the bodies that the first call of a method may run."""
    return [key.name for key in target(subject, name).procedures]


def ways(subject: Linked, position: int) -> list[str]:
    """Where exceptions of a node go: `out`, `finally`, or the types that a handler names."""
    found = []
    for handler in subject.raises[position]:
        node = subject.body.nodes[handler]
        if isinstance(node, ir.Catch):
            found.append("finally" if node.types == (ir.ANY_EXCEPTION,) else "|".join(node.types))
        else:
            found.append("out")
    return found


def edges(subject: Linked, name: str) -> list[str]:
    """Where exceptions of the first call of a method go."""
    return ways(subject, calls(subject, name)[0])


def thrown(subject: Linked) -> list[list[str]]:
    """Where the exceptions of each Throw go, in the order of the nodes."""
    return [ways(subject, position) for position, node in enumerate(subject.body.nodes) if isinstance(node, ir.Throw)]
