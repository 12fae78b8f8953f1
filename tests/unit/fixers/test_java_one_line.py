"""Methods on one line: where no patch fits into that, they are laid out in lines first, and comments keep their place."""

from __future__ import annotations

from fixers import Fix
from fixers.edits import apply
from tests.unit.fixers.patching import answers

TOP = "import java.io.*;\nclass Case {\n"


def _patched(line: str) -> list[str | None]:
    """The lines of the method after each safe fix; None for a leak without one."""
    data = f"{TOP}  {line}\n}}\n".encode()
    return [
        apply(data, each.edits).decode().removeprefix(TOP).removesuffix("}\n") if isinstance(each, Fix) and each.applicability == "safe" else None
        for each in answers("Case.java", data)
    ]


def test_a_method_is_laid_out() -> None:
    assert _patched("static int first(File from) throws IOException { return new FileInputStream(from).read(); }") == [
        "  static int first(File from) throws IOException {\n    try (FileInputStream in = new FileInputStream(from)) {\n"
        "      return in.read();\n    }\n  }\n"
    ]


def test_blocks_in_blocks_step_in() -> None:
    line = "static void first(File from) { try { InputStream in = new FileInputStream(from); in.read(); } catch (IOException e) { } }"
    assert _patched(line) == [
        "  static void first(File from) {\n    try (InputStream in = new FileInputStream(from)) {\n      in.read();\n"
        "    } catch (IOException e) { }\n  }\n"
    ]


def test_a_comment_would_lose_its_place() -> None:
    assert _patched("static int first(File from) throws IOException { return /* a byte */ new FileInputStream(from).read(); }") == [None]


def test_what_fits_into_the_line_stays_there() -> None:
    line = "static void two(File a) throws IOException { OutputStream o = new FileOutputStream(a); int n = 1; o = new FileOutputStream(a); o.close(); }"
    assert _patched(line) == [f"  {line.replace(' o = new', ' o.close(); o = new', 2).replace('OutputStream o.close(); o', 'OutputStream o', 1)}\n"]


def test_the_statements_of_a_case_get_lines_of_their_own() -> None:
    source = (
        "import java.io.*;\nclass Case {\n  static class Out {\n    final OutputStream to;\n    Out(OutputStream to) { this.to = to; }\n  }\n"
        "  static Out first(File from, int kind) throws IOException {\n    OutputStream out = new FileOutputStream(from);\n    switch (kind) {\n"
        "      case 1 : return new Out(out);\n      case 2 : System.out.println(kind); return null;\n      default : return new Out(out);\n    }\n  }\n}\n"
    )
    [found] = [each for each in answers("Case.java", source.encode()) if isinstance(each, Fix)]
    assert "      case 2 :\n        System.out.println(kind);\n        out.close();\n        return null;\n" in apply(source.encode(), found.edits).decode()
