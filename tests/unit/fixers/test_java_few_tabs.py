"""A few lines that write eight columns as a tab do not make a patch among hundreds that do not write them so, too."""

from __future__ import annotations

from tests.unit.fixers.patching import mended

PACKED = """
    void packed%d(boolean is) {
\tif (is) {
\t    while (is) {
\t\tSystem.out.println();
\t    }
\t}
        System.out.println();
    }
"""
PLAIN = """
    void plain%d(boolean is) {
        if (is) {
            System.out.println();
        }
    }
"""
SOURCE = """// release: 7
import java.io.*;
class Case {
    int load(String path) throws IOException {
        FileInputStream in = new FileInputStream(path);
        int first = in.read();
        return first;
    }
%s}
"""


def test_lines_around_and_most_of_the_file_say_how_it_steps_in() -> None:
    text = SOURCE % ("".join(PLAIN % n for n in range(40)) + "".join(PACKED % n for n in range(4)))
    after = mended("Case.java", text.encode()).decode()
    assert "        try (FileInputStream in = new FileInputStream(path)) {\n            int first = in.read();\n            return first;\n        }\n" in after
