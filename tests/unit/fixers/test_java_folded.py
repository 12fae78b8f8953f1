"""One `try` where two would do, a header for what stands around a variable that has several values, and resources each on a line."""

from __future__ import annotations

from tests.unit.fixers.patching import mended

HEAD = """import java.io.*;
import java.nio.file.*;
import java.util.zip.*;

class A {
"""


def patched(body: str) -> str:
    return mended("A.java", (HEAD + body + "}\n").encode()).decode().removeprefix(HEAD).removesuffix("}\n")


TWO = """    static boolean copy(File from, File to) {
        InputStream in = null;
        OutputStream out = null;
        try {
            try {
                in = new FileInputStream(from);
                out = new FileOutputStream(to);
//              System.out.println("copying");
                int one;
                while ((one = in.read()) >= 0) {
                    out.write(one);
                }
                return true;
            } finally {
                if (in != null) {
                    in.close();
                }
                if (out != null) {
                    out.close();
                }
            }
        } catch (IOException e) {
            return false;
        }
    }
"""


def test_a_header_that_is_all_of_a_try_with_handlers_is_that_of_it() -> None:
    assert patched(TWO) == """    static boolean copy(File from, File to) {
        try (InputStream in = new FileInputStream(from);
                OutputStream out = new FileOutputStream(to)) {
//              System.out.println("copying");
            int one;
            while ((one = in.read()) >= 0) {
                out.write(one);
            }
            return true;
        } catch (IOException e) {
            return false;
        }
    }
"""


def test_a_header_beside_other_statements_stays_within() -> None:
    after = patched(TWO.replace("        } catch (IOException e) {", '            // nothing is left to do\n        } catch (IOException e) {'))
    assert "        try {\n            try (InputStream in = new FileInputStream(from)" in after
    after = patched(TWO.replace("        try {\n            try {", "        try {\n            to.createNewFile();\n            try {"))
    assert "            to.createNewFile();\n            try (" in after


SEVERAL = """    static String text(String name) throws IOException {
        InputStream in = A.class.getResourceAsStream(name);
        if (in == null) {
            in = new FileInputStream(name);
        }
        BufferedReader reader = new BufferedReader(new InputStreamReader(in));
        String all = reader.readLine();
        all += reader.readLine();
        reader.close();
        return all;
    }
"""


def test_what_is_made_around_a_variable_of_several_values_comes_into_a_header() -> None:
    assert patched(SEVERAL) == """    static String text(String name) throws IOException {
        InputStream in = A.class.getResourceAsStream(name);
        if (in == null) {
            in = new FileInputStream(name);
        }
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(in))) {
            String all = reader.readLine();
            all += reader.readLine();
            return all;
        }
    }
"""


def test_it_does_not_where_something_before_may_lose_the_value() -> None:
    after = patched(SEVERAL.replace("        BufferedReader reader", "        in.read();\n        BufferedReader reader"))
    assert "try (BufferedReader" not in after


def test_what_joins_a_header_whose_resources_stand_below_one_another_gets_a_line_of_its_own() -> None:
    wide = "    // " + "x" * 130 + "\n"
    after = patched(wide + """    static void unpack(Path from, Path to) throws IOException {
        try (GZIPInputStream in = new GZIPInputStream(Files.newInputStream(from));
             OutputStream out = Files.newOutputStream(to)) {
            in.transferTo(out);
        }
    }
""")
    assert "= Files.newInputStream(from);\n             GZIPInputStream in = new GZIPInputStream(" in after


def test_nothing_is_closed_and_thrown_again_within_a_try_whose_finally_closes_the_same() -> None:
    after = patched("""    static int first(String name) {
        try {
            InputStream in = null;
            Reader r = null;
            try {
                in = new FileInputStream(name);
                r = new InputStreamReader(in, "utf-8");
                return r.read();
            } finally {
                r.close();
                in.close();
            }
        } catch (IOException e) {
            return -1;
        }
    }
""")
    assert "addSuppressed" not in after
