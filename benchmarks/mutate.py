"""Takes single releases out of trees that release properly, and counts how many a review tells of.

    python -m benchmarks.mutate TREE [TREE ...] [--number N] [--rounds N] [--seed SEED] [--show]

TREE is a git repository, bare or not. Of its newest commit mutants are drawn with the seed, kinds in turns, at most one a file and one of members of one name, none of test code. They
become one commit of a copy, which is reviewed against its parent without a cache; a further round draws from what is left, for trees of few files. A mutant is *told* where a finding is introduced that begins or ends
in its method, *old* where one stood there before, else *missed*; --show prints the missed ones as differences. What is missed is read by hand: that nothing needs the release is
an answer, too. What a language's mutants are is a module of its own (`mutants_c`, `mutants_java`).
"""

from __future__ import annotations

import argparse
import difflib
import pathlib
import random
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from benchmarks import mutants_c, mutants_java
from benchmarks.mutants_java import Mutant
from benchmarks.run import git, leakmend
from bot.outcomes import is_test
from bot.repository import Repository

LANGUAGES = {".c": mutants_c, ".java": mutants_java}
"""Which module makes the mutants of a file, by the ending of its name."""

ANSWERS = ("witnessed", "assumed", "old", "missed")


class Drawn(msgspec.Struct, frozen=True):
    """One mutant of one file: what it was, what it became, the lines of its method there."""

    path: str
    mutant: Mutant
    before: bytes
    after: bytes

    @property
    def lines(self) -> range:
        """The lines of its method, as it became."""
        grown = len(self.after) - len(self.before)
        first = self.after.count(b"\n", 0, self.mutant.start) + 1
        return range(first, self.after.count(b"\n", 0, self.mutant.end + grown) + 2)

    @property
    def member(self) -> str:
        """The last name of what it releases no more: a change that names a member in two places may have moved its release."""
        return self.mutant.name.rpartition(">")[2].rpartition(".")[2]

    def difference(self) -> str:
        """What it changes, as lines to read."""
        before, after = (text.decode(errors="replace").splitlines() for text in (self.before, self.after))
        return "\n".join(list(difflib.unified_diff(before, after, self.path, self.mutant.kind, lineterm="", n=8)))


def main() -> None:
    """Read the arguments, draw, review, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", nargs="+", type=pathlib.Path)
    parser.add_argument("--number", type=int, default=40, help="mutants of each tree")
    parser.add_argument("--rounds", type=int, default=1, help="reviews of each tree, each of other mutants")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--jobs", default="1")
    parser.add_argument("--show", action="store_true", help="print what was missed")
    arguments = parser.parse_args()
    every: Counter[tuple[str, str]] = Counter()
    for tree in arguments.trees:
        counts: Counter[tuple[str, str]] = Counter()
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder)
            git(tree, "clone", "--quiet", "--bare", "--shared", ".", str(copy))
            found = shuffled(files(copy), random.Random(arguments.seed))
            for _ in range(arguments.rounds):
                drawn = draw(found, arguments.number - counts.total())
                for each, answer in reviewed(copy, drawn, arguments.jobs) if drawn else ():
                    counts[each.mutant.kind, answer] += 1
                    print(f"  {answer:9} {each.mutant.kind:7} {each.path}:{each.lines[0]} {each.mutant.name}", flush=True)
                    if arguments.show and answer == "missed":
                        print(each.difference(), flush=True)
        print(f"{tree.name}: {told(counts)}", flush=True)
        every += counts
    for kind in sorted({kind for kind, _ in every}):
        print(f"{kind:8} {told(Counter({key: number for key, number in every.items() if key[0] == kind}))}")
    print(f"all      {told(every)}")


def files(repository: pathlib.Path) -> Iterator[tuple[str, bytes]]:
    """The files of the newest commit that mutants can be made of, tests left out."""
    opened = Repository(repository)
    tree, _ = opened.tree(opened.commit("HEAD"))
    for path, _ in tree.paths():
        if pathlib.PurePosixPath(path).suffix in LANGUAGES and not is_test(path):
            yield path, tree.read(path)


def shuffled(sources: Iterable[tuple[str, bytes]], lot: random.Random) -> dict[str, list[Drawn]]:
    """All mutants of some files by their kind, in the order of the lot."""
    found: dict[str, list[Drawn]] = {}
    for path, before in sources:
        for mutant in LANGUAGES[pathlib.PurePosixPath(path).suffix].mutants(before):
            found.setdefault(mutant.kind, []).append(Drawn(path, mutant, before, mutant.applied(before)))
    for mutants in found.values():
        lot.shuffle(mutants)
    return found


def draw(found: dict[str, list[Drawn]], number: int) -> list[Drawn]:
    """So many mutants, kinds in turns, each of another file, and members of the same name in one only; what is drawn is found no more."""
    drawn: dict[str, Drawn] = {}
    passed: dict[str, list[Drawn]] = {kind: [] for kind in found}
    while any(found.values()) and len(drawn) < number:
        for kind in sorted(found):
            while found[kind] and len(drawn) < number:
                each = found[kind].pop()
                if each.path not in drawn and (each.mutant.kind != "member" or each.member not in {other.member for other in drawn.values()}):
                    drawn[each.path] = each
                    break
                passed[kind].append(each)
    for kind, others in passed.items():
        found[kind] += reversed(others)
    return [drawn[path] for path in sorted(drawn)]


def reviewed(repository: pathlib.Path, drawn: list[Drawn], jobs: str) -> Iterator[tuple[Drawn, str]]:
    """The answer to each mutant, all of them committed to the repository at once."""
    parent = git(repository, "rev-parse", "HEAD").strip()
    stream = [b"commit refs/heads/mutants\ncommitter mutate <mutate@localhost> 0 +0000\ndata 7\nmutants\nfrom %s\n" % parent.encode()]
    stream += [b'M 100644 inline "%s"\ndata %d\n%s\n' % (each.path.encode(), len(each.after), each.after) for each in drawn]
    subprocess.run(["git", "-C", str(repository), "fast-import", "--quiet", "--force"], input=b"".join(stream), check=True)
    where = ("--repo", str(repository), "--base", parent, "--head", "mutants")
    run = leakmend("review", *where, "--jobs", jobs, "--min-confidence", "assumed", "--no-cache")
    for each in drawn:
        yield each, answered(each, run.report["findings"])


def answered(drawn: Drawn, findings: list[dict[str, Any]]) -> str:
    """What a review says of a mutant: one of ANSWERS."""
    near = [finding for finding in findings if any(
        place["path"] == drawn.path and place["line"] in drawn.lines for place in (finding["acquired"], finding["lost"])
    )]  # fmt: skip
    new = {finding["confidence"] for finding in near if finding["introduced"]}
    return "witnessed" if "witnessed" in new else "assumed" if new else "old" if near else "missed"


def told(counts: Counter[tuple[str, str]]) -> str:
    """Counts by answer, in words; what stood there before is not among those that could be told."""
    by_answer = Counter({answer: sum(number for (_, is_so), number in counts.items() if is_so == answer) for answer in ANSWERS})
    return f"told {by_answer['witnessed'] + by_answer['assumed']} of {by_answer.total() - by_answer['old']} " + str(
        {answer: by_answer[answer] for answer in ANSWERS}
    )


if __name__ == "__main__":
    main()
