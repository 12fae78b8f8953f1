"""Models of the JDK name types and methods that the JDK has."""

from __future__ import annotations

from analyzers.frontends.java.jdk import JdkModel, load_model
from analyzers.specs import load

JDK = ("java.", "javax.sql.", "javax.net.", "javax.crypto.", "javax.naming.", "javax.imageio.", "javax.sound.",
       "javax.xml.", "javax.management.", "javax.security.", "javax.print.", "javax.swing.", "javax.tools.",
       "javax.script.", "javax.sql.", "org.w3c.dom.", "org.xml.sax.", "com.sun.net.httpserver.")  # fmt: skip


def _methods(model: JdkModel, type_name: str) -> set[str]:
    names: set[str] = set()
    todo = [type_name]
    while todo:
        found = model.find(todo.pop())
        if found is not None:
            names.update(method.name for method in found.methods)
            todo += [above.partition("<")[0].partition("@")[0] for above in found.supertypes]
    return names


def test_types_and_methods_exist() -> None:
    model, missing = load_model(), []
    library = load(["java"])
    for binding in library.bindings():
        if not binding.name.startswith(JDK):
            continue
        type_name, _, method = binding.name.rpartition(".")
        if type_name not in model:
            missing.append(type_name)
        elif method not in _methods(model, type_name):
            missing.append(binding.name)
    assert sorted(set(missing)) == []


def test_resource_types_exist() -> None:
    model = load_model()
    library = load(["java"])
    types = [name for resource in library.resources() for name in resource.types if name.startswith(JDK)]
    types += [name for name, _, _ in library.exempt_types() if name.startswith(JDK)]
    assert [name for name in types if name not in model] == []


def test_parameter_patterns_fit_an_overload() -> None:
    model, wrong = load_model(), []
    for binding in load(["java"]).bindings():
        type_name, _, method = binding.name.rpartition(".")
        found = model.find(type_name)
        if found is None or binding.pattern is None:
            continue
        own = [m for m in found.methods if m.name == method]
        if own and not any(_fits(binding.pattern, each.parameters) for each in own):
            wrong.append(f"{binding.name}({','.join(binding.pattern)})")
    assert wrong == []


def _fits(pattern: tuple[str, ...], parameters: tuple[str, ...]) -> bool:
    if len(pattern) != len(parameters):
        return False
    erased = [each.partition("<")[0] for each in parameters]
    return all(wanted in ("*", given) for wanted, given in zip(pattern, erased, strict=True))
