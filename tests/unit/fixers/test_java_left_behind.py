"""What nobody reads goes with all that only it needed: imports, blank lines; not where an object would still be made for it."""

from __future__ import annotations

from fixers import Declined, Fix
from fixers.edits import apply
from tests.unit.fixers.patching import answers

SOURCE = """\
import java.util.ArrayList;
import java.util.List;

class Marks {
    private static final List<Integer> seen = new ArrayList<>();
    private int turn;

    void mark(int number) {
        turn = number;

        seen.add(number);
        seen.add(turn);

        turn++;
    }

    void last(int number) {
        turn = number;

        seen.add(number);
    }
}
"""


def _answer(source: str) -> Fix | Declined:
    [found] = [each for each in answers("Marks.java", source.encode()) if each.finding.rule == "retained-by-loop"]
    return found


def _patched(source: str) -> str:
    found = _answer(source)
    assert isinstance(found, Fix)
    return apply(source.encode(), found.edits).decode()


def test_imports_and_blank_lines_go_with_it() -> None:
    assert _patched(SOURCE) == (
        "\nclass Marks {\n    private int turn;\n\n    void mark(int number) {\n        turn = number;\n\n        turn++;\n    }\n\n"
        "    void last(int number) {\n        turn = number;\n    }\n}\n"
    )


def test_an_import_stays_where_it_is_still_named() -> None:
    for written in ("    /** Not a {@link List}. */\n", "    Object all = (List<?>) null;\n"):
        patched = _patched(SOURCE.replace("    private int turn;\n", f"    private int turn;\n{written}"))
        assert "import java.util.List;\n" in patched and "ArrayList" not in patched
    whole = _patched(SOURCE.replace("import java.util.List;", "import java.util.*;"))
    assert "import java.util.*;\n" in whole


MADE = """\
import java.util.*;

class Marks {
    private final List<Mark> seen = new ArrayList<>();

    static class Mark { int at; String name; void setName(String name) { this.name = name; } }

    void mark(int number) {
        Mark mark = new Mark();
        mark.at = number;
        mark.setName("x");
        seen.add(mark);
    }
}
"""


def test_nothing_is_left_that_is_made_for_nothing() -> None:
    found = _answer(MADE)
    assert isinstance(found, Declined) and found.reason == "`mark` would still be made, for nothing"
    assert "seen" not in _patched(MADE.replace("seen.add(mark);", "seen.add(mark);\n        System.out.println(mark);"))


def test_a_comment_on_what_goes_goes_with_it() -> None:
    source = (
        "import java.io.*;\nimport java.util.*;\n\nclass Marks {\n    int count(BufferedReader in) throws IOException {\n        int n = 0;\n"
        "        List<String> seen = new ArrayList<>();\n        String line;\n        while ((line = in.readLine()) != null) {\n"
        "            // for later\n            seen.add(line);\n\n            n++;\n        }\n        return n;\n    }\n}\n"
    )
    assert _patched(source).endswith(
        "        int n = 0;\n        String line;\n        while ((line = in.readLine()) != null) {\n            n++;\n        }\n        return n;\n    }\n}\n"
    )
