"""What the front ends make of whole trees: share of functions with an error node, and speed.

    python -m benchmarks.frontends TREE...

One line a tree and language: files, lines, functions (without macros and initialisers), how many hold an
error and their share, files that raised, and thousands of lines per CPU second for parsing, rewriting and
lowering together. The cyclic garbage collector is off, as in the workers. A CPU second of a busy machine is
worth less than one of an idle one: the best of --repeat runs is printed.
"""

from __future__ import annotations

import argparse
import gc
import pathlib
import time
from collections.abc import Callable

import msgspec

from analyzers import ir
from analyzers.frontends import c, java
from analyzers.source import language_of

LOWER: dict[str, Callable[[bytes], ir.Unit]] = {"c": c.lower, "java": java.lower}
NOT_FUNCTIONS = ("macro", "initialiser")


class Result(msgspec.Struct):
    """What lowering one tree's files of one language gave."""

    lines: int = 0
    functions: int = 0
    errors: int = 0
    raised: int = 0
    seconds: float = 0.0


def sources(tree: pathlib.Path) -> dict[str, list[bytes]]:
    """The contents of a tree's files by language, in order of their paths."""
    found: dict[str, list[bytes]] = {}
    for path in sorted(tree.rglob("*")):
        language = language_of(path.name)
        if language is not None and path.is_file() and not path.is_symlink():
            found.setdefault(language, []).append(path.read_bytes())
    return found


def measure(language: str, files: list[bytes]) -> Result:
    """Lower all files once."""
    result = Result()
    lower = LOWER[language]
    for data in files:
        result.lines += data.count(b"\n")
        start = time.process_time()
        try:
            unit = lower(data)
        except Exception:
            result.raised += 1
            continue
        finally:
            result.seconds += time.process_time() - start
        functions = [each for each in unit.procedures if each.kind not in NOT_FUNCTIONS]
        result.functions += len(functions)
        result.errors += sum(each.error is not None for each in functions)
    return result


def main() -> None:
    """Print a line for each tree and language."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", nargs="+", type=pathlib.Path)
    parser.add_argument("--repeat", type=int, default=1)
    options = parser.parse_args()
    gc.disable()
    print(f"{'tree':28} {'':4} {'files':>6} {'lines':>8} {'functions':>9} {'errors':>6} {'share':>7} {'raised':>6} {'kLOC/s':>7}")
    for tree in options.trees:
        for language, files in sorted(sources(tree).items()):
            runs = [measure(language, files) for _ in range(max(1, options.repeat))]
            best = min(runs, key=lambda run: run.seconds)
            share = best.errors / max(1, best.functions)
            speed = best.lines / max(best.seconds, 1e-9) / 1000
            print(
                f"{tree.name[-28:]:28} {language:4} {len(files):6} {best.lines:8} {best.functions:9} {best.errors:6}"
                f" {share:7.2%} {best.raised:6} {speed:7.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
