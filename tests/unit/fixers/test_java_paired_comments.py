"""Comments that say where a part of the code begins and ends: both go into a block, or none."""

from __future__ import annotations

from tests.unit.fixers.members import safe

_BODY = """  void send(String path, int first) throws java.io.IOException {
    prepare(first);
    FileOutputStream out = new FileOutputStream(path);
    /* BEGIN of what is sent */
    out.write(first);
%s
  }

  static void prepare(int first) {
  }"""


def test_the_comment_that_ends_what_one_inside_begins_moves_in() -> None:
    [text] = safe(_BODY % "    /* END of what is sent */")
    assert "      /* BEGIN of what is sent */\n      out.write(first);\n      /* END of what is sent */\n    }\n  }\n" in text


def test_another_comment_stays_behind_the_block() -> None:
    [text] = safe(_BODY % "    /* end of the method */")
    assert "      out.write(first);\n    }\n    /* end of the method */\n  }\n" in text
