"""Writes one page that says what each module is for, from the first sentence of its docstring.

    python -m benchmarks.make_module_page docs/modules.md
"""

from __future__ import annotations

import ast
import pathlib
import re
import sys

from templates import render

ROOT = pathlib.Path(__file__).parents[1]
FOLDERS = ("analyzers", "fixers", "bot")


def page() -> str:
    """The text of the page: a table for each package, in the order of their paths."""
    packages = [
        {"path": folder.relative_to(ROOT).as_posix(), "modules": modules}
        for top in FOLDERS
        for folder in sorted([ROOT / top, *(each for each in (ROOT / top).rglob("*") if each.is_dir())])
        if (modules := _modules(folder))
    ]
    return render("modules.md", packages=packages)


def _modules(folder: pathlib.Path) -> list[dict[str, str]]:
    return [
        {"name": path.name if path.name != "__init__.py" else "(the package)", "says": says}
        for path in sorted(folder.glob("*.py"))
        if (says := _first_sentence(path))
    ]


def _first_sentence(path: pathlib.Path) -> str:
    """What the docstring says up to its first full stop at the end of a line or before a capital; as one line of a table."""
    whole = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    paragraph = " ".join(whole.partition("\n\n")[0].split())
    end = re.search(r"(?<!e\.g)(?<!i\.e)\.(?= [A-Z]|$)", paragraph)
    return (paragraph[: end.start()] if end else paragraph).rstrip(":").replace("|", "\\|")


def main() -> None:
    """Write the page to the file named on the command line."""
    pathlib.Path(sys.argv[1]).write_text(page(), "utf-8")
    print(sys.argv[1])


if __name__ == "__main__":
    main()
