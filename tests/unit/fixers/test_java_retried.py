"""A resource that is opened anew in a handler, or in a further turn: the code closes the last one itself, and the patch those before."""

from __future__ import annotations

from tests.unit.fixers.members import safe


def test_what_another_takes_the_place_of_is_closed_in_the_handler() -> None:
    [text] = safe(
        "  void run(String host) throws IOException {\n    Socket to = null;\n    try {\n      to = new Socket(host, 1);\n"
        "      to.getOutputStream().write(1);\n    } catch (IOException e) {\n      to = new Socket(host, 2);\n    }\n    to.close();\n  }"
    )
    assert "finally" not in text
    assert (
        "    } catch (IOException e) {\n      if (to != null) {\n        try {\n          to.close();\n        } catch (IOException ex) {\n"
        "          // nothing more can be done about it\n        }\n      }\n      to = new Socket(host, 2);\n    }\n    to.close();\n"
    ) in text


def test_what_closing_throws_does_not_end_the_turns() -> None:
    [text] = safe(
        "  void run(String host) throws IOException {\n    Socket to = null;\n    while (to == null) {\n      try {\n        to = new Socket(host, 1);\n"
        "        to.setSoTimeout(9);\n      } catch (IOException e) {\n        to = null;\n      }\n    }\n    to.close();\n  }"
    )
    assert "finally" not in text
    assert "        if (to != null) {\n          try {\n            to.close();\n          } catch (IOException ex) {\n" in text
    assert text.count("to.close();") == 2
