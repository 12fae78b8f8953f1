"""Functions of C that only share their name with one of a library that is known.

Told by the type that the program declares for what they give. Misses those that give a type which both call the same.
"""

from __future__ import annotations

from analyzers.handles.scene import RESULT
from analyzers.summaries import Effects


def makes_another_type(model: Effects, written: str) -> bool:
    """Whether the program declares that a function of C gives a pointer to another type than the one that a library's function of that
    name makes, as far as the library's has a name of its own (`json_t`): then it is another library's."""
    made = {each.resource for each in model.transfers if not each.entry and any(end.paths == (RESULT,) for end in each.outcomes)}
    words = [word for word in written.replace("*", " ").split() if word not in ("const", "volatile", "struct", "extern", "static")]
    is_named = bool(made) and all(each.isidentifier() and each.endswith("_t") for each in made)  # `GObject` is a kind of many types.
    return is_named and "*" in written and len(words) == 1 and words[0] != "void" and _stem(words[0]) not in {_stem(each) for each in made}


def _stem(name: str) -> str:
    """The name of a type without what typedefs add to it."""
    for ending in ("_t", "_st", "_s", "Ptr", "Rec"):
        name = name.removesuffix(ending)
    return name.replace("_", "").lower()
