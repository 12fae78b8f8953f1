"""Arguments that stand below a parenthesis, where what stands before it gets shorter."""

from __future__ import annotations

from tests.unit.fixers.members import safe

HELPERS = """
  String of(InputStream in, String name) throws IOException {
    return name + in.read();
  }"""

DECLARED = """  String split(File file) throws IOException {
    String found = new String(of(new FileInputStream(file),
                                 "a text that is so long that nobody would want to have it on a line with others, as")).replace("it",
                                                                                                                                "is");
    return found;
  }"""

IN_TRY = """  String read(File file) {
    try {
      return new String(of(new FileInputStream(file),
                           "a text that is so long that nobody would want to have it on a line with others"));
    } catch (IOException e) {
      return "";
    }
  }"""

FURTHER_IN = """  String read(File file) throws IOException {
    return new String(of(new FileInputStream(file),
        "a text that is so long that nobody would want to have it on a line with others, as it is"));
  }"""


def test_arguments_move_with_the_parenthesis_that_they_stand_below() -> None:
    [text] = safe(DECLARED + HELPERS)
    assert text.startswith("""  String split(File file) throws IOException {
    String found;
    try (FileInputStream in = new FileInputStream(file)) {
      found = new String(of(in,
                            "a text that is so long that nobody would want to have it on a line with others, as")).replace("it",
                                                                                                                           "is");
    }
""")


def test_they_stay_where_the_parenthesis_stays() -> None:
    [text] = safe(IN_TRY + HELPERS)
    assert """(FileInputStream in = new FileInputStream(file)) {
      return new String(of(in,
                           "a text""" in text


def test_those_that_stand_further_in_keep_that() -> None:
    [text] = safe(FURTHER_IN + HELPERS)
    assert """      return new String(of(in,
          "a text""" in text


TABBED = """\tString read(File file) throws IOException {
\t\tString found = of(new FileInputStream(file),
\t\t                  "a text that is so long that nobody would want to have it on a line with others, as it is");
\t\treturn found;
\t}
\tString of(InputStream in, String name) throws IOException {
\t\treturn name + in.read();
\t}"""

HANGING = """  String read(File file) throws IOException {
    String found = of(new FileInputStream(file),
                      new Object() {
                        public String toString() {
                          return "a text that is so long that nobody would want it on a line with others";
                        }
                      } + (1 + "a text" +
                           2));
    return found;
  }"""


def test_blanks_behind_tabs_are_counted() -> None:
    [text] = safe(TABBED)
    assert '\t\t\tfound = of(in,\n\t\t\t           "a text' in text


def test_what_hangs_on_such_lines_moves_with_them() -> None:
    [text] = safe(HANGING + HELPERS)
    assert """      found = of(in,
                 new Object() {
                   public String toString() {
                     return "a text that is so long that nobody would want it on a line with others";
                   }
                 } + (1 + "a text" +
                      2));
""" in text
