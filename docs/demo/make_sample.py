"""Writes the sample repository of `make demo`: a small shop in Java and C, and a change to it.

    python docs/demo/make_sample.py FOLDER

Branch `main` holds the files of `base`, branch `change` those of `change` over them. The change introduces leaks in
both languages, mends two, and touches functions that leaked before. The same bytes every time; needs git alone.
"""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent

IDENTITY = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Sample",
    "GIT_AUTHOR_EMAIL": "sample@example.org",
    "GIT_COMMITTER_NAME": "Sample",
    "GIT_COMMITTER_EMAIL": "sample@example.org",
}


def git(folder: pathlib.Path, day: int, *words: str) -> None:
    """Run git in the sample, on a day of January 2026."""
    date = f"2026-01-{day:02}T12:00:00Z"
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment = {**kept, **IDENTITY, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    subprocess.run(["git", *words], cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)


def make(folder: pathlib.Path) -> None:
    """Write the repository into a folder that is not there yet."""
    shutil.copytree(HERE / "base", folder)
    git(folder, 1, "init", "--quiet", "--initial-branch=main")
    git(folder, 1, "add", "--all")
    git(folder, 1, "commit", "--quiet", "--message", "A shop")
    git(folder, 2, "checkout", "--quiet", "-b", "change")
    shutil.copytree(HERE / "change", folder, dirs_exist_ok=True)
    git(folder, 2, "add", "--all")
    git(folder, 2, "commit", "--quiet", "--message", "Orders, currencies, and receipts in memory")


def main() -> None:
    """Make the sample in the folder named on the command line."""
    if len(sys.argv) != 2:
        sys.exit("usage: make_sample.py FOLDER")
    folder = pathlib.Path(sys.argv[1])
    if folder.exists():
        sys.exit(f"{folder} exists already: name a folder that does not")
    make(folder)
    print(f"sample repository in {folder}: branches main and change")


if __name__ == "__main__":
    main()
