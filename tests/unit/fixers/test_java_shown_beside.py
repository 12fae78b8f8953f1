"""What the code beside a patch shows makes somebody look at it first; what is opened and not used is closed in the plainest form."""

from __future__ import annotations

from fixers import Applicability, Fix
from tests.unit.fixers.members import HEAD, safe
from tests.unit.fixers.patching import answers, mended


def _doubts(body: str, path: str = "Case.java") -> list[str]:
    """What is assumed of the fixes of some members of a class."""
    found = [each for each in answers(path, (HEAD + body + "\n}\n").encode()) if isinstance(each, Fix) and each.applicability is not Applicability.SAFE]
    return [check.reason for each in found for check in each.proof if check.name == "finding is gone"]


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


def test_a_pool_is_open_to_the_end_where_two_declarations_would_be_split() -> None:
    body = """  static List<String> made(ExecutorService by) {
    by.submit(() -> 1);
    return List.of();
  }
  static long written(List<String> all, ExecutorService by) {
    by.submit(() -> all);
    return all.size();
  }
  void run(int count) {
    final ExecutorService pool = Executors.newFixedThreadPool(count);
    List<String> paths = made(pool);
    System.out.println("begun");

    long begun = System.currentTimeMillis();

    long written = written(paths, pool);

    long end = System.currentTimeMillis();
    System.out.println("all");
    System.out.println("done");
    System.out.println(written + " in " + (end - begun));
  }"""
    [text] = safe(body)
    assert "    try {\n      List<String> paths = made(pool);" in text
    assert "long written;" not in text


def test_lines_of_a_resource_that_comes_out_of_a_block_stand_no_further_in() -> None:
    text = """import java.sql.*;
import javax.sql.DataSource;
class Case {
  boolean is(DataSource from, String name) throws SQLException {
    try (Connection all = from.getConnection()) {
      PreparedStatement asked =
          all.prepareStatement(
              "select password from challenge_users where userid = ? and password = ? and that is a long line "
                  + name);
      ResultSet rows = asked.executeQuery();
      return rows.next();
    }
  }
}
"""
    after = mended("Case.java", text.encode()).decode()
    assert "\n        PreparedStatement asked =\n            all.prepareStatement(\n                \"select" in after


def test_a_helper_that_says_that_it_closes_does_not_stay_in_a_block_that_closes() -> None:
    text = """package me.a;

import android.database.Cursor;

import com.b.Store;
import com.b.Stores;
import com.b.Cursors;

import java.util.HashMap;
import java.util.List;

public class Case {

    public static HashMap<String, Integer> since;

    public static void set(List<String> all) {
        Stores m = Store.getInstance();
        try {
            for (String s : all) {
                Cursor cur = m.execQuery("SELECT * FROM ? WHERE ? LIKE '%?%' LIMIT 1",
                        new String[] { "a", "b", "comments" + s });
                boolean contains = cur != null && cur.getCount() > 0;
                Cursors.closeCursorQuietly(cur);

                if (contains) {
                    since.put(s, Integer.valueOf(m.get("comments" + s)));
                }
            }
        } catch (Exception ignored) {

        }
    }
}
"""
    assert "try (Cursor" not in mended("Case.java", text.encode()).decode()


def test_a_handler_does_not_close_the_last_of_two_fields_alone() -> None:
    text = """import java.io.*;
import java.nio.channels.*;
import java.util.*;
class Case {
  private final ServerSocketChannel one;
  private final Selector other;
  private final String name;
  Case(int port, List<String> all) throws IOException {
    one = ServerSocketChannel.open();
    one.configureBlocking(false);
    one.socket().bind(new java.net.InetSocketAddress(port), 10);
    other = Selector.open();
    name = text(port);
    System.out.println(name);
  }
  static String text(int port) throws IOException {
    if (port == 0) throw new IOException("no");
    return "a";
  }
  public void close() throws IOException {
    try {
      one.close();
    } finally {
      other.close();
    }
  }
}
"""
    assert "catch (Throwable" not in mended("Case.java", text.encode()).decode()


def test_rows_that_are_only_feared_to_be_open_may_be_a_double() -> None:
    text = """import java.sql.*;
import %s;
class CaseTest {
  void shows(PreparedStatement asked) throws SQLException {
    asked.setInt(1, 10);
    ResultSet rows = asked.executeQuery("select 1 limit ?");
    System.out.println(rows);
    rows.next();
  }
}
"""
    assert "try (" not in mended("CaseTest.java", (text % "org.mockito.Mockito").encode()).decode()
    assert "try (" in mended("CaseTest.java", (text % "org.acme.Acme").encode()).decode()


def test_a_test_declares_what_closing_throws_though_others_have_its_name() -> None:
    text = """import static org.junit.Assert.assertNotNull;
import java.io.InputStream;
import org.junit.Test;
class CaseTest {
  @Test
  public void getResourceAsStream() {
    assertNotNull(CaseTest.class.getResourceAsStream("/a"));
  }
}
"""
    after = mended("src/test/java/CaseTest.java", text.encode()).decode()
    assert "getResourceAsStream() throws IOException {\n    try (InputStream in = CaseTest.class.getResourceAsStream(" in after


def test_what_the_code_takes_to_be_closed_already_is_looked_at_first() -> None:
    text = """import java.io.*;
class Case {
  int read(Parser by, String path) throws IOException {
    try {
      Source from = new Source(open(path));
      System.out.println(path);
      return by.parse(from);%s
    } catch (IllegalStateException e) {
      return 0;
    }
  }
  static Reader open(String path) throws IOException {
    return new FileReader(path);
  }
  static class Source {
    final Reader in;
    Source(Reader in) {
      this.in = in;
    }
  }
  static class Parser {
    int parse(Source from) throws IOException {
      return from.in.read();
    }
  }
}
"""
    assert "try (" in mended("Case.java", (text % "").encode()).decode()
    assert "try (" not in mended("Case.java", (text % "// already closed resource in parse").encode()).decode()


def test_what_a_test_asserts_to_be_there_is_not_asked_for() -> None:
    text = """// release: 6
import java.io.*;
import org.acme.Message;
class CaseTest extends junit.framework.TestCase {
  public void testIt(Message from) throws Exception {
    OutputStream out = from.getContent(OutputStream.class);
    assertTrue("it is there", %s);
    out.write(3);
    out.close();
  }
}
"""
    assert "if (out != null)" not in mended("CaseTest.java", (text % "out != null").encode()).decode()


def test_readers_of_sequences_stand_in_headers() -> None:
    text = """// release: 8
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.*;
import org.apache.hadoop.io.*;
class Case {
  void read(FileSystem in, Path at, Configuration by) throws IOException {
    SequenceFile.Reader reader = new SequenceFile.Reader(in, at, by);
    IntWritable key = new IntWritable();
    if (reader.next(key)) {
      System.out.println(key);
    }
    reader.close();
  }
}
"""
    assert "try (SequenceFile.Reader reader = new SequenceFile.Reader(in, at, by)) {" in mended("Case.java", text.encode()).decode()


def test_what_a_helper_closes_and_tells_the_failure_of_is_not_closed_again() -> None:
    text = """import java.io.*;
import java.nio.file.*;
import org.apache.commons.io.IOUtils;
import org.apache.commons.io.function.IOSupplier;
class Case implements Closeable {
  private final Reader in;
  static Case parse(final Path path) throws IOException {
    return parse(() -> Files.newInputStream(path), "a");
  }
  static Case parse(final InputStream in, final String format) throws IOException {
    return parse(new InputStreamReader(in), format);
  }
  static Case parse(final Reader in, final String format) throws IOException {
    return new Case(in);
  }
  private static Case parse(final IOSupplier<InputStream> by, final String format) throws IOException {
    final InputStream in = by.get();
    try {
      return parse(in, format);
    } catch (final IOException | RuntimeException e) {
      // nobody gets it
      %s.closeQuietlySuppress(in, e);
      throw e;
    }
  }
  Case(Reader in) throws IOException {
    this.in = in;
    in.read();
  }
  public void close() throws IOException {
    in.close();
  }
}
"""
    for helper in ("IOUtils", "org.acme.Closing"):
        assert "in, e);\n      in.close();" not in mended("Case.java", (text % helper).encode()).decode()


def test_a_handler_may_name_what_a_header_names() -> None:
    text = """import java.io.IOException;
import java.nio.file.*;
class Case {
  long count(Path one, Path other) throws IOException {
    long found;
    try {
      found = Files.list(one).count();
    } catch (IOException e) {
      found = Files.list(other).count();
    }
    return found;
  }
}
"""
    after = mended("Case.java", text.encode()).decode()
    assert after.count("try (Stream<Path> stream = ") == 2


def test_what_only_waiting_for_a_key_could_lose_gets_no_block() -> None:
    text = """// release: 6
import java.sql.*;
class Case {
  public static void main(String[] given) throws Exception {
    Connection all = DriverManager.getConnection("a");
    System.out.println("press a key");
    %s;
    all.close();
    System.out.println("bye");
  }
}
"""
    found = [each for each in answers("Case.java", (text % "System.in.read()").encode()) if isinstance(each, Fix)]
    assert ["only waiting for a key could lose it, which hardly fails" in [check.reason for check in each.proof] for each in found] == [True]
    [other] = [each for each in answers("Case.java", (text % "Thread.sleep(5)").encode()) if isinstance(each, Fix)]
    assert "only waiting for a key could lose it, which hardly fails" not in [check.reason for check in other.proof]


def test_a_comment_that_opens_it_in_another_way_keeps_its_place_above_the_opening() -> None:
    text = """// release: 8
import java.io.*;
import java.util.Properties;
class Case {
  void load(Properties all, String name) {
    try {
      // %s
      all.load(new FileInputStream(name));
    } catch (IOException e) {
      System.out.println(name);
    }
  }
}
"""
    code = text % "all.load(ClassLoader.getSystemResourceAsStream(name));"
    assert "load(ClassLoader.getSystemResourceAsStream(name));\n      try (FileInputStream in" in mended("Case.java", code.encode()).decode()
    words = text % "all that stands there"
    assert "    try (FileInputStream in = new FileInputStream(name)) {\n      // all that" in mended("Case.java", words.encode()).decode()


LED_BACK = """// release: 8
import java.sql.*;
import javax.sql.DataSource;
class Case {
  private DataSource source;
  void delete(String sql) throws SQLException {
    Statement stmt = null;
    try {
      stmt = source.getConnection().createStatement();
      stmt.executeUpdate(sql);
    } finally {
      closeQuietly(stmt);
    }
  }
  private void closeQuietly(Statement stmt) throws SQLException {
    if (stmt != null) {
      %s
      stmt.close();
      con.close();
    }
  }
}
"""


def test_a_connection_that_its_statement_leads_back_to_has_somebody_look() -> None:
    [answer] = [each for each in answers("Case.java", (LED_BACK % "Connection con = stmt.getConnection();").encode()) if isinstance(each, Fix)]
    assert "it is closed by what asks `stmt` for it" in [check.reason for check in answer.proof]
    found = [each for each in answers("Case.java", (LED_BACK % "Connection con = source.getConnection();").encode()) if isinstance(each, Fix)]
    assert all("it is closed by what asks" not in check.reason for each in found for check in each.proof)
