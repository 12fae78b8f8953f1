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


BOTH = """import java.io.*;
import java.net.*;
class Case {
  static Socket connect(String host) throws IOException {
    Socket socket = new Socket(host, 80);
\t\tcheck(socket);
    return socket;
  }
  static void check(Socket socket) throws IOException {
    if (socket.getInputStream().read() < 0) {
      throw new IOException("closed");
    }
  }
}
"""


def test_no_line_gets_tabs_and_blanks_where_the_file_has_lines_of_both() -> None:
    after = mended("Case.java", BOTH.encode()).decode()
    assert "\t\t\t\tsocket.close();\n" in after
    assert not any("\t " in line[: len(line) - len(line.lstrip())] for line in after.splitlines())
