"""Re-runs the reports that people judged by hand, and says what has changed.

    python -m benchmarks.verdicts docs/verdicts --repos FOLDER [NAME ...]

Each FOLDER/NAME is a repository, bare or checked out, for docs/verdicts/NAME.tsv: tab-separated commit,
fingerprint, rule, `true` or `false`, cause. Behind the commit may stand the folders of it that were scanned
(`5c61e168/src,docs/examples`); what is no commit is a folder of a release (`tar-1.34/src`) in FOLDER/NAME. Printed per repository: precision of what is reported now among the judged,
false ones that are back, true ones lost, and how many reports nobody has judged.
"""

from __future__ import annotations

import argparse
import collections
import pathlib
import subprocess
import sys
import tempfile

import msgspec

from benchmarks.run import Run, check_out, leakmend


class Verdict(msgspec.Struct, frozen=True):
    """One line of a verdict file."""

    commit: str
    fingerprint: str
    rule: str
    is_true: bool
    cause: str


def read(path: pathlib.Path) -> list[Verdict]:
    """The verdicts in a file. ValueError names the file and line that cannot be read."""
    verdicts = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        words = line.split("\t")
        if len(words) != 5 or words[3] not in ("true", "false"):
            raise ValueError(f"{path}:{number}: expected commit, fingerprint, rule, true or false, cause, between tabs")
        verdicts.append(Verdict(words[0], words[1], words[2], words[3] == "true", words[4]))
    return verdicts


def _scan(repository: pathlib.Path, commit: str) -> Run:
    """A scan of a commit (`5c61e168`), of folders of it (`5c61e168/src,docs/examples`), or of the folder of that name in the
    repository's. RuntimeError where there is no such thing."""
    if (repository / commit).is_dir():
        return leakmend("scan", str(repository / commit), "--fail-on", "never")
    revision, _, folders = commit.partition("/")
    with tempfile.TemporaryDirectory() as work:
        check_out(repository, revision, pathlib.Path(work))
        paths = [str(pathlib.Path(work, each)) for each in folders.split(",")] if folders else [work]
        return leakmend("scan", *paths, "--fail-on", "never")


def main() -> int:
    """Read the arguments, run, print; 1 when a false report is back or a true one lost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--repos", type=pathlib.Path, required=True)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_intermixed_args()
    changed = False
    for path in sorted(arguments.folder.glob("*.tsv")):
        if arguments.names and path.stem not in arguments.names:
            continue
        repository = arguments.repos / path.stem
        if not repository.exists():
            print(f"{path.stem}: no {repository}, left out")
            continue
        by_commit: dict[str, list[Verdict]] = collections.defaultdict(list)
        for verdict in read(path):
            by_commit[verdict.commit].append(verdict)
        for commit, verdicts in by_commit.items():
            try:
                report = _scan(repository, commit).report
            except (RuntimeError, subprocess.CalledProcessError) as error:
                print(f"{path.stem} {commit}: {len(verdicts)} judged, left out: {error}")
                continue
            reported = {finding["fingerprint"]: finding for finding in report["findings"]}
            true = [v for v in verdicts if v.is_true and v.fingerprint in reported]
            back = [v for v in verdicts if not v.is_true and v.fingerprint in reported]
            lost = [v for v in verdicts if v.is_true and v.fingerprint not in reported]
            judged = {verdict.fingerprint for verdict in verdicts}
            safe = [v for v in back if reported[v.fingerprint]["answer"].get("applicability") == "safe"]
            changed |= bool(back or lost)
            print(f"{path.stem} {commit[:12]}: {len(verdicts)} judged; reported now {len(true)} true, {len(back)} false: "
                  f"precision {len(true) / max(len(true) + len(back), 1):.3f}; lost {len(lost)}; "
                  f"not judged {len(reported.keys() - judged)}; safe patches on false ones {len(safe)}")
            for label, some in (("false, reported", back), ("true, lost", lost)):
                for verdict in some:
                    print(f"    {label}: {verdict.fingerprint} {verdict.rule} {verdict.cause}")
    return int(changed)


if __name__ == "__main__":
    sys.exit(main())
