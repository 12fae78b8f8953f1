"""Patches that no reader would ask to write otherwise: nothing is closed twice, nothing stands where it need not."""

from __future__ import annotations

from tests.unit.fixers.members import offered, safe

_BATCH = (
    "  void run(String text) throws java.sql.SQLException {\n    java.sql.Connection held = java.sql.DriverManager.getConnection(\"jdbc:none:\");\n"
    "    java.sql.Statement work = null;\n    try {\n      work = held.createStatement();\n      work.addBatch(text);\n    } finally {\n"
    "      work.executeBatch();\n      end(work, held);\n    }\n  }"
)
_END = (
    "  static void end(java.sql.Statement work, java.sql.Connection held) {\n    try {\n      if (work != null) {\n        work.close();\n      }\n"
    "    } catch (java.sql.SQLException e) {\n      // nothing to do\n    }\n    try {\n      held.close();\n    } catch (java.sql.SQLException e) {\n      // nothing to do\n    }\n  }\n"
)
_END_ALL = (
    "  static void end(AutoCloseable... all) {\n    for (AutoCloseable each : all) {\n      try {\n        if (each != null) {\n          each.close();\n        }\n"
    "      } catch (Exception e) {\n        // nothing to do\n      }\n    }\n  }\n"
)


def test_a_finally_that_closes_two_in_one_call_gets_a_try_and_no_header_around() -> None:
    [text] = safe(_END + _BATCH)
    assert "    } finally {\n      try {\n        work.executeBatch();\n      } finally {\n        end(work, held);\n      }\n    }\n" in text
    assert "try (" not in text


def test_so_it_does_where_the_call_takes_any_number_of_them() -> None:
    [text] = safe(_END_ALL + _BATCH)
    assert "        work.executeBatch();\n      } finally {\n        end(work, held);\n      }\n" in text
    assert "try (" not in text


def test_the_close_at_the_end_of_a_block_goes_in_initialisers_too() -> None:
    [text] = safe(
        "  static int count;\n  static {\n    try {\n      count = 1;\n      FileReader in = new FileReader(\"a\");\n      count = in.read();\n"
        "      in.close();\n      System.out.println();\n    } catch (IOException e) {\n      System.out.println(e);\n    }\n  }"
    )
    assert "      try (FileReader in = new FileReader(\"a\")) {\n        count = in.read();\n      }\n" in text


def test_a_block_that_goes_on_behind_the_close_is_that_of_the_try_around() -> None:
    [text] = safe(
        "  private Object made;\n  Object load(String name, boolean twice) {\n    try {\n      FileInputStream in = new FileInputStream(name);\n"
        "      int size = in.available();\n      byte[] all = new byte[size];\n      in.read(all);\n      in.close();\n\n      made = new String(all);\n"
        "      if (twice)\n        made = made.toString();\n      return made;\n    } catch (IOException e) {\n      return null;\n    }\n  }"
    )
    assert "    try (FileInputStream in = new FileInputStream(name)) {\n      int size" in text
    assert text.count("try") == 1 and "in.close()" not in text


def test_a_block_that_goes_on_for_long_behind_a_reader_over_a_reader_is_less_than_safe() -> None:
    def between(lines: int) -> str:
        return (
            "  void set(Properties known, String name) throws IOException {\n    FileReader inner = new FileReader(name);\n    BufferedReader in = new BufferedReader(inner);\n"
            "    known.load(in);\n" + "".join(f'    System.setProperty("a{n}", known.getProperty("b{n}"));\n' for n in range(lines)) + "    in.close();\n    inner.close();\n  }"
        )

    assert safe(between(4))
    assert offered(between(30)) and not safe(between(30))


def test_the_one_call_of_a_chain_stands_beside_the_name_also_where_it_takes_a_lambda() -> None:
    [text] = safe(
        "  void show(java.nio.file.Path from, List<String> names) throws IOException {\n    java.nio.file.Files.list(from)\n"
        "        .forEach(each -> names.add(each.toString()));\n  }"
    )
    assert "      stream.forEach(each -> names.add(each.toString()));\n" in text


def test_what_stood_on_lines_far_in_stands_two_steps_behind_its_header() -> None:
    [text] = safe(
        "  private static final String NAME_OF_ALL_THE_SERVICES_THAT_ARE_READ_BEFORE_ANYTHING = \"services.xml\";\n"
        "  void parse(org.xml.sax.XMLReader reader) throws Exception {\n    org.xml.sax.InputSource source =\n        new org.xml.sax.InputSource(\n"
        "            new FileInputStream(\n                NAME_OF_ALL_THE_SERVICES_THAT_ARE_READ_BEFORE_ANYTHING + reader));\n    reader.parse(source);\n  }"
    )
    assert "try (FileInputStream in = new FileInputStream(\n        NAME_OF_ALL_THE_SERVICES_THAT_ARE_READ_BEFORE_ANYTHING + reader)) {" in text
