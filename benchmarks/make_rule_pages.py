"""Writes one page per rule from the rules' own texts.

    python -m benchmarks.make_rule_pages docs/rules
"""

from __future__ import annotations

import pathlib
import sys

from analyzers.rules import RULES
from templates import render


def pages() -> dict[str, str]:
    """File name to text of every page."""
    return {f"{text.rule.id}.md": render("rule.md", text=text) for text in RULES}


def main() -> None:
    """Write the pages into the folder named on the command line; pages of rules that are gone are removed."""
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    wanted = pages()
    for old in folder.glob("*.md"):
        if old.name not in wanted:
            old.unlink()
    for name, text in wanted.items():
        (folder / name).write_text(text, "utf-8")
        print(folder / name)


if __name__ == "__main__":
    main()
