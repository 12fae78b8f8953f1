"""What a reviewer hesitates over is offered, not called safe: leaks that hardly happen, and forms that nobody writes by hand."""

from __future__ import annotations

from fixers import Applicability, Fix
from tests.unit.fixers.members import offered, reasons, safe
from tests.unit.fixers.patching import answers, mended


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
  int first(String url) throws Exception {
    try (org.acme.AcmeConnection all = (org.acme.AcmeConnection) DriverManager.getConnection(url)) {
      ResultSet rows = %s.executeQuery("q");
      rows.next();
      return rows.getInt(1);
    }
  }
}
"""
    assert _doubts("Case.java", text % "all.createStatement()") == ["what `createStatement` gives stays open"]


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
import org.parts.Part;
class Case {
  void read(List<Part> all) throws Exception {
    InputStream in = null;
    try {
      for (Part each : all) {
        if ("content".equals(each.getParameter("name"))) {
          in = each.getDataHandler().getInputStream();
        }
      }
      System.out.println(in.read());
    } catch (Exception e) {
      throw new IllegalStateException(e);
    } finally {
      in.close();
    }
  }
}
"""
    assert _doubts("Case.java", text) == ["the loop may find it only once"]


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


def test_what_a_factory_makes_of_it_is_not_closed_inside_of_a_block_for_the_rest() -> None:
    text = """import java.io.*;
import org.apache.commons.compress.archivers.*;
import org.apache.commons.compress.archivers.zip.ZipArchiveEntry;
class Case {
  void write(File file) throws IOException, ArchiveException {
    FileOutputStream out = new FileOutputStream(file);
    ArchiveOutputStream pack = new ArchiveStreamFactory().createArchiveOutputStream("zip", out);
    pack.putArchiveEntry(new ZipArchiveEntry("a"));
    pack.closeArchiveEntry();
    pack.close();
    System.out.println(file);
  }
}
"""
    assert _safe_in("Case.java", text) == 0 or "pack.close();" not in mended("Case.java", text.encode()).decode()


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
    text = """import java.io.*;
class Case {
  void run(Provider provider, String path) throws IOException {
    FileInputStream in = null;
    Session session = null;
    try {
      in = new FileInputStream(path);
      session = provider.open(in);
      session.read();
    } finally {
      if (session != null) {
        provider.release(session);
      }
      provider.end();
      in.close();
    }
  }
}
interface Provider { Session open(InputStream in) throws IOException; void release(Session s) throws IOException; void end() throws IOException; }
interface Session { void read() throws IOException; }
"""
    assert _doubts("Case.java", text) == ["a `finally` that does more than close gets a `try` of its own"]


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
    chosen = text.replace("    sorts.add(sort);\n", "    if (sort != null) {\n      sorts.add(sort);\n    }\n")
    found = [each.reason for each in answers("Case.java", (chosen % "").encode()) if not isinstance(each, Fix)]
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


def test_what_a_library_counts_is_not_closed_where_nobody_takes_it() -> None:
    text = """import com.rabbitmq.client.*;
class Case {
  void run(Connection connection) throws Exception {
    connection.createChannel();
    System.out.println(connection.getChannelMax());
  }
}
"""
    assert _safe_in("Case.java", text) == 0


def test_what_is_returned_may_read_from_a_file_system_that_others_were_shown() -> None:
    body = """  interface Maker { Iterable<String> make(java.nio.file.Path root) throws IOException; }
  Iterable<String> load(Maker maker, java.nio.file.Path path) throws IOException {
    java.nio.file.FileSystem system = java.nio.file.FileSystems.newFileSystem(path, (ClassLoader) null);
    Iterator<java.nio.file.Path> roots = system.getRootDirectories().iterator();
    java.nio.file.Path root = roots.next();
    %s
  }"""
    assert reasons(body % "return maker.make(root);") == ["what is returned may still read from it"]
    assert reasons(body % 'maker.make(root); return List.of("a");') == []


def test_a_try_comes_into_no_try_of_a_finally_and_around_no_body() -> None:
    body = """  void dump(String a, String b) {
    FileInputStream in = null;
    FileInputStream other = null;
    try {
      in = new FileInputStream(a);
      other = new FileInputStream(b);
      other.read();
    } catch (IOException e) {
      System.out.println(e);
    } finally {
      try {
        other.close();
        in.close();
      } catch (IOException e) {
        System.out.println(e);
      }
    }
  }"""
    assert not any("try {\n        try {" in each for each in safe(body))


def test_a_reader_is_not_closed_in_several_places() -> None:
    body = """  int read(String path) throws IOException {
    BufferedReader in = new BufferedReader(new FileReader(path));
    int lines = 0;
    while (true) {
      String line;
      try {
        line = in.readLine();
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
      if (line == null)
        break;
      if (line.isEmpty())
        throw new IllegalArgumentException(path);
      lines++;
    }
    in.close();
    return lines;
  }"""
    assert all(each.count("in.close();") < 2 for each in safe(body))


def test_a_failing_close_of_an_output_is_not_swallowed() -> None:
    text = """// release: 8
import java.io.*;
import java.util.Properties;
class Case {
  void run(File file, Properties all) {
    final %s it;
    try {
      it = new %s(file);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    try {
      all.%s;
    } catch (IOException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
"""
    assert _safe_in("Case.java", text % ("FileWriter", "FileWriter", 'store(it, "")')) == 0
    assert _safe_in("Case.java", text % ("FileReader", "FileReader", "load(it)")) == 1


def test_what_the_code_takes_to_be_there_is_not_asked_for_null() -> None:
    body = """  static native FileInputStream find(String path) throws IOException;
  static FileInputStream open(String path) throws IOException { return path.isEmpty() ? null : new FileInputStream(path); }
  int read(String path) throws IOException {
    FileInputStream in = open(path);
    find(path);
    int first = in.read();
    return first;
  }"""
    assert not any("in != null" in each for each in safe(body))


def test_a_header_right_inside_of_a_header_is_less_than_safe() -> None:
    body = """  int run(String from, String other) throws IOException {
    InputStream one = new FileInputStream(from);
    int size = 22;
    InputStream two = new FileInputStream(other + size);
    return one.read() + two.read();
  }"""
    assert not any(each.count("try (") == 2 for each in safe(body))


def test_a_long_block_does_not_move_in_for_what_is_only_feared() -> None:
    text = """import java.io.*;
import java.net.URL;
import javax.xml.parsers.*;
import org.xml.sax.helpers.DefaultHandler;
class Case {
  void read(URL place, SAXParser parser) throws Exception {
    parser.parse(place.openStream(), new DefaultHandler() {
      @Override
      public void endDocument() {
%s      }
    });
  }
}
"""
    line = "        System.out.println(1);\n"
    assert _safe_in("Case.java", text % (line * 40)) == 0
    assert _safe_in("Case.java", text % line) == 1


def test_a_finally_inside_of_another_is_less_than_safe() -> None:
    text = """import javax.ws.rs.client.*;
import javax.ws.rs.core.Response;
class Case {
  void put(String place, byte[] data) {
    Client client = ClientBuilder.newClient();
    Response answer = client.target(place).request().put(Entity.entity(data, "text/xml"));
%s  }
}
"""
    found = [each for each in answers("Case.java", (text % "    if (answer.getStatus() != 204) {\n      throw new IllegalStateException(place);\n    }\n").encode())]
    assert not any(
        isinstance(each, Fix) and each.applicability is Applicability.SAFE and sum("finally" in edit.text for edit in each.edits) > 1 for each in found
    )


def test_a_finally_joins_the_try_that_ends_the_block() -> None:
    text = """import javax.ws.rs.client.*;
class Case {
  int read(String place) {
    Client client = ClientBuilder.newClient();
    client.property("a", 10);
    WebTarget target = client.target(place);
    try {
      return target.request().get().getStatus();
    } catch (javax.ws.rs.ProcessingException e) {
      return -1;
    }
  }
}
"""
    assert _safe_in("Case.java", text) == 0


def test_what_a_class_gives_gets_no_name_for_the_order_of_calls() -> None:
    text = """import java.io.*;
import java.util.logging.LogManager;
class Case {
  void read(String name, LogManager all) throws IOException {
    %s.readConfiguration(new FileInputStream(name));
  }
}
"""
    assert _safe_in("Case.java", text % "LogManager.getLogManager()") == 0
    assert _safe_in("Case.java", text % "all") == 1


def test_a_block_does_not_stand_where_the_code_has_no_braces() -> None:
    body = """  void load(Properties all, File file) throws IOException {
    if (file.canRead())
      all.load(new FileInputStream(file));
    else
      all.clear();
  }"""
    assert not any("if (file.canRead())\n      try (" in each for each in safe(body))


def test_a_handler_of_one_kind_stays_where_another_meets_all() -> None:
    body = """  static native InputStream open(String name);
  Object load(String name) {
    ObjectInputStream in = null;
    try {
      in = new ObjectInputStream(new FileInputStream(name));
      return in.readObject();
    } catch (InvalidClassException e) {
      System.err.println("another version: " + e.getMessage());
      return null;
    } catch (Exception e) {
      System.err.println("not read");
      return null;
    } finally {
      try { if (in != null) in.close(); } catch (IOException e) { }
    }
  }"""
    found = offered(body)
    assert found and all("catch (InvalidClassException e)" in each for each in found)


def test_what_wraps_it_and_is_closed_at_the_end_closes_it_too() -> None:
    text = """// release: 6
import java.io.*;
class Case {
  void write(File file, String set) throws IOException {
    FileOutputStream out = null;
    OutputStreamWriter writer = null;
    try {
      out = new FileOutputStream(file);
      writer = new OutputStreamWriter(out, set);
      writer.write(1);
    } finally {
      if (writer != null) {
        writer.close();
      }
    }
  }
}
"""
    assert _safe_in("Case.java", text) == 0
    assert "`writer`, which wraps it, closes it there, too" in _doubts("Case.java", text)


def test_an_import_over_two_lines_does_not_hide_the_others() -> None:
    text = """import static
    java.lang.Math.max;

import java.io.IOException;
import java.util.Properties;

class Case {
  void load(Properties all, String name) throws IOException {
    all.load(Case.class.getResourceAsStream(name));
  }
}
"""
    after = mended("Case.java", text.encode()).decode()
    assert "import java.io.IOException;\nimport java.io.InputStream;\nimport java.util.Properties;\n" in after


def test_what_may_need_no_closing_and_is_lost_by_an_exception_alone_gets_no_finally() -> None:
    text = """import acme.Store;
class Case {
  int run(Store store) throws acme.Failure {
    acme.Reader in = store.openReader();
    %s
    in.close();
    return size;
  }
}
"""
    reason = "only an exception that leaves could lose it, and it may not have to be closed"
    assert _doubts("Case.java", text % "int size = in.read();") == [reason]
    handled = "int size = 0;\n    try {\n      size = in.read();\n    } catch (acme.Failure e) {\n      return -1;\n    }"
    assert reason not in _doubts("Case.java", text % handled)


def test_what_may_need_no_closing_still_goes_into_a_header() -> None:
    text = """class Case {
  int run(java.nio.file.FileSystem all, android.content.ContentResolver asked) throws Exception {
    android.database.Cursor rows = asked.query(null, null, null, null, null);
    int size = rows.getCount();
    rows.close();
    return size;
  }
}
"""
    assert _safe_in("Case.java", text) == 1


def test_handlers_in_a_finally_get_no_try_around_them() -> None:
    body = """  void load(File from, Properties all) throws IOException {
    RandomAccessFile whole = null;
    InputStream part = null;
    try {
      whole = new RandomAccessFile(from, "r");
      part = new FileInputStream(whole.readUTF());
      all.load(part);
    } finally {
      if (part != null) {
        try {
          part.close();
        } catch (IOException e) {
          throw new IllegalStateException("not closed: " + from);
        }
      }
      if (whole != null) {
        try {
          whole.close();
        } catch (IOException e) {
          throw new IllegalStateException("not closed: " + from);
        }
      }
    }
  }"""
    assert offered(body)
    assert safe(body) == []


def test_a_close_that_fails_is_not_tried_once_more_where_that_is_handled() -> None:
    text = """import java.sql.*;
class Case {
  private long seen;
  void look(Connection line) throws IllegalStateException {
    Statement query = null;
    ResultSet rows = null;
    try {
      query = line.createStatement();
      rows = query.executeQuery("values 1");
      seen++;
    } catch (SQLException e) {
      throw new IllegalStateException(e.getMessage());
    } finally {
      try {
        if (rows != null) rows.close();
        if (query != null) query.close();
      } catch (Exception e) {
        throw new IllegalStateException("not closed", e);
      }
    }
  }
}
"""
    assert _doubts("Case.java", text)
    assert _safe_in("Case.java", text) == 0
