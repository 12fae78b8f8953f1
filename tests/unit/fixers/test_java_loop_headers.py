"""What a loop runs through, and nobody closes: it gets a name and a header around the loop, which asks for it once."""

from __future__ import annotations

from fixers import Fix
from fixers.edits import apply
from tests.unit.fixers.patching import answers

TOP = "import java.io.IOException;\nimport java.nio.file.*;\nclass Case {\n"


def _patched(body: str) -> list[str | None]:
    """The text after each safe fix; None for each leak that has none."""
    data = (TOP + body + "}\n").encode()
    found = answers("Case.java", data)
    return [
        apply(data, each.edits).decode() if isinstance(each, Fix) and each.applicability == "safe" else None
        for each in found
    ]


def test_a_folder_that_a_loop_lists_is_closed_behind_the_loop() -> None:
    body = """  static void show(Path folder) throws IOException {
    for (Path each : Files.newDirectoryStream(folder)) {
      System.out.println(each);
    }
  }
"""
    [patched] = _patched(body)
    assert patched is not None
    assert (
        "    try (DirectoryStream<Path> directoryStream = Files.newDirectoryStream(folder)) {\n"
        "      for (Path each : directoryStream) {\n        System.out.println(each);\n      }\n    }\n  }\n"
    ) in patched


def test_it_goes_into_the_header_of_the_try_that_begins_with_the_loop() -> None:
    body = """  static int count(Path folder) {
    int all = 0;
    try {
      for (Path each : Files.newDirectoryStream(folder))
        all++;
    } catch (IOException e) {
      return -1;
    }
    return all;
  }
"""
    [patched] = _patched(body)
    assert patched is not None
    assert "    try (DirectoryStream<Path> directoryStream = Files.newDirectoryStream(folder)) {\n      for (Path each : directoryStream)\n" in patched


def test_a_loop_that_is_named_to_go_on_with_it_is_left_alone() -> None:
    body = """  static void show(Path folder, boolean again) throws IOException {
    outer:
    for (Path each : Files.newDirectoryStream(folder)) {
      while (again)
        continue outer;
    }
  }
"""
    assert _patched(body) == [None]


def test_what_the_body_of_a_loop_opens_is_opened_each_time() -> None:
    body = """  static void show(Path[] folders) throws IOException {
    for (Path each : folders)
      for (Path inner : Files.newDirectoryStream(each))
        System.out.println(inner);
  }
"""
    [patched] = _patched(body)
    assert patched is not None
    assert "    for (Path each : folders)\n      try (DirectoryStream<Path> directoryStream = Files.newDirectoryStream(each)) {\n" in patched


def test_what_changes_a_variable_first_is_not_overtaken() -> None:
    body = """  static void show(java.io.File[] all, int i) throws IOException {
    System.out.println(i++ + new java.io.FileReader(all[i]).read());
  }
"""
    assert _patched(body) == [None]


def test_nor_where_the_wrapper_gets_the_variable_first() -> None:
    body = """  static class Page extends java.io.FilterReader {
    Page(int n, java.io.Reader from) throws IOException { super(from); from.read(); }
  }
  static int first(java.io.File[] all, int i, int n) throws IOException {
    java.io.Reader page = new Page(%s, new java.io.FileReader(all[i]));
    int read = page.read();
    page.close();
    return read;
  }
"""
    assert _patched(body % "i++") == [None]
    assert _patched(body % "i = n") == [None]
    assert None not in _patched(body % "n++")
