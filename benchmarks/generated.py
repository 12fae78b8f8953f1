"""Mends random C functions and runs each as it was and as it is then, on many inputs, under the sanitizers.

    python -m benchmarks.generated [--split] [--seed N] [--functions N] [--files N] [--keep FOLDER]

Each function is called with every value of three small arguments, without and with each of its first allocations
failing. Inputs on which it is wrong before count neither way. Printed: how many functions lose something and are
reported, are reported without losing anything, lose something and are not reported, how many safe patches there are,
and each function that a patch makes wrong: another result, a report of a sanitizer, something lost that was not.
Exit status 1 for such a one. With --split conditions of the preprocessor split statements, and each function is run in every
way to compile it.
"""

from __future__ import annotations

import argparse
import collections
import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from analyzers.source import Span
from benchmarks.random_c import Writer, source
from benchmarks.run import leakmend
from fixers.edits import apply, merge
from fixers.fix import Edit

FLAGS = ("-g", "-O0", "-w", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-fno-omit-frame-pointer")

VALUES, FAILURES = 4, 5
"""Each argument is -1 to 2; none, or one of the first four allocations fails."""

COUNTED = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void *counted_malloc(size_t size);
void *counted_calloc(size_t count, size_t size);
void *counted_realloc(void *block, size_t size);
char *counted_strdup(const char *text);
void counted_free(void *block);
#ifdef COUNTING
#undef strdup
#define malloc counted_malloc
#define calloc counted_calloc
#define realloc counted_realloc
#define strdup counted_strdup
#define free counted_free
#endif
"""

DRIVER = r"""
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct item { char *name; struct item *next; int count; };
extern struct item *kept;
extern char *slot, *table[4];

static void *blocks[4096];
static int used, failing, asked;

static int is_failing(void)
{
    return ++asked == failing;
}

static void *counted(void *block)
{
    if (block != NULL)
        blocks[used++] = block;
    return block;
}

static void gone(void *block)
{
    int n;

    for (n = 0; n < used; n++)
        if (blocks[n] == block)
            blocks[n--] = blocks[--used];
}

void *counted_malloc(size_t size) { return is_failing() ? NULL : counted(malloc(size)); }
void *counted_calloc(size_t count, size_t size) { return is_failing() ? NULL : counted(calloc(count, size)); }
char *counted_strdup(const char *text) { return is_failing() ? NULL : counted(strdup(text)); }
void counted_free(void *block) { gone(block); free(block); }

void *counted_realloc(void *block, size_t size)
{
    void *larger;

    if (is_failing())
        return NULL;
    larger = realloc(block, size);
    gone(block);
    return counted(larger);
}

static long worth(const char *text)
{
    long sum = 0;

    for (; text != NULL && *text != 0; text++)
        sum = sum * 31 + *text;
    return text != NULL ? sum : -7;
}

static long items(struct item *item)
{
    long sum = item != NULL ? 1 : -9;

    while (item != NULL) {
        struct item *next = item->next;

        sum = sum * 37 + worth(item->name);
        counted_free(item->name);
        counted_free(item);
        item = next;
    }
    return sum;
}

static long call(int which, int a, int b, int c);

static void one(int which, int input)
{
    int values = VALUES, n;
    long result;

    asked = 0;
    failing = input / (values * values * values);
    result = call(which, input % values - 1, input / values % values - 1, input / values / values % values - 1);
    failing = 0;
    result = result * 41 + items(kept);
    kept = NULL;
    result = result * 41 + worth(slot);
    counted_free(slot);
    slot = NULL;
    for (n = 0; n < 4; n++) {
        result = result * 41 + worth(table[n]);
        counted_free(table[n]);
        table[n] = NULL;
    }
    printf("%d %d %d %ld\n", which, input, used, result);
    fflush(stdout);
    while (used > 0)
        free(blocks[--used]);
}

int main(void)
{
    int *at = mmap(NULL, sizeof *at, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int inputs = VALUES * VALUES * VALUES * FAILURES, which;

    for (which = 0; which < COUNT; which++) {
        int tries = 0;

        for (*at = 0; *at < inputs && tries < MOST; ++*at, ++tries) {
            pid_t child = fork();

            if (child == 0) {
                for (; *at < inputs; ++*at) {
                    alarm(2);
                    one(which, *at);
                }
                _exit(0);
            }
            waitpid(child, NULL, 0);
        }
    }
    return 0;
}
"""

MOST = 60
"""Inputs on which a function may go wrong before it is left alone: those behind count for nothing."""

CALLS = {
    "consume": "    { char *text = counted_strdup(\"given\"); return text != NULL ? {0}(a, b, c, text) : -3; }",
    "borrow": "    { char *text = counted_strdup(\"given\"); long sum = {0}(a, b, c, text) * 43 + worth(text); counted_free(text); return sum; }",
    "take": "    { char *text = counted_strdup(\"given\"); if (text == NULL) return -3; if ({0}(a, b, c, text) == 0) return 0; counted_free(text); return 7; }",
    "int": "    return {0}(a, b, c);",
    "text": "    { char *text = {0}(a, b, c); long sum = worth(text); counted_free(text); return sum; }",
    "item": "    return items({0}(a, b, c));",
    "out": "    { char *text = NULL; long sum = {0}(a, b, c, &text); sum = sum * 43 + worth(text); counted_free(text); return sum; }",
}
_DECLARED = {
    "int": "int {0}(int, int, int);", "text": "char *{0}(int, int, int);", "item": "struct item *{0}(int, int, int);",
    "out": "int {0}(int, int, int, char **);", "given": "int {0}(int, int, int, char *);",
}

Judge = Callable[[pathlib.Path, Sequence[int], collections.Counter[str]], list[str]]
"""Judges one file of random text: counts, and says what is wrong."""

Ran = dict[tuple[int, int], tuple[int, int]]
"""Per function and input the blocks that are lost, and the result; nothing where the function is wrong."""


class Answered(msgspec.Struct):
    """What leakmend says of one function: reports by confidence, and the safe edits that go together."""

    reports: collections.Counter[str]
    edits: dict[tuple[Edit, ...], None]


def driver(writers: Sequence[Writer]) -> str:
    """The program that calls the functions."""
    names = [each.name for each in writers]
    kinds = [each.contract if "t" in each.types else each.kind for each in writers]
    declared = "\n".join(_DECLARED[kind if kind in _DECLARED else "given"].replace("{0}", name) for name, kind in zip(names, kinds, strict=True))
    calls = "\n".join(
        f"    case {n}:\n    {CALLS[kind].replace('{0}', name)}" for n, (name, kind) in enumerate(zip(names, kinds, strict=True))
    )
    chosen = f"static long call(int which, int a, int b, int c)\n{{\n    switch (which) {{\n{calls}\n    }}\n    return 0;\n}}\n"
    text = DRIVER.replace("static long call(int which, int a, int b, int c);", f"{declared}\n{chosen}")
    return f"#define COUNT {len(names)}\n#define VALUES {VALUES}\n#define FAILURES {FAILURES}\n#define MOST {MOST}\n{text}"


def run(place: pathlib.Path, code: bytes, calling: str, ways: Sequence[str] = ()) -> Ran:
    """Build, with more flags for the functions, and run. RuntimeError for what does not compile."""
    place.mkdir(parents=True)
    (place / "functions.c").write_bytes(code)
    (place / "driver.c").write_text(calling, encoding="utf-8")
    (place / "counted.h").write_text(COUNTED, encoding="utf-8")
    program, objects = place / "program", []
    for name, flags in (("functions.c", ("-DCOUNTING", *ways)), ("driver.c", ())):
        objects.append(str(place / name.replace(".c", ".o")))
        words = ["gcc", *FLAGS, *flags, "-include", str(place / "counted.h"), "-c", str(place / name), "-o", objects[-1]]
        _checked(words)
    _checked(["gcc", *FLAGS, *objects, "-o", str(program)])
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0:exitcode=99:detect_stack_use_after_return=0"}
    done = subprocess.run([str(program)], capture_output=True, env=environment, check=False, timeout=3600)
    found: Ran = {}
    for line in done.stdout.decode().splitlines():
        which, value, lost, result = map(int, line.split())
        found[which, value] = lost, result
    return found


def _checked(words: Sequence[str]) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip()[:2000])


def answers(path: pathlib.Path) -> dict[str, Answered]:
    """What leakmend says of each function of a file."""
    report = leakmend("scan", str(path), "--min-confidence", "assumed", "--fail-on", "never", "--no-cache", "--jobs", "1").report
    found: dict[str, Answered] = {}
    for finding in report["findings"]:
        answered = found.setdefault(finding["procedure"].rpartition(":")[2], Answered(collections.Counter(), {}))
        answered.reports[finding["confidence"]] += 1
        answer: dict[str, Any] = finding["answer"]
        if answer.get("applicability") == "safe":
            answered.edits[tuple(Edit(Span(e["path"], e["start"], e["end"]), e["text"]) for e in answer["edits"])] = None
    return found


def patched(code: bytes, found: dict[str, Answered]) -> bytes:
    """The text with all safe patches; of two that do not go together the first."""
    taken: dict[tuple[Edit, ...], None] = {}
    for answered in found.values():
        for edits in answered.edits:
            if merge({**taken, edits: None}) is not None:
                taken[edits] = None
    merged = merge(taken)
    return apply(code, merged) if merged else code


def judge(folder: pathlib.Path, seeds: Sequence[int], totals: collections.Counter[str]) -> list[str]:
    """One file of functions: counts into `totals`, and what is wrong in words."""
    return _judged(folder, seeds, totals, ((),))


def judge_split(folder: pathlib.Path, seeds: Sequence[int], totals: collections.Counter[str]) -> list[str]:
    """The same of functions that conditions of the preprocessor split, in each way to compile them."""
    return _judged(folder, seeds, totals, ((), ("-DWIDE",), ("-DDEEP",), ("-DWIDE", "-DDEEP")))


def _judged(folder: pathlib.Path, seeds: Sequence[int], totals: collections.Counter[str], ways: Sequence[Sequence[str]]) -> list[str]:
    names = [f"f{seed}" for seed in seeds]
    text, writers = source(names, seeds, len(ways) > 1)
    folder.mkdir(parents=True)
    path = folder / "functions.c"
    code = text.encode()
    path.write_bytes(code)
    calling = driver(writers)
    found = answers(path)
    mended = patched(code, found)
    runs = [
        (run(folder / f"before{n}", code, calling, flags), run(folder / f"after{n}", mended, calling, flags))
        for n, flags in enumerate(ways)
    ]
    problems = []
    for which, name in enumerate(names):
        answered = found.get(name, Answered(collections.Counter(), {}))
        pairs = [(lost, result, after.get((which, value)), value) for before, after in runs for (n, value), (lost, result) in before.items() if n == which]
        is_leaking = any(lost for lost, *_ in pairs)
        totals["functions"] += 1
        totals["safe patches"] += len(answered.edits)
        if pairs:
            others = [found[each] for each in _reached(writers[which], writers) if each in found]
            if not answered.reports and others:
                totals["told in a callee"] += 1
                continue
            said = "witnessed" if answered.reports["witnessed"] else "assumed" if answered.reports else "silent"
            totals[f"{'leaking' if is_leaking else 'clean'}, {said}"] += 1
            if (is_leaking and said == "silent") or (not is_leaking and said != "silent"):
                problems.append(f"{name}: {'missed' if is_leaking else f'false alarm ({said})'}")
        if not answered.edits:
            continue
        if is_leaking:
            totals["mended in part" if any(now is not None and now[0] for _, _, now, _ in pairs) else "mended whole"] += 1
        for lost, result, now, value in pairs:
            if now is None or now[1] != result or now[0] > lost:
                totals["unsafe"] += 1
                words = "a sanitizer reports" if now is None else "another result" if now[1] != result else "more is lost"
                problems.append(f"{name}: UNSAFE: {words}, input {value}")
                break
    return problems


def _reached(writer: Writer, writers: Sequence[Writer]) -> list[str]:
    """The functions that one calls, and those call."""
    found = dict.fromkeys(writer.called)
    by_name = {each.name: each for each in writers}
    for name in (pending := list(found)):
        for each in by_name[name].called:
            if each not in found:
                found[each] = None
                pending.append(each)
    return list(found)


def play(description: str, unit: str, judge: Judge, split: Judge | None = None) -> int:
    """The command: judges the files that it is asked for, with `--split` by the second judge. `unit`: what a file holds. The exit
    status."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(f"--{unit}", dest="count", type=int, default=100, help="per file")
    parser.add_argument("--files", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path, help="a new folder for what is written")
    if split is not None:
        parser.add_argument("--split", action="store_true")
    given = parser.parse_args()
    judge = split if split is not None and given.split else judge
    totals: collections.Counter[str] = collections.Counter()
    with tempfile.TemporaryDirectory() as work:
        for n in range(given.files):
            start = given.seed + n * given.count
            folder = (given.keep or pathlib.Path(work)) / f"from{start}"
            for problem in judge(folder, range(start, start + given.count), totals):
                print(problem, flush=True)
    print(", ".join(f"{name} {count}" for name, count in sorted(totals.items())))
    return int(totals["unsafe"] > 0)


if __name__ == "__main__":
    sys.exit(play("random C functions, mended and run", "functions", judge, judge_split))
