"""Types of libraries that nobody has read, in the header of a try: where the code has something of theirs in one already."""

from __future__ import annotations

import pytest

from analyzers import MemoryTree, Options, analyze, load
from fixers import Declined, Fix, fix
from fixers import Options as FixOptions
from tests.unit.fixers.patching import models

OPENED = """package app;

import org.acme.shelf.ShelfReader;

class Shelves {
  String title(String name) throws Exception {
    ShelfReader reader = new ShelfReader(name);
    return reader.title();
  }
%s}
"""
HEADED = '  int count(String name) throws Exception {\n    try (%s) {\n      return name.length();\n    }\n  }\n'
BESIDE = "package app;\n\n%s\n\nclass Beside {\n" + HEADED + "}\n"
FOUND = "  void drop(ShelfReader reader) throws Exception {\n    reader.close();\n  }\n"


def answer(files: dict[str, str]) -> Fix | Declined:
    """The answer to the only leak of `Shelves`."""
    program = load(MemoryTree({path: text.encode() for path, text in files.items()}), models("java"), options=Options(java_release=17))
    [leak] = [each for each in analyze(program).findings if each.path == "Shelves.java"]
    return fix(leak, program, FixOptions(java_release=17))


@pytest.mark.parametrize("resource", ["ShelfReader each = new ShelfReader(name)", "var each = new ShelfReader(name)", "final ShelfReader each = open(name)"])
def test_what_stands_in_a_header_of_the_file_can_stand_there(resource: str) -> None:
    given = answer({"Shelves.java": OPENED % (HEADED % resource)})
    assert isinstance(given, Fix) and any("try (ShelfReader reader = new ShelfReader(name)) {" in each.text for each in given.edits)


def test_a_header_of_another_file_shows_it_too() -> None:
    files = {"Shelves.java": OPENED % FOUND, "Beside.java": BESIDE % ("import org.acme.shelf.ShelfReader;", "ShelfReader each = new ShelfReader(name)")}
    given = answer(files)
    assert isinstance(given, Fix) and any("try (" in each.text for each in given.edits)


def test_a_namesake_in_a_header_shows_nothing() -> None:
    files = {"Shelves.java": OPENED % FOUND, "Beside.java": BESIDE % ("import org.other.ShelfReader;", "ShelfReader each = new ShelfReader(name)")}
    given = answer(files)
    assert isinstance(given, Declined) or not any("try (" in each.text for each in given.edits)
