"""Reports made by hand: what reporters are tested on, without an analysis."""

from __future__ import annotations

from analyzers.finding import Confidence, Finding, Note, NoteKind, Role, Step
from analyzers.source import Span
from bot.report import Outcome, Report, Suppressed
from fixers.fix import CHECKS, Check, Declined, Edit, Fix, Verdict

JAVA = """\
package shop;

import java.io.*;
import java.util.Properties;

class Settings {
    private final Properties values = new Properties();

    String read(File file, String key) throws IOException {
        InputStream in = new FileInputStream(file);
        if (key.isEmpty()) {
            return null;
        }
        values.load(in);
        in.close();
        return values.getProperty(key);
    }

    OutputStream open(File file) throws IOException {
        return wrap(new FileOutputStream(file));
    }

    OutputStream wrap(OutputStream out) throws IOException {
        out.write(0xfe);
        return new BufferedOutputStream(out);
    }
}
"""

C = """\
#include <stdio.h>
#include <stdlib.h>

struct table { char *names; int size; };

struct table *table_new(int size)
{
    struct table *t = malloc(sizeof *t);

    if (t == NULL)
        return NULL;
    t->names = calloc(size, 16);
    if (t->names == NULL)
        return NULL;    /* naïve: t is lost */
    t->size = size;
    return t;
}
"""

OLD_C = """\
#include <stdio.h>

void log_start(void)
{
    FILE *f = fopen("log", "a");
    if (f)
        fputs("start", f);
}
"""

SOURCES = {"src/shop/Settings.java": JAVA.encode(), "src/table.c": C.encode()}
BASELINE_SOURCES = {"src/log.c": OLD_C.encode()}


def span(path: str, text: str, nth: int = 0) -> Span:
    """The place of the nth occurrence of a piece of text."""
    content = {**SOURCES, **BASELINE_SOURCES}[path]
    position = -1
    for _ in range(nth + 1):
        position = content.index(text.encode(), position + 1)
    return Span(path, position, position + len(text.encode()))


def proof(assumed: str = "") -> tuple[Check, ...]:
    """A proof in which at most one check is assumed."""
    return tuple(
        Check(name, Verdict.ASSUMED, "`load` is unknown and may close it")
        if name == assumed
        else Check(name, Verdict.PROVED, f"{name}, on 3 paths")
        for name in CHECKS
    )


def java_finding() -> Finding:
    path = "src/shop/Settings.java"
    acquired = span(path, "new FileInputStream(file)")
    lost = span(path, "return null;")
    return Finding(
        rule="unclosed-resource",
        cwe=772,
        language="java",
        detectors=("resource-leak-checker", "tracker"),
        confidence=Confidence.WITNESSED,
        path=path,
        procedure="shop.Settings.read(File,String)",
        resource="java.io.FileInputStream",
        variable="in",
        message="`in` is not closed when `key` is empty",
        witness=(
            Step(Role.ACQUIRE, acquired, "`in` opens a java.io.FileInputStream"),
            Step(Role.BRANCH, span(path, "key.isEmpty()"), "taken when `key.isEmpty()`"),
            Step(Role.EXIT, lost, "returns; nothing names the stream any more"),
        ),
        acquired=acquired,
        lost=lost,
        exits=(lost, span(path, "values.load(in)")),
        text="new FileInputStream(file)",
        cluster="3f2a",
    )


def java_fix() -> Fix:
    path = "src/shop/Settings.java"
    start = span(path, "        InputStream in").start
    body = span(path, "return values.getProperty(key);")
    text = """\
        try (InputStream in = new FileInputStream(file)) {
            if (key.isEmpty()) {
                return null;
            }
            values.load(in);
            return values.getProperty(key);
        }"""
    return Fix(java_finding(), "Close `in` with try-with-resources", (Edit(Span(path, start, body.end), text),), proof())


def wrapped_finding() -> Finding:
    path = "src/shop/Settings.java"
    acquired = span(path, "new FileOutputStream(file)")
    lost = span(path, "out.write(0xfe)")
    return Finding(
        rule="unclosed-resource",
        cwe=772,
        language="java",
        detectors=("tracker",),
        confidence=Confidence.ASSUMED,
        path=path,
        procedure="shop.Settings.open(File)",
        resource="java.io.FileOutputStream",
        variable="",
        message="The FileOutputStream is not closed when `out.write(0xfe)` throws IOException",
        witness=(
            Step(Role.ACQUIRE, acquired, "opens a java.io.FileOutputStream"),
            Step(Role.CALL, span(path, "wrap(new FileOutputStream(file))"), "passed to `wrap` as `out`"),
            Step(Role.THROW, lost, "throws java.io.IOException"),
            Step(Role.EXIT, span(path, "return wrap(new FileOutputStream(file));"), "leaves with the exception"),
        ),
        acquired=acquired,
        lost=span(path, "return wrap(new FileOutputStream(file));"),
        text="new FileOutputStream(file)",
    )


def c_finding() -> Finding:
    path = "src/table.c"
    acquired = span(path, "malloc(sizeof *t)")
    lost = span(path, "return NULL;", 1)
    return Finding(
        rule="unreleased-memory",
        cwe=401,
        language="c",
        detectors=("tracker",),
        confidence=Confidence.WITNESSED,
        path=path,
        procedure="table_new",
        resource="heap-memory",
        variable="t",
        message="`t` is not freed when `calloc(size, 16)` fails",
        witness=(
            Step(Role.ACQUIRE, acquired, "`t` points to a new block"),
            Step(Role.BRANCH, span(path, "t == NULL"), "not taken: `t` is not NULL"),
            Step(Role.BRANCH, span(path, "t->names == NULL"), "taken when `t->names == NULL`"),
            Step(Role.EXIT, lost, "returns; the block is lost"),
        ),
        acquired=acquired,
        lost=lost,
        exits=(lost,),
        text="malloc(sizeof*t)",
    )


def c_fix() -> Fix:
    path = "src/table.c"
    before = span(path, "    if (t->names == NULL)\n        return NULL;")
    text = "    if (t->names == NULL) {\n        free(t);\n        return NULL;"
    after = Span(path, before.end, before.end)
    line_end = span(path, "/* naïve: t is lost */").end
    edits = (Edit(before, text), Edit(Span(path, line_end, line_end), "\n    }"))
    assert after.start <= line_end
    return Fix(c_finding(), "Free `t` before the return", edits, proof("released only if acquired"))


def fixed_finding() -> Finding:
    path = "src/log.c"
    acquired = span(path, 'fopen("log", "a")')
    lost = span(path, "}")
    return Finding(
        rule="unclosed-resource",
        cwe=775,
        language="c",
        detectors=("tracker",),
        confidence=Confidence.WITNESSED,
        path=path,
        procedure="log_start",
        resource="FILE",
        variable="f",
        message="`f` is not closed when `log_start` returns",
        witness=(Step(Role.ACQUIRE, acquired, "`f` opens a FILE"), Step(Role.EXIT, lost, "end of the function")),
        acquired=acquired,
        lost=lost,
        text='fopen("log","a")',
    )


def outcome(finding: Finding, answer: Fix | Declined, introduced: bool | None = True) -> Outcome:
    return Outcome(finding=finding, answer=answer, fingerprint=finding.fingerprint, introduced=introduced)


NOTES = (
    Note(NoteKind.SYNTAX_ERROR, span("src/table.c", "struct table {"), "one function was left out"),
    Note(NoteKind.TOO_LARGE, Span("gen/big.c", 0, 0), "not read: 9.5 MB, the limit is 8 MB"),
)


def review_report() -> Report:
    """A change that introduces two leaks, leaves one alone, and fixes one."""
    declined = Declined(wrapped_finding(), "`wrap` returns what it was given: the caller owns it")
    return Report(
        outcomes=(
            outcome(java_finding(), java_fix()),
            outcome(wrapped_finding(), declined, introduced=False),
            outcome(c_finding(), c_fix()),
        ),
        fixed=(outcome(fixed_finding(), Declined(fixed_finding(), ""), introduced=None),),
        suppressed=(Suppressed(outcome(wrapped_finding(), declined), "comment", "closed by the pool", True),),
        notes=NOTES,
        sources=SOURCES,
        baseline_sources=BASELINE_SOURCES,
        stats={"seconds": 0.5, "procedures redone": 3.0},
        base="1" * 40,
        head="2" * 40,
        repository="shop",
        hunks={"src/shop/Settings.java": ((7, 19),), "src/table.c": ((9, 14),)},
    )


def scan_report() -> Report:
    """The same code as it stands."""
    review = review_report()
    return Report(
        outcomes=tuple(outcome(each.finding, each.answer, None) for each in review.outcomes),
        notes=NOTES,
        sources=SOURCES,
        repository="shop",
    )
