"""What a reviewer would have asked to change in patches that do what they should: where a plainer form is at hand, they are less than safe;
and what goes whole."""

from __future__ import annotations

from tests.unit.fixers.members import offered, safe

DECLARED_FIRST = """  Object load(File file) throws Exception {
    BufferedInputStream bytes;
    ObjectInputStream in;
    bytes = new BufferedInputStream(new FileInputStream(file));
    in = new ObjectInputStream(bytes);
    Object found = in.readObject();
    in.close();
    return found;
  }"""

IN_A_HEADER = """  int first(String[] names) throws Exception {
    InputStream found = null;
    for (String each : names) {
      found = Case.class.getResourceAsStream(each);
      if (found != null) {
        break;
      }
    }
    if (found == null) {
      throw new IllegalArgumentException("none");
    }
    String at = Case.class.getProtectionDomain().getCodeSource().getLocation().toURI().getPath();
    try (InputStream in = found) {
      return in.read() + at.length();
    }
  }"""

UNREAD = """  private final List<String> names = new ArrayList<>(); // What was seen.
  private int count;
  void take(Iterator<String> all) {
    while (all.hasNext()) {
      String name = all.next();
      names.add(name);
      count += name.length();
    }
  }
  int count() {
    return count;
  }"""


def test_no_finally_begins_before_what_it_closes_is_opened() -> None:
    assert safe(DECLARED_FIRST) == []
    [text] = safe(DECLARED_FIRST.replace("    in.close();\n", ""))
    assert "try (BufferedInputStream bytes = " in text


def test_no_finally_closes_what_a_header_inside_of_its_block_closes() -> None:
    assert safe(IN_A_HEADER) == []
    assert all("finally" in each for each in offered(IN_A_HEADER))


def test_a_comment_behind_a_field_goes_with_it() -> None:
    [text] = safe(UNREAD)
    assert "names" not in text and "What was seen" not in text and "count += name.length();" in text
