"""Replays commits of a repository as reviews: what each introduces, and how long that takes.

    python -m benchmarks.replay REPOSITORY [--last N | --commits FILE] [--cold]

One line a commit: introduced, fixed and pre-existing findings, safe fixes (and those that fit one suggestion), seconds with a warm cache,
procedures redone; with --cold also whether a run without any cache prints the same bytes.
"""

from __future__ import annotations

import argparse
import pathlib
import statistics
import tempfile
from typing import Any

from benchmarks.run import git, leakmend


def commits_of(repository: pathlib.Path, last: int, listed: pathlib.Path | None) -> list[str]:
    """The commits to replay, oldest first; merges are left out."""
    if listed is not None:
        return [line.split()[0] for line in listed.read_text().splitlines() if line.strip()]
    words = git(repository, "rev-list", "--no-merges", f"--max-count={last}", "HEAD", "--", "*.java", "*.c", "*.h")
    return words.split()[::-1]


def is_one_hunk(answer: dict[str, Any]) -> bool:
    """Whether a fix has edits of one file that the reporter calls a suggestion."""
    return answer.get("suggestion") is not None


def main() -> None:
    """Read the arguments, replay, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=pathlib.Path)
    parser.add_argument("--last", type=int, default=20)
    parser.add_argument("--commits", type=pathlib.Path)
    parser.add_argument("--cold", action="store_true", help="compare each with a run without a cache")
    arguments = parser.parse_args()
    seconds: list[float] = []
    totals = {"introduced": 0, "fixed": 0, "safe": 0, "suggestion": 0, "different": 0}
    with tempfile.TemporaryDirectory() as folder:
        cache = pathlib.Path(folder)
        for commit in commits_of(arguments.repository, arguments.last, arguments.commits):
            asked = ("review", "--repo", str(arguments.repository), "--base", f"{commit}^", "--head", commit,
                     "--min-confidence", "assumed")
            try:
                run = leakmend(*asked, "--stats", cache=cache)
            except RuntimeError as error:
                print(f"{commit[:12]}  not reviewed: {error}")
                continue
            findings = run.report["findings"]
            introduced = [finding for finding in findings if finding["introduced"]]
            safe = [f for f in introduced if f["answer"].get("applicability") == "safe"]
            totals["introduced"] += len(introduced)
            totals["fixed"] += len(run.report["fixed"])
            totals["safe"] += len(safe)
            totals["suggestion"] += sum(is_one_hunk(finding["answer"]) for finding in safe)
            seconds.append(run.wall)
            words = [commit[:12], f"introduced {len(introduced)}", f"fixed {len(run.report['fixed'])}",
                     f"pre-existing {len(findings) - len(introduced)}", f"safe {len(safe)}", f"{run.wall:.2f} s",
                     f"redone {run.report.get('stats', {}).get('procedures redone', 0):.0f}"]
            if arguments.cold:
                warm = leakmend(*asked, cache=cache)
                cold = leakmend(*asked, "--no-cache")
                same = warm.text == cold.text
                totals["different"] += not same
                words.append(f"cold {cold.wall:.2f} s {'same' if same else 'DIFFERENT'}")
            print("  ".join(words), flush=True)
            for finding in introduced:
                place = finding["acquired"]
                print(f"    {finding['confidence']:9} {place['path']}:{place['line']} {finding['message']}", flush=True)
    if seconds:
        print(f"{len(seconds)} reviews: median {statistics.median(seconds):.2f} s, most {max(seconds):.2f} s; "
              + ", ".join(f"{name} {number}" for name, number in totals.items()))


if __name__ == "__main__":
    main()
