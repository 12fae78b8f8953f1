"""What comes above what opens a resource: constants, and nothing that is only written like one."""

from __future__ import annotations

from tests.unit.fixers.members import safe

LIFTED = """  int count(String path) throws IOException {
    InputStream in = opened(path);
    int found = Settings.FOUND;
    while (in.read() >= 0) {
      found++;
    }
    in.close();
    if (found < 0) {
      throw new IOException(path);
    }
    System.out.println(path);
    System.out.println(path.length());
    System.out.println(path.isEmpty());
    return found;
  }

  InputStream opened(String path) throws IOException {
    Settings.reset();
    return new FileInputStream(path);
  }

  static class Settings {
    static final int FOUND = 0;

    static void reset() {
    }
  }"""


def test_a_constant_of_another_class_comes_above_what_opens() -> None:
    assert any("    int found = Settings.FOUND;\n    try (" in text for text in safe(LIFTED))


def test_a_field_that_an_opening_may_set_stays_where_it_is() -> None:
    for text in safe(LIFTED.replace("static final int", "static int").replace("reset() {\n", "reset() {\n      FOUND = 3;\n")):
        assert "Settings.FOUND;\n    try (" not in text


def test_a_field_of_a_class_that_nobody_knows_stays_where_it_is() -> None:
    for text in safe(LIFTED.replace("Settings.FOUND", "Others.FOUND")):
        assert "Others.FOUND;\n    try (" not in text


def test_a_constant_of_the_language_comes_above_what_opens() -> None:
    assert any("    int found = Integer.MIN_VALUE;\n    try (" in text for text in safe(LIFTED.replace("Settings.FOUND", "Integer.MIN_VALUE")))


def test_a_local_that_is_written_like_a_constant_is_none() -> None:
    body = LIFTED.replace("int found = Settings.FOUND;", "int N = in.read();\n    int found = N;")
    for text in safe(body):
        assert "int found = N;\n    try (" not in text
