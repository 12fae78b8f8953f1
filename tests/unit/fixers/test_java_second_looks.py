"""What stays open beside a patch, what it closes later than the code did, and lines as long as the file wants them."""

from __future__ import annotations

from fixers import Applicability, Fix
from fixers.edits import apply
from fixers.java.header import grows_too_long, width_of
from tests.unit.fixers.members import safe
from tests.unit.fixers.patching import answers


def _reasons(text: str) -> set[str]:
    """What is assumed of the fixes of a file."""
    found = [each for each in answers("Case.java", text.encode()) if isinstance(each, Fix) and each.applicability is not Applicability.SAFE]
    return {check.reason for each in found for check in each.proof if check.verdict == "assumed"}


def _safe(text: str) -> list[str]:
    found = [each for each in answers("Case.java", text.encode()) if isinstance(each, Fix) and each.applicability is Applicability.SAFE]
    return [apply(text.encode(), each.edits).decode() for each in found]


LENT = """import java.sql.*;
import java.util.Map;
class Case {
  static int sum(Map<String, PreparedStatement> all) throws SQLException {
    PreparedStatement asked = all.remove("a");
    %s
    ResultSet rows = asked.executeQuery();
    int sum = 0;
    while (rows.next()) {
      sum += rows.getInt(1);
    }
    rows.close();
    %s
    return sum;
  }
}
"""


def test_a_statement_that_is_closed_at_the_end_alone_is_as_lost_as_its_rows() -> None:
    reason = "`asked`, which it is asked of, stays open where that throws"
    assert reason in _reasons(LENT % ("asked.setInt(1, 1);", "asked.close();"))
    assert reason not in _reasons(LENT % ("asked.setInt(1, 1);", "all.put(\"a\", asked);"))


ENDED = """import java.sql.*;
class Case {
  static int add(Connection all) throws SQLException {
    Statement one = all.createStatement();
    int first = one.executeUpdate("a"), second = one.executeUpdate("b"), third = one.executeUpdate("c");
    one.close();
    all.%s();
    int sum = first + second + third;
    return sum;
  }
}
"""


def test_what_is_closed_before_a_transaction_ends_is_not_closed_behind_it() -> None:
    reason = "the code closes it before it calls `commit`, not behind that"
    assert reason in _reasons(ENDED % "commit")
    assert not _reasons(ENDED % "clearWarnings")


HANDLED = """import java.io.*;
class Case {
  static Reader open(String name, String charset) throws FileNotFoundException {
    InputStream in = new FileInputStream(name);
    try {
      %s
    } catch (UnsupportedEncodingException e) {
      throw new IllegalStateException(e);
    }
  }
}
"""


def test_no_block_that_catches_everything_goes_around_handlers() -> None:
    assert "the `try` that it goes around has handlers, one of which could close it" in _reasons(HANDLED % "return new InputStreamReader(in, charset);")


MADE = """import java.io.*;
import java.nio.channels.FileChannel;
class Case {
  static class Movie %s{
    private final long size;
    Movie(FileChannel from) throws IOException { size = from.size(); }
    long first() { return size; }
    public void close() { }
  }
  static void show(String name) throws IOException {
    Movie movie = new Movie(new FileInputStream(name).getChannel());
    System.out.println(movie.first());
  }
}
"""


def test_what_is_made_of_it_and_can_be_closed_is_what_a_header_holds() -> None:
    [text] = _safe(MADE % "")  # That is no `AutoCloseable`, whatever its methods are called.
    assert "try (FileInputStream in = new FileInputStream(name)) {\n      movie = new Movie(in.getChannel());\n    }" in text
    for each in _safe(MADE % "implements Closeable "):
        assert "Movie movie = new Movie(" in each.partition("try (")[2].partition("{")[0]


OVER = """import java.io.*;
import org.apache.commons.io.input.BoundedInputStream;
class Case {
  static int read(String name) throws IOException {
    try (InputStream in = new FileInputStream(name)) {
      InputStream some = BoundedInputStream.builder().setInputStream(%s).get();
      int first = some.read();
      System.out.println(first);
      return first;
    }
  }
}
"""


def test_what_a_builder_makes_over_a_resource_of_a_header_is_closed_with_that() -> None:
    assert not _safe(OVER % "in")


COUNTED = """class Case {
  static void run(android.database.sqlite.SQLiteDatabase all) {
    android.database.Cursor rows = all.rawQuery("a", null);
    long[] found = new long[rows.getCount()];
    try {
      for (int n = 0; rows.moveToNext(); n++) {
        found[n] = rows.getLong(0);
      }
    } finally {
      rows.close();
    }
    System.out.println(found.length);
  }
}
"""


def test_no_declaration_is_split_for_what_is_only_feared_where_a_finally_is_there() -> None:
    assert _reasons(COUNTED) <= {"a declaration is split for what is only feared"} and not _safe(COUNTED)


BOTH = """import java.io.*;
class Case {
  private OutputStream first = new FileOutputStream("a");
  private OutputStream second = new FileOutputStream("b");
  Case() throws IOException { }
  public void close() {
    try {
      first.write(1);
      if (second != null)
        second.close();
      second = null;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
"""


def test_a_try_stands_right_inside_of_a_try_though_something_is_emptied_behind_it() -> None:
    assert not [each for each in _safe(BOTH) if "try {\n      try {" in each]


def test_the_break_behind_an_equals_sign_stays_in_a_header_of_several() -> None:
    text = """import java.sql.*;
class Case {
  int count(Connection all) throws SQLException {
    Statement one = all.createStatement();
    ResultSet rows =
        one.executeQuery(
            "select a, b, c, d, e, f, g, h, i, j, k, l, m from acme_of_all_things_there_are where a = 'b'");
    int sum = 0;
    while (rows.next()) {
      sum++;
    }
    rows.close();
    one.close();
    return sum;
  }
}
"""
    [after] = _safe(text)
    assert '\n        ResultSet rows =\n            one.executeQuery(\n                "select a, b,' in after


def test_what_looks_like_a_comment_in_a_text_is_none() -> None:
    [after] = safe('  int read() throws IOException {\n    InputStream in = new URL(\n        "http://acme.org/")\n        .openStream();\n    return in.read();\n  }')
    assert 'try (InputStream in = new URL("http://acme.org/").openStream()) {\n' in after


def test_further_lines_of_what_goes_to_a_try_around_stand_as_far_behind_that() -> None:
    names = ", ".join(f"a{n:02}" for n in range(24))
    body = f"""  int read() throws IOException {{
    try {{
      InputStream in = open(1,
          {names},
          2);
      return in.read();
    }} catch (FileNotFoundException e) {{
      return 0;
    }}
  }}
  static InputStream open(int... all) throws IOException {{
    return new FileInputStream("a");
  }}
  static int {names};"""
    [after] = safe(body)
    assert f"    try (InputStream in = open(1,\n        {names},\n        2)) {{\n" in after


def test_an_object_of_the_jdk_that_is_made_of_literals_does_not_keep_a_header_from_the_try_around() -> None:
    before = 'java.text.SimpleDateFormat format = new java.text.SimpleDateFormat("HH");'
    body = "  int read(String name) throws IOException {\n    try {\n      List<String> all = new ArrayList<>();\n      %s;\n      FileInputStream in = new FileInputStream(name);\n      System.out.println(all);\n      return in.read();\n    } catch (FileNotFoundException e) {\n      return 0;\n    }\n  }"
    [after] = safe(body % "int n = 0")
    assert "    try (FileInputStream in = new FileInputStream(name)) {\n      List<String> all" in after
    [after] = safe(body % before.removesuffix(";").replace("java.text.", ""))
    assert "    try (FileInputStream in = new FileInputStream(name)) {\n      List<String> all" in after
    [after] = safe(body % "List<Object> b = List.of(new Scanner(name))")
    assert "      try (FileInputStream in = new FileInputStream(name)) {" in after


CLOSED = """import acme.Words;
import java.io.*;
class Case {
  int read(String name) throws IOException {
    InputStream in = new FileInputStream(name);
    Words words = new Words(in);
    in.close();
%s    return words.count();
  }
}
"""


def test_a_block_does_not_go_on_far_behind_the_close_of_the_code_for_one_declaration() -> None:
    reason = "the block goes on for long behind where the code closes it"
    assert reason not in _reasons(CLOSED % '    System.out.println("a");\n')
    [answer] = answers("Case.java", (CLOSED % ('    System.out.println("a");\n' * 9)).encode())
    assert isinstance(answer, Fix)
    assert "    Words words;\n    try (InputStream in = new FileInputStream(name)) {\n      words = new Words(in);\n    }\n" in apply(
        (CLOSED % ('    System.out.println("a");\n' * 9)).encode(), answer.edits
    ).decode()


def test_statements_that_are_broken_in_two_tell_how_long_lines_may_be() -> None:
    one = "    int aaaaaaaaaaaaaaaaaaaa = bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb(cccccccccccc,\n        dddddddddddddddd);\n"
    assert width_of(("class Case {\n  void run() {\n" + one + "  }\n}\n").encode(), 120) == 100
    assert width_of(("class Case {\n  void run() {\n" + one + one + "  }\n}\n").encode(), 120) == 94


def test_a_limit_that_lines_keep_is_kept() -> None:
    long = "    int a = " + "b" * 86 + ";\n"
    before = ("class Case {\n" + 3 * long + "}\n").encode()
    assert grows_too_long(before, before.replace(b"    int", b"        int"))
    assert not grows_too_long(before, before)
    assert not grows_too_long(before.replace(3 * long.encode(), long.encode()), before.replace(b"    int", b"        int"))
    assert not grows_too_long(before + b"//" + b"x" * 200 + b"\nint c = " + b"d" * 200, before.replace(b"    int", b"        int"))


def test_one_long_line_among_many_does_not_make_others_longer() -> None:
    line, long = "    int a = " + "b" * 63 + ";\n", "    int c = " + "d" * 150 + ";\n"
    before = ("class Case {\n" + 240 * line + long + "}\n").encode()
    further = before.replace(b"    int a", b"                int a", 1)
    assert grows_too_long(before, further) and not grows_too_long(before, before)
    assert width_of(("class Case {\n" + 110 * line + long + "}\n").encode(), 120) == 100


ASKED = """// release: 6
import java.io.*;
class Case {
  static int read(File file) throws IOException {
    InputStream in = file.toURI().toURL().openStream();
    int first = 0;
    if (in != null) {
      first = in.read();
    }
    return first;
  }
}
"""


def test_a_block_begins_inside_of_the_only_test_for_null() -> None:
    [answer] = answers("Case.java", ASKED.encode())
    assert isinstance(answer, Fix)
    after = apply(ASKED.encode(), answer.edits).decode()
    assert "    if (in != null) {\n      try {\n        first = in.read();\n      } finally {\n        in.close();\n      }\n    }\n" in after


ENDING = """import java.sql.*;
class Case {
  static void run(Connection all, Statement one) {
    Connection other = all.unwrap(java.sql.Connection.class);
    try {
      one.close();
      if (other != null) other.close();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
"""


def test_a_handler_of_the_code_s_own_close_is_no_place_for_another() -> None:
    text = ENDING.replace("all.unwrap(java.sql.Connection.class)", 'DriverManager.getConnection("a")')
    text = text.replace("Statement one) {", "Statement one) throws SQLException {")
    for each in _safe(text):
        assert "catch (SQLException e) {\n      if (other != null)" not in each
        assert "catch (SQLException e) {\n      other.close()" not in each


INSIDE = """import java.io.*;
class Case {
  static void run(String name, java.util.logging.Logger log) {
    try {
      InputStream in = new FileInputStream(name);
      while (in.read() > 0) {
        log.info("a");
      }
      in.close();
      log.info("it is closed");
    } catch (IOException e) {
      log.warning("b");
    }
  }
}
"""


def test_a_header_does_not_begin_a_try_that_ends_a_statement_later() -> None:
    assert not [each for each in _safe(INSIDE) if "    try {\n      try (" in each]


BESIDE = """import android.content.res.AssetManager;
import java.io.*;
class Case {
  static void run(AssetManager all, acme.Picture picture) throws IOException {
    InputStream in = all.open("a");
    FileOutputStream out = new FileOutputStream("b");
    picture.copy(in.read(), %s);
    System.out.println("copied");
  }
}
"""


def test_what_is_opened_right_beside_does_not_stay_open() -> None:
    assert not _safe(BESIDE % "out")


LENT_OUT = """import java.io.*;
import java.net.*;
class Case {
  private URLConnection from;
  int direct() throws IOException {
    InputStream in = from.getInputStream();
    return in.read();
  }
  int getter() throws IOException {
    InputStream in = stream();
    return in.read();
  }
  private InputStream stream() throws IOException {
    return from.getInputStream();
  }
  static void skip(URLConnection from, long count) throws IOException {
    InputStream in = from.getInputStream();
    while (count-- > 0) {
      in.read();
    }
  }
  static String all(URLConnection from) throws IOException {
    InputStream in = from.getInputStream();
    StringBuilder all = new StringBuilder();
    int each;
    while ((each = in.read()) != -1) {
      all.append((char) each);
    }
    return all.toString();
  }
}
"""


def test_the_stream_of_a_connection_that_goes_on_is_not_closed_unseen() -> None:
    [after] = _safe(LENT_OUT)
    assert after.partition("String all(")[0] == LENT_OUT.partition("String all(")[0]
    assert "`getInputStream()` gives the same again to who has the connection" in _reasons(LENT_OUT)


PIPED = """import java.io.*;
class Case {
  static void run(acme.Store store) throws IOException {
    final PipedInputStream in = new PipedInputStream();
    final PipedOutputStream out = new PipedOutputStream(in);
    new Thread(new Runnable() {
      public void run() {
        try {
          out.write(1);
          out.close();
        } catch (IOException e) {
          System.err.println(e);
        }
      }
    }).start();
    store.write(in);
    in.close();
  }
}
"""


def test_what_another_thread_closes_is_not_closed_by_a_header_as_well() -> None:
    assert not [each for each in _safe(PIPED) if "PipedOutputStream out = new PipedOutputStream(in)) {" in each]


PASSED = """import java.io.*;
class Case {
  private static void compare(InputStream one, InputStream other) throws IOException {
    while (one.read() == other.read()) {
      System.out.println("a");
    }
    one.close();
  }
}
"""


def test_no_parameter_goes_into_a_header_for_what_is_only_feared() -> None:
    assert not [each for each in _safe(PASSED) if "try (one)" in each]


ZIPPED = """import java.io.*;
import java.util.zip.*;
class Case {
  static void write(File file, String name) throws IOException {
    FileOutputStream out = new FileOutputStream(file);
    ZipOutputStream zip = new ZipOutputStream(out);
    if (name != null) {
      try {
        zip.putNextEntry(new ZipEntry(name));
      } finally {
        zip.close();
      }
    }
  }
}
"""


def test_what_wraps_it_is_not_closed_inside_of_a_header_as_well() -> None:
    assert not [each for each in _safe(ZIPPED) if "try (FileOutputStream out" in each and "zip.close();" in each]


EXISTS = """import java.io.*;
class Case {
  static boolean exists(String name) {
    try {
      open(name);
      return true;
    } catch (FileNotFoundException e) {
      return false;
    }
  }
  static InputStream open(String name) throws FileNotFoundException {
    return new FileInputStream(name);
  }
}
"""


def test_what_is_opened_for_nothing_is_not_closed_in_a_block_with_a_handler() -> None:
    assert not [each for each in _safe(EXISTS) if "nothing more can be done" in each]


DOUBLED = """import static org.mockito.Mockito.when;
import acme.Service;
import java.io.*;
class CaseTest {
  void raw(Service service) throws IOException {
    org.junit.Assert.assertNotNull(service.openRaw("a"));
  }
}
"""


def test_what_a_test_double_may_give_is_not_closed_unseen() -> None:
    assert not _safe(DOUBLED)


def test_a_header_of_a_stream_and_what_wraps_it_may_hold_nothing() -> None:
    [after] = safe("  void check(String name) throws IOException {\n    ObjectInputStream in = new ObjectInputStream(new FileInputStream(name));\n    in.close();\n  }")
    assert "try (FileInputStream fileInputStream = new FileInputStream(name);\n        ObjectInputStream in = new ObjectInputStream(fileInputStream)) {\n    }\n" in after


LOOPING = """// release: 6
import java.io.*;
class Case {
  static void read(String name) throws IOException {
    InputStream in = Case.class.getResourceAsStream(name);
    if (in != null) {
      int each;
      while ((each = in.read()) != -1) {
%s      }
    } else {
      System.err.println(name);
    }
  }
}
"""


def test_a_loop_that_reads_it_is_all_of_its_use_and_the_other_branch_has_nothing_to_close() -> None:
    [after] = _safe(LOOPING % ("        System.out.println(each);\n" * 20))
    assert "    if (in != null) {\n      try {\n        int each;\n" in after and "      } finally {\n        in.close();\n      }\n    } else {\n" in after


MOCKED = """import org.mockito.*;
class CaseTest {
  void run(acme.Nodes nodes) {
    MockedStatic<acme.Place> place = Mockito.mockStatic(acme.Place.class);
    place.when(acme.Place::get).thenReturn(null);
    nodes.clean();
  }
}
"""


def test_what_means_something_to_all_that_runs_while_it_is_open_is_not_closed_unseen() -> None:
    assert not _safe(MOCKED)
    assert "what runs while a `MockedStatic` is open runs otherwise" in _reasons(MOCKED)


def test_the_narrowest_limit_is_taken_less_strictly() -> None:
    line = "    int a = " + "b" * 65 + ";\n"
    before = ("class Case {\n" + 240 * line + "}\n").encode()
    assert not grows_too_long(before, before.replace(b"    int", b"          int", 1))
    assert grows_too_long(before, before.replace(b"    int", b"                int", 1))
