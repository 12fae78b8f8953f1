"""Lines that go in behind blanks step in by blanks, whatever the lines around have."""

from __future__ import annotations

from tests.unit.fixers.patching import mended

FILE = """// release: 6
import java.io.*;
class Case {
	void read(String name) {
		try {
			InputStream in = getClass().getResourceAsStream(name);

            if (in == null) {
                in = new FileInputStream(name);
            }

            if (in != null) {
				System.out.println(in.read());
			}
		} catch (IOException e) {
			System.out.println(name);
		}
	}
}
"""


def test_no_line_that_goes_in_has_tabs_behind_blanks() -> None:
    before = set(FILE.splitlines())
    text = mended("Case.java", FILE.encode()).decode()
    assert "in.close();" in text
    assert not any(" \t" in each for each in text.splitlines() if each not in before)


BEHIND_BLANKS = """// release: 6
import java.io.*;
class Notes {
\tvoid keep(String name, int count) throws IOException {
\t    \tfor (int i = 0; i < count; i++) {
\t    \t\tSystem.out.println(i);
\t    \t}
\t    \tFileOutputStream out = new FileOutputStream(name);
\t    \tout.write(count);
\t    \tout.close();
\t}
}
"""


def test_a_line_whose_blanks_stand_before_a_tab_gets_its_tab_behind_that() -> None:
    text = mended("Notes.java", BEHIND_BLANKS.encode()).decode()
    assert "\t    \ttry {\n\t    \t\tout.write(count);\n\t    \t} finally {\n\t    \t\tout.close();\n\t    \t}\n" in text
