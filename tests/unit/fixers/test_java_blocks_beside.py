"""Blocks of patches of Java that hold nothing, stand right inside of others, or end in the midst of something."""

from __future__ import annotations

from fixers import Applicability, Fix
from tests.unit.fixers.members import offered, safe
from tests.unit.fixers.patching import answers, mended


def test_what_is_opened_and_not_used_is_closed_right_behind() -> None:
    body = """  void look(URL place) {
    try {
      InputStream in = place.openStream();
    } catch (FileNotFoundException e) {
      System.out.println(1);
    } catch (IOException e) {
      System.out.println(2);
    }
  }"""
    assert ["      InputStream in = place.openStream();\n      in.close();\n" in each for each in safe(body)] == [True]


def test_a_close_stays_where_the_block_would_be_empty_without_it() -> None:
    body = """  void look(int port) throws IOException {
    ServerSocket there = new ServerSocket(port);
    Socket to = new Socket("localhost", port);
    to.close();
    there.close();
  }"""
    [after] = safe(body)
    assert "try (ServerSocket there = new ServerSocket(port)) {\n      Socket to = new Socket(\"localhost\", port);\n      to.close();\n    }" in after


def test_a_block_that_holds_nothing_is_looked_at_first() -> None:
    body = """  void look(String path) throws IOException {
    BufferedInputStream in = null;
    try {
      in = new BufferedInputStream(new FileInputStream(path), path.length());
    } finally {
      in.close();
    }
  }"""
    assert safe(body) == []


def test_a_try_right_inside_of_that_of_a_method_that_closes_fields_is_looked_at_first() -> None:
    text = """import java.io.*;
class Case implements Closeable {
  private final FileInputStream one;
  private final FileInputStream other;
  Case(String path) throws IOException {
    one = new FileInputStream(path);
    other = new FileInputStream(path);
  }
  public void close() throws IOException {
    try {
      one.close();
      other.close();
    } catch (IOException e) {
      throw new IOException(e.getMessage());
    }
  }
}
"""
    found = [each for each in answers("Case.java", text.encode()) if isinstance(each, Fix) and "finally" in "".join(edit.text for edit in each.edits)]
    assert found
    assert all(each.applicability is not Applicability.SAFE for each in found)


def test_a_header_right_inside_of_one_that_is_there_is_looked_at_first() -> None:
    text = """import java.sql.*;
class Case {
  void run(javax.sql.DataSource from) throws SQLException {
    try (Connection all = from.getConnection()) {
      int n = 1;
      all.createStatement().execute("q" + n);
      %s
    }
  }
}
"""
    assert "try (Statement" not in mended("Case.java", (text % "").encode()).decode()
    assert "try (Statement" in mended("Case.java", (text % "System.out.println(n);").encode()).decode()


def test_two_finallies_in_one_another_are_looked_at_first_however_they_are_written() -> None:
    body = """  void run(Runnable first, Runnable other) {
    ExecutorService one = Executors.newFixedThreadPool(2);
    ExecutorService two = Executors.newFixedThreadPool(2);
    one.submit(first);
    two.submit(other);
  }"""
    assert all(each.count("finally") < 2 for each in safe(body))


def test_a_header_could_be_that_of_a_try_whose_handlers_throw() -> None:
    text = """// release: 8
import java.io.*;
class Case {
  void read(String path) throws Exception {
    BufferedReader in = new BufferedReader(new FileReader(path));
    String line;
    try {
      while ((line = in.readLine()) != null) {
        System.out.println(line);
      }
    } catch (IllegalStateException e) {
      System.out.println(path);
      %s
    }
  }
}
"""
    assert "throw e;\n    } finally {\n      in.close();\n    }\n" in mended("Case.java", (text % "throw e;").encode()).decode()
    assert "try (BufferedReader in" in mended("Case.java", (text % "line = null;").encode()).decode()


def test_openings_of_one_variable_are_not_closed_in_two_ways() -> None:
    text = """import java.sql.*;
import java.util.List;
class Case {
  void add(Connection to, List<String> names, int id) throws Exception {
    PreparedStatement asked = null;
    try {
      asked = to.prepareStatement("insert into a values (?)");
      asked.setInt(1, id);
      asked.executeUpdate();
      boolean first = true;
      for (String each : names) {
        asked = to.prepareStatement("insert into b values (?)");
        asked.setString(1, each);
        asked.executeUpdate();
        if (first) {
          first = false;
          asked = to.prepareStatement("insert into c values (?)");
          asked.setString(1, each);
          asked.executeUpdate();
        }
      }
    } finally {
      if (asked != null) {
        asked.close();
      }
    }
  }
}
"""
    after = mended("Case.java", text.encode()).decode()
    assert after.count("finally") == 1 or "\n        asked.close();\n        asked = to" not in after


def test_a_block_does_not_end_in_the_midst_of_what_is_done_with_another() -> None:
    text = """import java.sql.*;
import java.util.List;
class Case {
  void name(Connection to, Base base, String name, int id) throws SQLException {
    PreparedStatement asked = to.prepareStatement("update a set name = ? where id = ?");
    try {
      List<Object> known;
      System.out.println(name);
      Connection own = DriverManager.getConnection("a");
      known = base.ask(own, name);
      System.out.println(known);
      if (!known.isEmpty()) {
        asked.setString(1, name + id);
      }
      asked.setInt(2, id);
      asked.executeUpdate();
    } finally {
      asked.close();
    }
  }
  static class Base {
    List<Object> ask(Connection by, String name) throws SQLException {
      try (Statement s = by.createStatement(); ResultSet r = s.executeQuery(name)) {
        return List.of(r.next());
      }
    }
  }
}
"""
    assert "        }\n      }\n      asked.setInt" not in mended("Case.java", text.encode()).decode()


def test_a_header_could_be_that_of_a_try_that_has_no_handlers() -> None:
    text = """// release: 8
import java.io.*;
class Case {
  String read(String path) throws IOException {
    InputStream in = new FileInputStream(path);
    StringWriter out = null;
    String text = null;
    try {
      out = new StringWriter();
      out.write(in.read());
      text = out.toString();
    } finally {
      if (out != null) out.close();
    }
    return text.trim();
  }
}
"""
    assert "try (InputStream in = new FileInputStream(path)) {\n      StringWriter" not in mended("Case.java", text.encode()).decode()


def test_a_finally_for_what_is_opened_on_a_condition_is_not_put_into_a_new_header() -> None:
    body = """  void copy(File from, String log) throws IOException {
    FileInputStream in = new FileInputStream(from);
    FileOutputStream notes = null;
    if (log != null) {
      notes = new FileOutputStream(log);
    }
    int first = in.read();
    if (notes != null) {
      notes.write(first);
    }
  }"""
    assert any("} finally {\n        if (notes != null)" in each for each in offered(body))
    assert not any("try (" in each and "finally" in each for each in safe(body))
