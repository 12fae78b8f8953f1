"""What is lost only where something fails that never does, and what may not have a `close` yet."""

from __future__ import annotations

from fixers import Applicability, Fix
from tests.unit.fixers.members import safe
from tests.unit.fixers.patching import answers

HANDLER = """  java.util.logging.FileHandler open(String pattern) throws IOException {
    java.util.logging.FileHandler handler = new java.util.logging.FileHandler(pattern);
    handler.setEncoding(NAME);
    return handler;
  }"""

ROWS = """import org.rocksdb.*;

class Case {
  int count(RocksDB db, ColumnFamilyHandle column) {
    RocksIterator rows = db.newIterator(column);
    int found = 0;
    for (rows.seekToFirst(); rows.isValid(); rows.next()) {
      found += rows.key().length;
    }
    return found;
  }
}
"""

WIDE = """  void read() {
    try {
      BufferedReader in = new BufferedReader(new InputStreamReader(Case.class.getClassLoader().getResourceAsStream("/a/folder/a file of it.html"), java.nio.charset.Charset.forName("UTF-8")));
      System.out.println(in.readLine());
      in.close();
    } catch (IOException e) {
    }
  }"""


def test_a_charset_that_is_always_there_loses_nothing() -> None:
    for name in ("java.nio.charset.StandardCharsets.UTF_8.name()", "StandardCharsets.UTF_8.toString()", '"UTF-8"'):
        assert not safe(HANDLER.replace("NAME", name))
    assert safe(HANDLER.replace("NAME", "pattern"))


def test_older_versions_may_have_another_end() -> None:
    known = ROWS.replace("class Case {", "class Case {\n  void end(RocksIterator rows) {\n    rows.close();\n  }\n")
    for text, is_safe in ((ROWS, False), (known, True)):
        found = [each for each in answers("Case.java", text.encode()) if isinstance(each, Fix) and each.applicability is Applicability.SAFE]
        assert bool(found) is is_safe


def test_what_is_longer_than_any_header_is_not_broken() -> None:
    [text] = safe(WIDE)
    assert "    try (BufferedReader in = new BufferedReader(" in text


ASKED = """  void load(String path) {
    InputStream in = null;
    try {
      in = new FileInputStream(path);
      read(in);
    } catch (IOException e) {
      System.err.println(e);
    } finally {
      if (in != null) {
        try {
          in.close();
        } catch (IOException e) {
        }
      }
    }
    in = Case.class.getResourceAsStream(path);
    if (in != null) {
      try {
        read(in);
      } catch (IOException e) {
        System.err.println("no " + e);
      }
    }
  }
  void read(InputStream in) throws IOException {
    System.out.println(in.read());
  }"""

NAMED_IN_FULL = """  String read(File file) {
    Reader in = null;
    try {
      final java.io.StringWriter out = new java.io.StringWriter();
      in = new FileReader(file);
      int next;
      while ((next = in.read()) >= 0) {
        out.write((char) next);
      }
      return out.toString();
    } catch (final Exception e) {
      try {
        in.close();
      } catch (final Exception ex) {
      }
      throw new IllegalStateException("no " + file);
    }
  }"""


def test_nothing_is_asked_for_null_twice() -> None:
    [text] = safe(ASKED)
    assert text.count("!= null") == 2
    assert '''        System.err.println("no " + e);
      } finally {
        try {
          in.close();
''' in text


def test_what_is_named_in_full_may_come_behind_an_opening() -> None:
    [text] = safe(NAMED_IN_FULL)
    assert text.startswith('''  String read(File file) {
    try (Reader in = new FileReader(file)) {
      final java.io.StringWriter out = new java.io.StringWriter();
''')


SETTING = """  Socket open(String host) throws IOException {
    Socket socket = new Socket(host, 80);
    socket.setKeepAlive(true);
    return socket;
  }"""


def test_a_handler_for_a_setter_alone_is_more_than_anybody_wants() -> None:
    assert not safe(SETTING)
    assert safe(SETTING.replace("socket.setKeepAlive(true)", "socket.bind(null)"))
