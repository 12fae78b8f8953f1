"""What had lines of its own for lack of room, beside a short name; and what a block of either form leaves open in its midst."""

from __future__ import annotations

from tests.unit.fixers.members import safe

CRAMPED = """  void copyAll(Store store) throws IOException {
    store.copyToTheFolderThatIsCalled(PARENT_OF_THEM_ALL + "first/of/all/First.java",
        read(Case.class.getResourceAsStream("all/of/those/resources/of/the/first/folder/first/of/all/First.java"),
            "utf-8"));
  }

  static String read(InputStream in, String charset) throws IOException {
    return in.read() + charset;
  }"""


def test_arguments_join_a_short_name_where_they_lacked_room() -> None:
    [text] = safe(CRAMPED)
    assert """First.java")) {
      store.copyToTheFolderThatIsCalled(PARENT_OF_THEM_ALL + "first/of/all/First.java",
          read(in, "utf-8"));
    }
""" in text


def test_arguments_that_had_room_stay_where_they_are() -> None:
    [text] = safe(CRAMPED.replace("/of/those/resources/of/the/first/folder/first", ""))
    assert """          read(in,
              "utf-8"));
""" in text


MADE = """  void print(java.sql.Driver driver, Properties given) throws java.sql.SQLException {
    if (given != null) {
      java.sql.Connection connection = driver.connect("jdbc:", given);
      StringBuilder words = new StringBuilder("select");
      words.append(given);
      java.sql.PreparedStatement statement = connection.prepareStatement(words.toString());
      System.out.println(statement.getMaxRows());
      statement.close();
      connection.close();
    }
  }"""


def test_no_block_of_either_form_leaves_the_plain_close_of_what_it_makes() -> None:
    assert not any("finally" in text for text in safe(MADE))
