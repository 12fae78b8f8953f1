"""Macros of a header that a file cannot have seen, since it defines a function of that name."""

from __future__ import annotations

from analyzers import MemoryTree, analyze, load, specs

HEADER = """#include <stdio.h>
struct reader { FILE *file; };
#ifndef INSIDE_READER
#define reader_open(file, size) reader_open_number(fileno(file), size)
#endif
"""
SOURCE = """#include "reader.h"
#include <stdlib.h>
struct reader *reader_open(FILE *file, int size)
{
    struct reader *reader = malloc(sizeof *reader + size);
    if (reader == NULL) {
        fclose(file);
        return NULL;
    }
    reader->file = file;
    return reader;
}
struct reader *reader_open_path(const char *path)
{
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return NULL;
    return reader_open(file, 3);
}
"""


def found(source: str) -> list[str]:
    tree = MemoryTree({"reader.h": HEADER.encode(), "reader.c": source.encode()})
    return [each.message for each in analyze(load(tree, specs.load(("c",)))).findings]


def test_the_function_of_the_file_itself_is_called() -> None:
    assert found(SOURCE) == []


def test_elsewhere_the_macro_hides_it() -> None:
    start = SOURCE.index("struct reader *reader_open_path")
    (message,) = found('#include "reader.h"\n' + SOURCE[start:])
    assert "`file`" in message
