"""One header for two resources that plain values part, and the columns of what goes into one."""

from __future__ import annotations

from tests.unit.fixers.members import safe

APART = """  void copy(String from, String to) throws IOException {
    InputStream in = new FileInputStream(from);
    String name = from.substring(from.lastIndexOf("/") + 1);

    File file = new File(to + System.getProperty("file.separator") + name);
    OutputStream out = new FileOutputStream(file);
    int next;
    while ((next = in.read()) >= 0) {
      out.write(next);
    }
    out.close();
    in.close();
  }"""


def test_plain_values_between_two_openings_come_above_the_header_of_both() -> None:
    for text in (found := safe(APART)):
        assert text.startswith("""  void copy(String from, String to) throws IOException {
    String name = from.substring(from.lastIndexOf("/") + 1);
    File file = new File(to + System.getProperty("file.separator") + name);
    try (InputStream in = new FileInputStream(from);
        OutputStream out = new FileOutputStream(file)) {
      int next;
      while ((next = in.read()) >= 0) {
        out.write(next);
      }
    }
  }
""")
    assert found


def test_a_value_that_may_be_none_stays_between() -> None:
    for given in ('from.substring(4)', 'from.substring(to.lastIndexOf("/") + 1)', 'from.substring(from.lastIndexOf("//") + 1)', "next()"):
        body = APART.replace('from.substring(from.lastIndexOf("/") + 1)', given) + "\n\n  String next() {\n    return toString();\n  }"
        for text in safe(body):
            assert f"String name = {given};" not in text.partition("try (")[0]


def test_a_value_of_what_changes_stays_between() -> None:
    for text in safe(APART.replace("InputStream in = new FileInputStream(from);", "InputStream in = new FileInputStream(from);\n    from = to;")):
        assert "lastIndexOf" not in text.partition("try (")[0]
    for text in safe(APART.replace("    int next;", "    from = to;\n    int next;")):
        assert "lastIndexOf" not in text.partition("try (")[0]


def test_what_is_read_between_stays_between() -> None:
    for text in safe(APART.replace('from.substring(from.lastIndexOf("/") + 1)', "String.valueOf(in.read())")):
        assert "String.valueOf" not in text.partition("try (")[0]


def test_a_property_that_an_opening_may_set_stays_between() -> None:
    body = APART.replace("new FileInputStream(from)", "opened(from)").replace('"file.separator"', '"where"')
    body += """

  InputStream opened(String from) throws IOException {
    System.setProperty("where", from);
    return new FileInputStream(from);
  }"""
    for text in (found := safe(body)):
        assert 'getProperty("where")' not in text.partition("try (")[0]
    assert found


def test_a_name_like_a_constant_moves_only_where_it_is_final() -> None:
    for modifiers, is_moved in (("static final", True), ("static", False)):
        body = APART.replace('System.getProperty("file.separator")', "PLACE") + f"""

  private {modifiers} String PLACE = "/";"""
        for text in (found := safe(body)):
            assert ("PLACE" in text.partition("try (")[0]) == is_moved
        assert found


def test_a_comment_on_a_value_between_keeps_it_there() -> None:
    for text in safe(APART.replace("\n    File file", "    // Below the other.\n    File file")):
        assert "// Below the other." not in text.partition("try (")[0]


LONG = """  void audit(Object all) throws Exception {
    Writer auditWriter = new BufferedWriter(new OutputStreamWriter(new FileOutputStream("entity_version_audit_of_all_there_are.txt"), "utf-8"));
    Writer sumWriter = new BufferedWriter(new OutputStreamWriter(new FileOutputStream("entity_version_sum_of_all_there_are_today.txt"), "utf-8"));

    auditWriter.write("collection,uuid,version,timestamp,otherTimestamp,indexDelayMillis,existsAtAllPerhaps,andSomeMoreOfThese\\n");
    sumWriter.write(String.valueOf(all) + "collection,uuid,version,timestamp,otherTimestamp,indexDelayMillis,existsAtAllPerhaps");

    auditWriter.close();
    sumWriter.close();
  }"""


def test_several_resources_stay_as_long_as_they_were() -> None:
    for text in (found := safe(LONG)):
        assert "    try (Writer auditWriter = new BufferedWriter(" in text and "\n        Writer sumWriter = new BufferedWriter(" in text
    assert found


ALIGNED = """  Object icon(Class<?> from) throws Exception {
    Object found = javax.imageio.ImageIO
        .read(new FileInputStream(new File(from.getResource(
                                                            "/res/the_icon_of_some_window_of_all.png").getPath())));
    return found;
  }"""


def test_what_stood_behind_a_parenthesis_stands_two_steps_in_where_it_would_be_too_long() -> None:
    [text] = safe(ALIGNED)
    assert """    try (FileInputStream in = new FileInputStream(new File(from.getResource(
        "/res/the_icon_of_some_window_of_all.png").getPath()))) {
""" in text


def test_what_stood_behind_a_parenthesis_stands_behind_it_again() -> None:
    body = """  void fill(byte[] to) throws IOException {
    InputStream in = new FileInputStream(new File(System.getProperty("user.home") + "/some/folder/of/it",
                                                  "the-name-of-a-file-in-there-which-is-long"));
    in.read(to);
    in.close();
  }"""
    [text] = safe(body)
    assert """    try (InputStream in = new FileInputStream(new File(System.getProperty("user.home") + "/some/folder/of/it",
                                                       "the-name-of-a-file-in-there-which-is-long"))) {
""" in text
