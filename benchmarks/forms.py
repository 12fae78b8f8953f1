"""Says how often a fix has the form that people chose: a try header, a `finally`, or a close on the path that leaked.

    python -m benchmarks.forms REPORT ORACLE

REPORT is the JSON of a scan of the code before; ORACLE has a line per region, with `case`, `file`, `start`, `end`, `expected` (`leak`
or `clean`) and, for what is clean after a fix, its form as `kind`. Files of the report may lie below those of the oracle.
"""

from __future__ import annotations

import argparse
import collections
import json
import pathlib
from typing import Any


def form_of(answer: dict[str, Any]) -> str:
    """The form of a fix by its title."""
    title = answer["title"]
    words = (("try-with-resources", "header"), ("finally block", "finally"), ("where it leaks", "close"))
    return next((form for part, form in words if part in title), "other")


def chosen(kind: str) -> str:
    """The form that people chose, as an oracle calls it."""
    lowered = kind.lower()
    return "header" if "try" in lowered and "with" in lowered else "finally" if "finally" in lowered else "close"


def main() -> None:
    """Read the arguments, compare, print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report", type=pathlib.Path)
    parser.add_argument("oracle", type=pathlib.Path)
    arguments = parser.parse_args()
    regions = [json.loads(line) for line in arguments.oracle.read_text(encoding="utf-8").splitlines() if line.strip()]
    forms = {each["case"]: chosen(each["kind"]) for each in regions if each["expected"] == "clean" and "case" in each}
    found: dict[str, list[dict[str, Any]]] = collections.defaultdict(list)
    for finding in json.loads(arguments.report.read_bytes())["findings"]:
        if finding["answer"]["kind"] == "fix":
            found[finding["path"]].append(finding)
    table: collections.Counter[tuple[str, str]] = collections.Counter()
    for region in regions:
        if region["expected"] != "leak" or region.get("case") not in forms:
            continue
        path = next((each for each in found if region["file"].endswith(each)), "")
        fits = [each for each in found[path] if region["start"] <= each["acquired"]["line"] <= region["end"]] if path else []
        if fits:
            best = min(fits, key=lambda each: (each["answer"]["applicability"], abs(each["acquired"]["line"] - region["line"])))
            table[forms[region["case"]], form_of(best["answer"])] += 1
    total = sum(table.values())
    agreed = sum(count for (theirs, ours), count in table.items() if theirs == ours)
    for (theirs, ours), count in sorted(table.items()):
        print(f"theirs {theirs:8} ours {ours:8} {count}")
    print(f"{agreed} of {total} agree: {agreed / max(total, 1):.3f}")


if __name__ == "__main__":
    main()
