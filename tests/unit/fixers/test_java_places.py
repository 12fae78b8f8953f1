"""How a patch of Java stands in its place: the steps of the lines around it, and who meets what closing throws."""

from __future__ import annotations

import pytest

from fixers import Applicability, Fix, text
from tests.unit.fixers.patching import answers, mended


def test_blanks_behind_a_tab_go_on_as_they_are() -> None:
    source = (
        "// release: 8\nimport java.io.*;\nclass A {\n\tint kind(boolean is, File f) throws IOException {\n\t\tint kind = 0;\n\t\tif (is) {\n"
        "\t\t  kind = one(\n\t\t\t  new FileInputStream(f));\n\t\t}\n\t\treturn kind;\n\t}\n"
        "\tstatic int one(InputStream in) throws IOException {\n\t\treturn in.read();\n\t}\n}\n"
    )
    assert "\t\t  try (FileInputStream in = new FileInputStream(f)) {\n\t\t    kind = one(in);\n\t\t  }\n" in mended("A.java", source.encode()).decode()


def test_the_lines_around_a_place_tell_how_it_steps_in() -> None:
    wide = "    int f() {\n        if (x) {\n            while (y) {\n                z();\n"
    narrow = "  int g() {\n    if (x) {\n      z();\n    }\n  }\n"
    data = ("\n" * 40).join((narrow * 5, wide, narrow * 5)).encode()
    assert text.indentation_unit(data) == "  "
    assert text.unit_at(data, data.index(b"while")) == "    "
    assert text.unit_at(data, data.index(b"int g")) == "  "


def test_a_block_begins_where_the_statements_in_it_stand() -> None:
    source = (
        "// release: 8\nimport java.io.*;\nclass A {\n    void put(File f) throws IOException {\n        int n = 3;\n\n"
        "            FileWriter w = new FileWriter(f);\n        w.write(n);\n        w.close();\n    }\n}\n"
    )
    assert "\n        try (FileWriter w = new FileWriter(f)) {\n            w.write(n);\n        }\n" in mended("A.java", source.encode()).decode()


FORM = """\
// release: 8
import java.io.*;
import com.sun.jersey.multipart.FormDataMultiPart;
class A {
    FormDataMultiPart form(String path) throws IOException {
        InputStream in = new FileInputStream(path);
        FormDataMultiPart form = new FormDataMultiPart();
        form.field("config", in, null);
        form.close();
        return form;
    }
}
"""


def test_what_is_sent_later_is_not_known_to_be_read_at_once() -> None:
    assert not any(isinstance(each, Fix) and each.applicability is Applicability.SAFE for each in answers("A.java", FORM.encode()))


READ = """\
// release: 8
import java.io.*;
class A {
    int sum;
    void read(String name)%s {
        InputStream in = A.class.getResourceAsStream(name);
        sum += letters(in);
    }
    static int letters(InputStream in) {
        try {
            return in.read();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
"""


@pytest.mark.parametrize(("declared", "is_met"), [("", True), (" throws InterruptedException", True), (" throws FileNotFoundException", False), (" throws Odd", False)])
def test_a_handler_meets_what_closing_throws_where_nothing_else_can_be_of_its_kind(declared: str, is_met: bool) -> None:
    after = mended("A.java", (READ % declared).encode()).decode()
    tail = "            sum += letters(in);\n        } catch (IOException e) {\n            // thrown by closing alone"
    assert (tail in after) is is_met
    assert "try" in after
