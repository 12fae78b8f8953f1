"""A handler names what closing throws only where that is known of the type itself: javac takes no other."""

from __future__ import annotations

import pytest

from analyzers import MemoryTree, analyze, load, specs
from fixers import fix
from fixers.edits import apply
from fixers.fix import Applicability, Fix
from fixers.java.exceptions import closing_throws
from tests.unit.fixers.members import offered, safe
from tests.unit.fixers.patching import answers

CURSOR = """import android.content.ContentResolver;
import android.database.Cursor;

class Counts {
    int rows(ContentResolver resolver) {
        Cursor cursor = resolver.query(null, null, null, null, null);
        if (cursor != null) {
            int count = cursor.getCount();
            return count;
        } else {
            return 0;
        }
    }
}
"""


def test_what_throws_nothing_needs_no_handler() -> None:
    program = load(MemoryTree({"Counts.java": CURSOR.encode()}), specs.load(("java",)))
    (leak,) = analyze(program).findings
    found = fix(leak, program)
    assert isinstance(found, Fix)
    assert "catch" not in apply(CURSOR.encode(), found.edits).decode()


@pytest.mark.parametrize(
    ("imported", "members", "expected"),
    (
        (
            "org.apache.kafka.clients.producer.KafkaProducer",
            "void send(java.util.Properties p) {\n        KafkaProducer<String, String> out = new KafkaProducer<>(p);\n        out.flush();\n    }",
            "        try (KafkaProducer<String, String> out = new KafkaProducer<>(p)) {\n            out.flush();\n        }\n",
        ),
        (
            "org.apache.zookeeper.ZooKeeper",
            "void ask(String host) throws Exception {\n        ZooKeeper keeper = new ZooKeeper(host, 9, null);\n        keeper.exists(host, false);\n    }",
            "        } finally {\n            keeper.close();\n        }\n",
        ),
        (
            "org.apache.commons.io.input.ReversedLinesFileReader",
            "void ask(java.io.File file) throws java.io.IOException {\n        ReversedLinesFileReader lines = new ReversedLinesFileReader(file);\n        System.out.println(lines.readLine());\n    }",
            "        } finally {\n            lines.close();\n        }\n",
        ),
    ),
)
def test_what_all_versions_of_a_library_declare_is_known(imported: str, members: str, expected: str) -> None:
    data = f"import {imported};\n\nclass Case {{\n    {members}\n}}\n".encode()
    (found,) = answers("Case.java", data)
    assert isinstance(found, Fix) and found.applicability is Applicability.SAFE
    assert expected in apply(data, found.edits).decode()


def test_a_class_above_tells_what_closing_throws() -> None:
    """Nothing, though the interface of the JDK above lets it throw."""
    program = load(MemoryTree({"Base.java": b"import android.database.sqlite.SQLiteOpenHelper;\nclass Base extends SQLiteOpenHelper { Base() { super(null, null, null, 1); } }\n"}), specs.load(("java",)))
    assert closing_throws(program, "Base", "close") == ()
    assert closing_throws(program, "android.database.sqlite.SQLiteDatabase", "close") == ()
    assert closing_throws(program, "java.io.FileInputStream", "close") == ("java.io.IOException",)


def test_a_test_declares_no_more_than_closing_may_throw() -> None:
    text = (
        "import java.io.File;\nimport java.io.IOException;\nimport java.nio.charset.Charset;\nimport org.apache.commons.csv.CSVFormat;\n"
        "import org.apache.commons.csv.CSVParser;\nimport org.junit.Test;\n\nclass Rows {\n    @Test\n    public void counts() throws IOException {\n"
        "        CSVParser rows = CSVParser.parse(new File(\"a\"), Charset.forName(\"utf-8\"), CSVFormat.DEFAULT);\n        System.out.println(rows.getRecords().size());\n    }\n}\n"
    )
    program = load(MemoryTree({"Rows.java": text.encode()}), specs.load(("java",)))
    (leak,) = analyze(program).findings
    found = fix(leak, program)
    assert isinstance(found, Fix)
    after = apply(text.encode(), found.edits).decode()
    assert "counts() throws IOException {\n        try (CSVParser rows =" in after


def test_what_is_opened_in_a_value_is_closed_by_a_header_with_a_handler() -> None:
    source = """import org.elsewhere.*;
import java.util.Properties;

class Case {
    static Properties load(Object in) { return new Properties(); }
    private Properties told(String path) {
        Properties all = load(getClass().getResourceAsStream(path));
        System.out.println(all);
        return all;
    }
}
"""
    data = source.encode()
    [patched] = [apply(data, each.edits).decode() for each in answers("Case.java", data) if isinstance(each, Fix)]
    assert "import java.io.IOException;\nimport java.io.InputStream;\nimport java.io.UncheckedIOException;\n" in patched
    assert "        Properties all;\n        try (InputStream in = getClass().getResourceAsStream(path)) {\n            all = load(in);\n        } catch (IOException e) {\n" in patched
    assert "throw new UncheckedIOException(e); // thrown by closing alone" in patched


@pytest.mark.parametrize("imports, is_new", [("", False), ("import java.util.*;\n", False), ("import org.elsewhere.*;\n", True)])
def test_what_a_package_brings_that_is_imported_whole_is_not_imported_again(imports: str, is_new: bool) -> None:
    source = f"""import java.io.*;
{imports}
class Case {{
    static boolean has(String name) {{
        InputStream in = Case.class.getResourceAsStream(name);
        return in != null || new File(name).exists();
    }}
}}
"""
    data = source.encode()
    [patched] = [apply(data, each.edits).decode() for each in answers("Case.java", data) if isinstance(each, Fix)]
    assert "throw new UncheckedIOException(e)" in patched
    assert ("import java.io.UncheckedIOException;" in patched) == is_new


READ = """  static InputStreamReader open(String name) throws java.io.FileNotFoundException {
    return new InputStreamReader(new FileInputStream(name));
  }
  static int count(InputStreamReader reader) {
    return reader.hashCode();
  }
  int run(String name) {
    try {
      InputStreamReader reader = open(name);
      return count(reader);
    } catch (java.io.FileNotFoundException e) {
      System.out.println("no " + e.getMessage());
    }
    return 0;
  }"""


def test_a_handler_that_only_tells_of_a_kind_of_it_is_told_of_all() -> None:
    [text] = safe(READ)
    assert "    try (InputStreamReader reader = open(name)) {\n      return count(reader);\n    } catch (IOException e) {\n" in text


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ('System.out.println("no " + e.getMessage());', "java.io.FileNotFoundException kept = e;"),
        ("java.io.FileNotFoundException e)", "java.io.FileNotFoundException | IllegalStateException e)"),
        ("int run", "@lombok.SneakyThrows int run"),
    ],
    ids=["needs its type", "one of two types", "exceptions that are not checked"],
)
def test_a_handler_stays_that_needs_its_type(was: str, now: str) -> None:
    assert all("catch (IOException e)" not in text for text in safe(READ.replace(was, now)))


SWALLOWED = """  static FileInputStream open(String name) throws java.io.FileNotFoundException {
    return new FileInputStream(name);
  }
  private static int size(InputStream in) {
    try {
      return in.read();
    } catch (IOException e) {
      return 0;
    }
  }
  public int first(String name) throws java.io.FileNotFoundException {
    FileInputStream in = open(name);
    return size(in);
  }"""

OLD_LOOK = """
  void end(FileInputStream other) {
    try {
      System.out.println(other);
    } finally {
      try {
        other.close();
      } catch (IOException e) {
      }
    }
  }"""


def test_a_new_block_swallows_what_closing_throws_only_where_the_file_does_so() -> None:
    assert safe(SWALLOWED) == []
    [text] = offered(SWALLOWED + OLD_LOOK)
    assert "        } catch (IOException e) {\n          // nothing more" in text


def test_a_handler_of_closing_alone_does_not_stand_around_another() -> None:
    body = """  static boolean run(String name) {
    InputStream in = Case.class.getResourceAsStream(name);
    if (in != null) {
      try {
        in.read();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
      return in.hashCode() > 2;
    }
    return false;
  }"""
    assert all("closing alone" not in text for text in safe(body))


def test_what_wraps_a_file_and_throws_nothing_widens_no_handler() -> None:
    [text] = safe(
        "  void run(String path) {\n    PrintStream out;\n    try {\n      out = new PrintStream(new BufferedOutputStream(new FileOutputStream(path)));\n"
        "    } catch (FileNotFoundException x) {\n      System.err.println(x);\n      return;\n    }\n    out.println(path);\n    out.flush();\n  }"
    )
    assert "catch (FileNotFoundException x)" in text and "    try (out) {\n      out.println(path);" in text


def test_what_a_library_lets_a_header_hold_gets_one() -> None:
    [text] = safe(
        "  void make(Properties wanted) throws Exception {\n"
        "    org.apache.kafka.clients.admin.AdminClient client = org.apache.kafka.clients.admin.AdminClient.create(wanted);\n"
        "    client.createTopics(new ArrayList<>()).all().get();\n  }"
    )
    assert "    try (org.apache.kafka.clients.admin.AdminClient client =" in text


def test_a_handler_only_closes_what_closing_never_fails_of() -> None:
    body = (
        "  void check(String word) throws IOException { if (word.isEmpty()) throw new IOException(); }\n  Scanner open(File from) throws IOException {\n"
        "    Scanner words = new Scanner(from);\n    check(words.next());\n    return words;\n  }"
    )
    [text] = safe(body)
    assert "    } catch (Throwable e) {\n      words.close();\n      throw e;\n    }\n" in text
    for other in ("Closeable", "AutoCloseable"):
        assert all("addSuppressed" in each for each in safe(body.replace("Scanner words", f"{other} words").replace("words.next()", '"a"').replace("Scanner open", f"{other} open")))
