"""The answers to the leaks in some members of a class."""

from __future__ import annotations

from fixers import Applicability, Declined, Fix
from fixers.edits import apply
from tests.unit.fixers.patching import answers

HEAD = "import java.io.*;\nimport java.util.*;\nimport java.util.concurrent.*;\nimport java.net.*;\nclass Case {\n"


def safe(body: str) -> list[str]:
    """The texts after each safe fix of some members of a class."""
    data = (HEAD + body + "\n}\n").encode()
    return [
        apply(data, each.edits).decode().removeprefix(HEAD)
        for each in answers("Case.java", data)
        if isinstance(each, Fix) and each.applicability is Applicability.SAFE
    ]


def offered(body: str) -> list[str]:
    """The texts after each fix, safe or not."""
    data = (HEAD + body + "\n}\n").encode()
    return [apply(data, each.edits).decode().removeprefix(HEAD) for each in answers("Case.java", data) if isinstance(each, Fix)]


def reasons(body: str) -> list[str]:
    """Why nothing is done."""
    data = (HEAD + body + "\n}\n").encode()
    return [each.reason for each in answers("Case.java", data) if isinstance(each, Declined)]
