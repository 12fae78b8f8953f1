"""What a reviewer hesitates over is offered, not called safe: leaks that hardly happen, and forms that nobody writes by hand."""

from __future__ import annotations

from fixers import Applicability, Fix
from tests.unit.fixers.members import reasons, safe
from tests.unit.fixers.patching import answers


def _doubts(path: str, text: str) -> list[str]:
    """What is assumed of the fixes of a file."""
    found = [each for each in answers(path, text.encode()) if isinstance(each, Fix) and each.applicability is not Applicability.SAFE]
    return [check.reason for each in found for check in each.proof if check.name == "finding is gone"]


def _safe_in(path: str, text: str) -> int:
    return sum(isinstance(each, Fix) and each.applicability is Applicability.SAFE for each in answers(path, text.encode()))


def test_a_setter_that_hardly_fails_is_not_put_into_a_block_for_its_own_sake() -> None:
    text = """import org.apache.commons.dbcp2.BasicDataSource;
class Case {
  void open(String url) throws java.sql.SQLException {
    BasicDataSource all = new BasicDataSource();
    all.%s(url);
    try {
      all.start();
    } finally {
      all.close();
    }
  }
}
"""
    assert _doubts("Case.java", text % "setUrl") == ["only `setUrl` could lose it, which hardly fails"]
    assert "only" not in "".join(_doubts("Case.java", text % "load"))


def test_rows_are_not_closed_beside_a_statement_that_nobody_can_close() -> None:
    text = """import java.sql.*;
class Case {
  int first(String url) throws SQLException {
    try (Connection all = DriverManager.getConnection(url)) {
      ResultSet rows = %s.executeQuery("q");
      rows.next();
      return rows.getInt(1);
    }
  }
}
"""
    assert _safe_in("Case.java", text % "all.createStatement()") == 0


def test_what_a_handler_only_asserts_was_expected_to_fail() -> None:
    body = """  void open(String url) {
    try {
      java.sql.Connection all = java.sql.DriverManager.getConnection(url);
    } catch (java.sql.SQLException e) {
      %s
    }
  }"""
    assert reasons(body % 'assert e.getMessage().contains("no");') == ["the call is expected to throw"]
    assert reasons(body % 'assertTrue(e.getMessage().contains("no"));') == ["the call is expected to throw"]
    assert reasons(body % "System.out.println(e);") == []


def test_a_loop_that_looks_for_one_thing_closes_nothing_before_it() -> None:
    text = """import java.io.*;
import java.util.List;
import javax.activation.DataHandler;
class Case {
  int read(List<Part> all) throws IOException {
    InputStream in = null;
    try {
      for (Part each : all) {
        if ("content".equals(each.name())) {
          in = each.data().getInputStream();
        }
      }
      return in.read();
    } finally {
      if (in != null) {
        in.close();
      }
    }
  }
  interface Part { String name(); DataHandler data(); }
}
"""
    assert _safe_in("Case.java", text) == 0


def test_a_test_gets_no_handler_for_what_closing_throws() -> None:
    text = """import java.io.*;
import java.util.stream.Collectors;
class %s {
  private static String text() {
    InputStream in = Case.class.getResourceAsStream("a.txt");
    BufferedReader lines = new BufferedReader(new InputStreamReader(in));
    return lines.lines().collect(Collectors.joining());
  }
}
"""
    assert _safe_in("src/test/java/CaseTest.java", text % "CaseTest") == 0
    assert _safe_in("src/main/java/Case.java", text % "Case") == 1


def test_handlers_that_only_throw_again_do_not_stay_in_a_new_block() -> None:
    body = """  int read(String path) throws IOException {
    InputStream in = new FileInputStream(path);
    in.skip(2);
    try {
      return in.read();
    } catch (IOException e) {
      // nothing to add
      throw %s;
    } finally {
      in.close();
    }
  }"""
    assert safe(body % "e") == []
    assert safe(body % 'new IOException("no", e)') != []


def test_what_nobody_uses_gets_no_block_around_others() -> None:
    body = """  void run(String path) {
    InputStream in = Case.class.getResourceAsStream(path);
    System.out.println(path);
  }"""
    assert safe(body) == []


def test_what_a_factory_makes_of_it_is_not_closed_inside_of_a_header_for_the_rest() -> None:
    body = """  void write(File file, org.packs.Factory factory) throws IOException {
    FileOutputStream out = new FileOutputStream(file);
    org.packs.Pack pack = factory.create("zip", out);
    pack.put("a");
%s  }"""
    assert not any("try (FileOutputStream" in each for each in safe(body % "    pack.close();\n"))


def test_a_choice_behind_the_close_stays_outside_of_the_block() -> None:
    body = """  void read(File file, boolean is, List<String> all) throws IOException {
    BufferedReader in = new BufferedReader(new FileReader(file));
    String line = in.readLine();
    in.close();
    if (is) {
      all.add(line);
    } else {
      all.remove(line);
    }
  }"""
    [text] = safe(body)
    assert "    String line;\n    try (BufferedReader in = new BufferedReader(new FileReader(file))) {\n      line = in.readLine();\n    }\n    if (is) {\n" in text


def test_a_finally_that_does_more_than_close_gets_no_try_of_its_own() -> None:
    body = """  void run(String a, String b) throws IOException {
    InputStream in = null;
    OutputStream out = null;
    try {
      in = new FileInputStream(a);
      out = new FileOutputStream(b);
      out.write(in.read());
    } finally {
%s      in.close();
      out.close();
    }
  }"""
    more = '      if (a != null) {\n        System.out.println(a);\n      }\n      if (b != null) {\n        System.out.println(b);\n      }\n'
    assert not any("finally {\n      try {" in each for each in safe(body % more))


def test_a_close_beside_one_that_goes_is_not_left_alone() -> None:
    body = """  private InputStream last;
  void copy(java.util.jar.JarFile jar, java.util.jar.JarEntry entry, File file) throws IOException {
    InputStream from = jar.getInputStream(entry);
    OutputStream to = new FileOutputStream(file);
    %s
    to.write(from.read());
    to.close();
    from.close();
  }
  int again() throws IOException { return last.read(); }"""
    assert safe(body % "last = from;") == []
    assert safe(body % "") != []


def test_a_method_that_would_only_return_its_object_is_not_emptied() -> None:
    text = """import java.util.*;
class Case {
  static final Query ALL = new Query();
  public static void main(String[] given) throws java.io.IOException {
    java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
    String line;
    while ((line = in.readLine()) != null) {
      ALL.add(line);
    }
  }
}
class Query {
  private List<String> sorts = new ArrayList<>();
  private String name;
  public Query add(String sort) {
%s    sorts.add(sort);
    return this;
  }
  String name() { return name; }
}
"""
    found = [each.reason for each in answers("Case.java", (text % "").encode()) if not isinstance(each, Fix)]
    assert "`add` would be left, and do nothing" in found
    assert _safe_in("Case.java", text % "    name = sort;\n") == 1
    assert _safe_in("Case.java", text % "    // if (sorts.contains(sort)) return this;\n    name = sort;\n") == 0


def test_what_a_method_overrides_is_not_expected_to_throw() -> None:
    text = """import java.io.*;
class Case extends Base {
  private final InputStream in;
  private final Pump pump;
  Case(String path) throws IOException { in = new FileInputStream(path); pump = new Pump(); }
  @Override
  public void close() throws IOException {
    super.close();
    try {
      in.close();
    } finally {
      pump.shutdown();
    }
  }
}
class Pump { void shutdown() { } }
class Base implements Closeable { boolean is; public void close() throws IOException { if (is) throw new IOException(); is = true; } }
"""
    assert "whether what it overrides throws is not known" in _doubts("Case.java", text)
