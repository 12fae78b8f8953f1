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


def _method(body: str) -> str:
    return f"// release: 8\nimport java.io.*;\nclass A {{\n    int sum;\n    void f(File f) throws IOException {{\n{body}    }}\n}}\n"


def test_a_try_that_begins_with_an_opening_takes_it_into_its_header() -> None:
    body = "        try {\n            sum += new FileInputStream(f).read();\n            System.out.println(sum);\n        } catch (FileNotFoundException e) {\n            sum = 0;\n        }\n"
    after = mended("A.java", _method(body).encode()).decode()
    assert "        try (FileInputStream in = new FileInputStream(f)) {\n            sum += in.read();\n            System.out.println(sum);\n        } catch" in after


def test_a_try_that_goes_on_with_much_else_does_not() -> None:
    rest = "            System.out.println(sum);\n" * 4
    body = f"        try {{\n            sum += new FileInputStream(f).read();\n{rest}        }} catch (FileNotFoundException e) {{\n            sum = 0;\n        }}\n"
    after = mended("A.java", _method(body).encode()).decode()
    assert "        try {\n            try (FileInputStream in = new FileInputStream(f)) {\n                sum += in.read();\n            }\n" in after


def test_lines_that_an_editor_has_taken_out_stay_where_they_are() -> None:
    body = "        FileInputStream in = new FileInputStream(f);\n        sum += in.read();\n//        sum++;\n        // the rest\n        sum += in.read();\n        in.close();\n"
    after = mended("A.java", _method(body).encode()).decode()
    assert "            sum += in.read();\n//        sum++;\n            // the rest\n            sum += in.read();\n        }\n" in after


def test_a_block_of_very_many_lines_is_not_moved_in() -> None:
    lines = "        sum += in.read();\n"
    for count, is_mended in ((90, True), (110, False)):
        source = _method(f"        FileInputStream in = new FileInputStream(f);\n{lines * count}        in.close();\n")
        assert ("try" in mended("A.java", source.encode()).decode()) is is_mended


def test_what_stands_out_by_tabs_is_opened_where_the_statements_stand() -> None:
    body = "\t\tFileInputStream in = new FileInputStream(f);\n        int a = in.read();\n        in.read();\n        in.close();\n        sum++;\n        sum++;\n        sum += a;\n"
    after = mended("A.java", _method(body).encode()).decode()
    assert "        int a;\n        try (FileInputStream in = new FileInputStream(f)) {\n            a = in.read();\n            in.read();\n        }\n        sum++;\n" in after


TWO = """\
// release: 8
import java.io.*;
import java.net.*;
class A {
    int f(int port) throws IOException {
        ServerSocket server = new ServerSocket(port);
        Socket socket = server.accept();
        int n = socket.getInputStream().read();
        socket.close();%s
        server.close();
        return n;
    }
}
"""


def test_what_is_closed_at_the_end_together_is_opened_together() -> None:
    after = mended("A.java", (TWO % "").encode()).decode()
    assert "try (ServerSocket server = new ServerSocket(port); Socket socket = server.accept()) {" in after
    assert "close()" not in after


def test_what_is_closed_before_something_else_runs_still_is() -> None:
    after = mended("A.java", (TWO % ("\n        System.out.println(port);" * 3)).encode()).decode()
    assert "try (Socket socket = server.accept()) {\n                n = socket.getInputStream().read();\n            }\n            System.out.println(port);" in after


def test_nothing_is_called_on_what_a_mock_may_give() -> None:
    lines = "import java.io.*;\nimport java.sql.*;\nclass A {\n    void t(DatabaseMetaData d) throws SQLException {\n        d.getCatalogs();\n    }\n}\n"
    assert "d.getCatalogs().close();" in mended("A.java", ("// release: 8\n" + lines).encode()).decode()
    assert "close" not in mended("A.java", ("// release: 8\nimport static org.mockito.Mockito.mock;\n" + lines).encode()).decode()


def test_a_comment_on_a_close_goes_with_it_with_the_line_below() -> None:
    body = "        FileInputStream in = new FileInputStream(f);\n        sum += in.read();\n        // Close it at once\n        //\n        in.close();\n"
    after = mended("A.java", _method(body).encode()).decode()
    assert "try (" in after and "//\n" not in after and "Close it" not in after


OUTPUT = """\
// release: 8
import java.io.*;
class A {
    int f(int b) throws IOException {
        int sum = 0;
        for (int i = 0; i < b; i++) {
            OutputStream out = new BufferedOutputStream(new FileOutputStream("shared"));
            out.write(sum);
            sum++;
            try {
                out.close();
            } catch (IOException e) {
                System.err.println(e);
            }
            sum++;
            sum--;
            sum++;
        }
        return sum;
    }
}
"""


def test_who_is_told_that_an_output_cannot_be_written_out_still_is() -> None:
    after = mended("A.java", OUTPUT.encode()).decode()
    assert "try {\n                    out.close();\n                } catch (IOException e) {\n                    System.err.println(e);\n" in after
    assert "finally" in after


PRINTED = """\
// release: 8
import java.io.*;
class A {
    static void check() {}
    void f() {
        try {
            PrintWriter writer = new PrintWriter(new FileWriter("written"));
            try {
                check();
                writer.println(1);
            } catch (RuntimeException e) {
                writer.close();
                return;
            }
            check();
            writer.println(2);
        } catch (IOException e) {
            return;
        }
    }
}
"""


def test_no_handler_is_written_for_what_closing_does_not_throw() -> None:
    for each in answers("A.java", PRINTED.encode()):
        assert not isinstance(each, Fix) or not any("close();\n" in edit.text and "IOException" in edit.text for edit in each.edits)


def test_a_buffer_between_two_openings_does_not_part_them() -> None:
    source = _method(
        "        OutputStream to = new FileOutputStream(f);\n\n        byte[] b = new byte[20];\n        int n;\n\n        InputStream in = new FileInputStream(f);\n"
        "        while ((n = in.read(b)) != -1) {\n            to.write(b, 0, n);\n        }\n        in.close();\n        to.close();\n"
        "        sum++;\n        sum--;\n        sum++;\n        sum--;\n"
    )
    assert "        try (OutputStream to = new FileOutputStream(f); InputStream in = new FileInputStream(f)) {\n" in mended("A.java", source.encode()).decode()


def test_what_is_there_only_at_times_is_asked_for_in_its_block() -> None:
    source = (
        "// release: 8\nimport java.io.*;\nimport java.util.*;\nclass A {\n    void f(Properties a, Properties b) throws IOException {\n        InputStream in;\n"
        "        in = A.class.getResourceAsStream(\"/a\");\n        if (null != in) {\n            a.load(in);\n        }\n        a.clear();\n"
        "        in = A.class.getResourceAsStream(\"/b\");\n        if (null != in) {\n            b.load(in);\n        }\n        b.clear();\n    }\n}\n"
    )
    after = mended("A.java", source.encode()).decode()
    assert after.count("        try (InputStream in = A.class.getResourceAsStream(") == 2 and after.count("            if (null != in) {\n") == 2
