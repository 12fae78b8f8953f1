"""What is lost only where something fails that never does, and what may not have a `close` yet."""

from __future__ import annotations

from fixers import Applicability, Fix
from fixers.edits import apply
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


CALLED_BACK = """import java.io.*;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.util.IO;
import org.springframework.core.io.buffer.DataBufferUtils;

class Case {
  Object answer(org.eclipse.jetty.server.Response answer, Source all, OutputStream out, org.eclipse.jetty.util.Callback back, String name) throws IOException {
    InputStream in = Case.class.getResourceAsStream(name);
    USE;
    return true;
  }
}
"""


def test_what_is_called_back_may_read_on_when_a_call_has_returned() -> None:
    for use, is_safe in (
        ("Content.copy(Content.Source.from(in), answer, back)", False), ("Content.Source.from(in).read()", False),
        ("IO.readAll(in, back)", False), ("IO.copy(in, out)", True), ("DataBufferUtils.write(all, in)", False),
    ):
        found = [each for each in answers("Case.java", CALLED_BACK.replace("USE", use).encode()) if isinstance(each, Fix) and each.applicability is Applicability.SAFE]
        assert bool(found) is is_safe, use


HELPED = """import java.util.*;
import org.apache.kafka.clients.admin.AdminClient;
import org.apache.kafka.clients.consumer.*;

class Case {
  void one(Properties all) {
    AdminClient client = AdminClient.create(all);
    try {
      System.out.println(client);
    } finally {
      Tools.closeAdminClientWithTimeout(client);
    }
  }
  void two(Properties all) {
    AdminClient client = AdminClient.create(all);
    try {
      System.out.println(client);
    } finally {
      Tools.closeAdminClientWithTimeout(client);
    }
  }
  void three(Properties all) {
    AdminClient client = AdminClient.create(all);
    System.out.println(client.describeTopics(Collections.singleton("a")));
  }
  void four(Properties all) {
    Consumer<String, Integer> consumer = new KafkaConsumer<>(all);
    consumer.subscribe(Collections.singleton("a"));
  }
}
"""

PARSED = """  Object read(File file) {
    if (file.exists()) {
      try {
        Scanner scanner = new Scanner();
        System.out.println(scanner.parse(new FileReader(file)));
      } catch (IOException e) {
        System.err.println(e);
      }
    }
    return null;
  }
  static class Scanner {
    Object parse(Reader in) throws IOException {
      return in.read();
    }
  }"""

TRANSFERRED = """  void load(File file, java.net.URLConnection from) throws IOException {
    FileOutputStream out = new FileOutputStream(file);
    out.getChannel().transferFrom(java.nio.channels.Channels.newChannel(from.getInputStream()), 0, 10);
    out.close();
  }"""


def _safely(text: str) -> list[str]:
    data = text.encode()
    found = [each for each in answers("Case.java", data) if isinstance(each, Fix) and each.applicability is Applicability.SAFE]
    return [apply(data, each.edits).decode() for each in found]


def test_what_others_close_by_their_own_helper_is_not_closed_otherwise() -> None:
    [text] = _safely(HELPED)
    assert "try (Consumer<String, Integer> consumer = new KafkaConsumer<>(all)) {" in text


def test_no_block_begins_behind_what_the_one_around_it_only_makes() -> None:
    assert not any("try (" in each for each in safe(PARSED))


def test_nothing_gets_a_name_for_the_order_of_calls_alone() -> None:
    assert not any("= out.getChannel();" in each for each in safe(TRANSFERRED))


LATER = """import java.io.*;

class Case {
  void run(javax.servlet.AsyncContext context, javax.ws.rs.container.AsyncResponse answer, org.springframework.core.task.TaskExecutor tasks, String name)
      throws IOException {
    InputStream in = new FileInputStream(name);
    USE;
  }
  static int read(InputStream in) {
    try {
      return in.read();
    } catch (IOException e) {
      return 0;
    }
  }
}
"""


def test_what_others_do_later_is_not_done_when_a_call_returns() -> None:
    for use in ("context.start(() -> read(in))", "tasks.execute(() -> read(in))", "answer.resume(in)"):
        assert not _safely(LATER.replace("USE", use)), use
    assert _safely(LATER.replace("USE", "read(in)"))


COMMENTED = """  boolean isLong(String host) throws IOException {
    // Open it
    Socket socket = new Socket(host, 1);
    InputStream in = socket.getInputStream();
    byte[] input = new byte[in.available()];
    int read = in.read(input);

    // Close it
    socket.close();

    // Look at it
    String text = new String(input).toLowerCase();
    if (read > 2 && text.startsWith("a")) {
      System.out.println(text);
    }
    System.out.println(input.length);
    return text.startsWith("http");
  }"""


def test_what_is_declared_before_a_block_stands_above_its_comment() -> None:
    [text] = safe(COMMENTED)
    assert "    byte[] input;\n    int read;\n    // Open it\n    try (Socket socket = new Socket(host, 1)) {\n" in text
