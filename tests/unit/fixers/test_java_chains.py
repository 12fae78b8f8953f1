"""Chains of calls, names and types for what a patch gives a name: as whoever wrote the file would have it."""

from __future__ import annotations

from fixers import Fix
from fixers.edits import apply
from tests.unit.fixers.members import safe
from tests.unit.fixers.patching import answers

STREAMS = "import java.nio.file.*;\nimport java.util.*;\nimport java.util.stream.*;\nclass Case {\n"


def test_the_calls_of_a_chain_stay_below_the_dot() -> None:
    body = """  static void exists(Path file) throws java.io.IOException {
    String listed = Files.list(file.getParent())
                         .map(path -> path.toString())
                         .collect(Collectors.joining(", "));
    System.out.println(listed);
    System.out.println(file);
    if (listed.isEmpty()) System.out.println();
    if (listed.length() > 9) System.out.println(listed.length());
    System.out.println(listed);
  }
}
"""
    [patched] = _patched(STREAMS + body)
    assert (
        "    String listed;\n    try (Stream<Path> stream = Files.list(file.getParent())) {\n"
        "      listed = stream.map(path -> path.toString())\n                     .collect(Collectors.joining(\", \"));\n    }\n"
    ) in patched


def test_a_long_chain_keeps_its_lines_and_a_reference_to_a_method_takes_no_name() -> None:
    body = """  static List<Object> told(Path log) throws java.io.IOException {
    return Files.lines(log)
                .map(each -> Optional.of((Object) each))
                .flatMap(Optional::stream)
                .collect(Collectors.toList());
  }
}
"""
    [patched] = _patched(STREAMS + body)
    assert (
        "      return stream.map(each -> Optional.of((Object) each))\n                   .flatMap(Optional::stream)\n"
        "                   .collect(Collectors.toList());\n"
    ) in patched


def test_both_branches_may_use_one_name() -> None:
    body = """  int one(String name, boolean first) throws IOException {
    if (first) {
      return new FileInputStream(name).read();
    } else {
      return new FileInputStream(name + "2").read();
    }
  }"""
    assert {each.count("FileInputStream in = ") for each in safe(body)} == {2}


def test_what_a_method_of_the_file_gives_is_written_as_it_says() -> None:
    body = """  private Scanner open(String name) throws IOException {
    return new Scanner(new File(name));
  }
  int one(String name) throws IOException {
    return open(name).nextInt();
  }"""
    assert any("try (Scanner scanner = open(name)) {" in each for each in safe(body))


def test_the_blank_line_above_a_statement_that_needs_a_block_stays() -> None:
    body = """  void keep(Properties all, String name) throws IOException {
    all.clear();

    all.load(
        new FileInputStream(name));
    all.list(System.out);
  }"""
    [patched] = safe(body)
    assert "    all.clear();\n\n    try (FileInputStream in = new FileInputStream(name)) {\n      all.load(in);\n    }\n" in patched


def _patched(source: str) -> list[str]:
    data = source.encode()
    return [apply(data, each.edits).decode() for each in answers("Case.java", data) if isinstance(each, Fix)]


def test_what_a_test_wants_to_be_missing_is_not_opened_in_a_header() -> None:
    source = (
        "import java.io.*;\nimport java.sql.*;\nimport static org.assertj.core.api.Assertions.assertThat;\nclass CaseTest {\n"
        "  @org.junit.Test\n  public void gone() throws Exception {\n"
        '    assertThat(getClass().getResourceAsStream("gone")).isNull();\n  }\n}\n'
    )
    assert _patched(source) == []


def test_nobody_wants_two_hundred_lines_moved_in_for_a_handler() -> None:
    many = "".join(f"    statement.setString({n}, name + {n});\n" for n in range(1, 130))
    body = f"""  java.sql.PreparedStatement make(java.sql.Connection db, String name) throws java.sql.SQLException {{
    java.sql.PreparedStatement statement = db.prepareStatement("insert into a values (?)");
{many}    return statement;
  }}"""
    assert safe(body) == []


def test_a_value_that_is_short_then_stands_behind_its_sign() -> None:
    body = """  String first(String name) throws IOException {
    String first =
        new BufferedReader(new InputStreamReader(
            new FileInputStream(name))).readLine();
    System.out.println(name);
    System.out.println(name);
    System.out.println(name);
    System.out.println(name);
    return first;
  }"""
    assert safe(body)
    assert all("      first = reader.readLine();\n" in each for each in safe(body))


def test_what_a_builder_gives_in_the_end_stands_in_the_header() -> None:
    source = """import com.opencsv.CSVReader;
import com.opencsv.CSVReaderBuilder;
import java.io.*;
import java.util.List;
class Case {
  static List<String[]> rows(File f) throws Exception {
    CSVReader rows = new CSVReaderBuilder(new FileReader(f)).withSkipLines(1).build();
    return rows.readAll();
  }
}
"""
    [patched] = _patched(source)
    assert "    try (CSVReader rows = new CSVReaderBuilder(new FileReader(f)).withSkipLines(1).build()) {\n" in patched
