"""What the code beside a patch shows makes somebody look at it first; what is opened and not used is closed in the plainest form."""

from __future__ import annotations

from fixers import Applicability, Fix
from tests.unit.fixers.members import HEAD, safe
from tests.unit.fixers.patching import answers, mended


def _doubts(body: str, path: str = "Case.java") -> list[str]:
    """What is assumed of the fixes of some members of a class."""
    found = [each for each in answers(path, (HEAD + body + "\n}\n").encode()) if isinstance(each, Fix) and each.applicability is not Applicability.SAFE]
    return [check.reason for each in found for check in each.proof if check.name == "finding is gone"]


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


def test_a_comment_that_says_who_closes_it_is_believed_enough_to_look() -> None:
    body = """  int look(String path) throws IOException {
    InputStream in = new FileInputStream(path);
    int first = in.read();
    // %s
    return first;
  }"""
    assert _doubts(body % "will be closed by the parser") == ["a comment says that something else closes it"]
    assert len(safe(body % "the first byte")) == 1


def test_a_pool_is_not_only_shut_down_where_another_one_is_waited_for() -> None:
    body = """  void run(Runnable task) {
    ExecutorService pool = Executors.newFixedThreadPool(2);
    pool.submit(task);
    System.out.println(task);
  }
  void wait(ExecutorService all) throws InterruptedException {
    all.shutdown();
    %s
  }"""
    assert _doubts(body % "all.awaitTermination(1, TimeUnit.SECONDS);") == ["others here wait until a pool has ended"]
    assert safe(body % "System.out.println(all);") != []


def test_the_other_stream_of_a_connection_is_not_left_open() -> None:
    body = """  void ask(HttpURLConnection to) throws IOException {
    if (to.getErrorStream() != null) {
      System.out.println(%s);
    } else {
      System.out.println(new String(to.getInputStream().readAllBytes()));
    }
  }"""
    assert safe(body % "text(to.getErrorStream())") == []


def test_what_nobody_uses_could_have_taken_what_is_opened_once_more() -> None:
    text = """import java.sql.*;
class Case {
  int count(Connection all) throws SQLException {
    Statement asked = null;
    try {
      asked = all.createStatement();
      ResultSet rows = all.createStatement().executeQuery("q");
      %s
      return rows.getInt(1);
    } finally {
      if (asked != null) {
        asked.close();
      }
    }
  }
}
"""
    assert "try (" not in mended("Case.java", (text % "rows.next();").encode()).decode()
    assert "try (" in mended("Case.java", (text % "rows.next(); asked.executeQuery(\"p\");").encode()).decode()


def test_what_is_opened_twice_in_the_same_way_may_be_opened_once() -> None:
    body = """  void read(Properties all, String name) throws IOException {
    InputStream in = Case.class.getResourceAsStream(name);
    if (in == null) {
      System.out.println(name);
    }
    in = Case.class.getResourceAsStream(name);
    all.load(in);
    in.close();
  }"""
    assert safe(body) == []


def test_a_comment_below_that_stands_further_in_speaks_of_the_line_that_moves() -> None:
    body = """  void read(Properties all, String name) throws IOException {
    all.load(new FileInputStream(name));
    %s// name + ".properties"
    System.out.println(all);
  }"""
    assert _doubts(body % "    ") == ["a comment below it speaks of a line that moves in"]
    assert len(safe(body % "")) == 1


def test_a_mark_stays_on_its_line_above_a_brace_of_its_own() -> None:
    text = """import java.io.*;
class Case
{
  void write(String path, String text) throws IOException
  {
    if (path == null)
    {
      return;
    }
    Writer out = new OutputStreamWriter(new FileOutputStream(path), "UTF-8"); //$NON-NLS-1$
    out.write(text);
    out.close();
  }
}
"""
    after = mended("Case.java", text.encode()).decode()
    assert '"UTF-8")) //$NON-NLS-1$\n    {\n' in after


def test_braces_of_arrays_tell_nothing_of_blocks() -> None:
    text = """import java.io.*;
class Case {
  int read(String path) throws IOException {
    InputStream in = new FileInputStream(path);
    int first = in.read();
    in.close();
    String[][] all = {
      {
        "a",
      },
      {
        "b",
      },
      {
        "c",
      },
      {
        "d",
      },
    };
    if (all == null) {
      return 0;
    }
    return first;
  }
}
"""
    assert "try (InputStream in = new FileInputStream(path)) {" in mended("Case.java", text.encode()).decode()
