"""Patches of Java that do on more ways what the code itself does on some, and forms for what no header may hold."""

from __future__ import annotations

from fixers import Applicability, Declined, Fix
from fixers.edits import apply
from tests.unit.fixers.members import HEAD, offered, reasons, safe
from tests.unit.fixers.patching import answers, mended

STORE = "import java.io.*;\nimport java.util.*;\nimport java.sql.*;\nimport org.points.*;\n"
LIBRARY = "package a;\nimport java.io.*;\nimport org.points.PointManager;\n"


def unsafe(data: str) -> list[str]:
    """The texts after each fix that something is assumed of."""
    return [
        apply(data.encode(), each.edits).decode() for each in answers("Case.java", data.encode())
        if isinstance(each, Fix) and each.applicability is Applicability.UNSAFE
    ]


CLOSED_AT_THE_END = (
    "  void show(String url, Writer out) throws IOException {\n    java.sql.Connection open = opened(url);\n    new org.points.Extractor(open).run(out);\n    try {\n      open.close();\n"
    "    } catch (java.sql.SQLException e) {\n      e.printStackTrace();\n    }\n  }\n"
    "  private java.sql.Connection opened(String url) throws IOException {\n    try {\n      return java.sql.DriverManager.getConnection(url);\n"
    "    } catch (java.sql.SQLException e) {\n      throw new IOException(e);\n    }\n  }"
)


def test_a_close_with_its_own_handler_goes_on_with_it_in_a_finally() -> None:
    [after] = offered(CLOSED_AT_THE_END)
    assert (
        "    try {\n      new org.points.Extractor(open).run(out);\n    } finally {\n      try {\n        open.close();\n      } catch (java.sql.SQLException e) {\n        e.printStackTrace();\n"
    ) in after
    assert after.count("open.close();") == 1


ROWS = (
    "class Case {\n  private final Map<String, Row> rows = new HashMap<>();\n  private Table table;\n  void load() {\n    try {\n      Cursor cursor = table.open();\n"
    "      while (cursor.moveToNext()) {\n        Row row = cursor.getRow();\n        rows.put(row.name, row);\n      }\n      cursor.close();\n"
    "    } catch (IOException e) {\n      System.err.println(rows.get(\"\"));\n    }\n  }\n}\n"
)


def test_what_the_code_keeps_behind_its_own_close_may_be_kept_behind_ours() -> None:
    [after] = unsafe(STORE + ROWS)
    assert "      } finally {\n        cursor.close();\n      }\n" in after


def test_what_is_kept_on_the_way_of_an_exception_alone_is_not_closed_under_it() -> None:
    failing = (
        "class Case {\n  private final List<Row> later = new ArrayList<>();\n  private Table table;\n  void load() throws IOException {\n    Cursor cursor = table.open();\n"
        "    try {\n      cursor.moveToNext();\n    } catch (IllegalStateException e) {\n      later.add(cursor.getRow());\n      throw e;\n    }\n"
        "    System.out.println(cursor.size());\n    cursor.close();\n  }\n}\n"
    )
    found = answers("Case.java", (STORE + failing).encode())
    assert found and all(isinstance(each, Declined) for each in found)


def test_what_a_stranger_is_built_around_stands_in_the_header_alone() -> None:
    body = (
        "class Case {\n  static void show(File file) throws IOException {\n    PointManager manager = new PointManager(new FileInputStream(file));\n"
        "    System.out.println(manager.count() == 1);\n  }\n}\n"
    )
    [after] = unsafe(LIBRARY + body)
    assert "    try (FileInputStream in = new FileInputStream(file)) {\n      PointManager manager = new PointManager(in);\n      System.out.println(manager.count()" in after


def test_what_a_stranger_writes_to_is_not_closed_without_it() -> None:
    body = (
        "class Case {\n  static void show(File file) throws IOException {\n    PointManager manager = new PointManager(new FileOutputStream(file));\n"
        "    manager.count();\n    manager.limit();\n  }\n}\n"
    )
    assert not unsafe(LIBRARY + body)


READER = (
    "  static class Source {\n    private InputStream in;\n    void setInput(InputStream in) {\n      this.in = in;\n    }\n    int next() throws IOException {\n      return in.read();\n    }\n  }\n"
)


def test_what_a_local_is_given_to_read_from_is_open_as_long_as_that_reads() -> None:
    body = READER + (
        "  int count(File file) throws IOException {\n    Source source = new Source();\n    source.setInput(new FileInputStream(file));\n    int n = 0;\n"
        "    while (source.next() >= 0) {\n      n++;\n    }\n    return n;\n  }"
    )
    [after] = safe(body)
    assert "    try (FileInputStream in = new FileInputStream(file)) {\n      source.setInput(in);\n      int n = 0;\n      while (source.next() >= 0) {\n" in after


def test_what_a_returned_object_is_given_to_read_from_stays_open() -> None:
    body = READER + (
        "  Source begun(File file) throws IOException {\n    Source source = new Source();\n    source.setInput(new FileInputStream(file));\n    source.next();\n    return source;\n  }"
    )
    assert not safe(body)


PULLED = (
    "import java.io.*;\nimport org.xmlpull.v1.*;\nclass Case {\n  int count(java.net.URLConnection from) throws Exception {\n    XmlPullParser parser = XmlPullParserFactory.newInstance().newPullParser();\n"
    "    {0}\n    parser.setInput(new BufferedInputStream(from.getInputStream()), \"UTF-8\");\n    int n = 0;\n    while (parser.next() != XmlPullParser.END_DOCUMENT) {\n      n++;\n    }\n"
    "    return {1};\n  }\n}\n"
)


def pulled(before: str, result: str) -> list[str]:
    """How each fix of such a method is offered."""
    data = PULLED.replace("{0}", before).replace("{1}", result)
    return [each.applicability.value for each in answers("Case.java", data.encode()) if isinstance(each, Fix)]


def test_a_stream_is_closed_behind_the_last_that_a_local_parser_reads_of_it() -> None:
    assert pulled("parser.getFeature(null);", "n") == ["safe"]


def test_a_stream_stays_open_where_the_parser_that_reads_it_is_handed_on() -> None:
    assert pulled("Names.keep(parser);", "n") == []
    assert pulled("Parsers.last = parser;", "n") == pulled("XmlPullParser other = parser;", "n") == pulled("", "parser") == []


def test_a_stream_stays_open_for_a_parser_that_runs_at_another_time() -> None:
    assert pulled("Tasks.last(() -> parser.next());", "n") == pulled("", "Tasks.begun(() -> parser.next())") == []
    assert pulled("", "Tasks.begun(new Task() {\n      public int run() throws Exception {\n        return parser.next();\n      }\n    })") == []


def test_who_is_given_the_parser_is_taken_to_be_done_with_it() -> None:
    assert pulled("", "n + Names.of(parser)") == ["unsafe"]


OWNER = (
    "class Case {\n  private {0}Connection conn;\n  private final PreparedStatement statement;\n  private final int size;\n  Case(Pool pool, String sql) throws SQLException {\n"
    "    this.conn = pool.getConnection();\n    this.size = Sizes.of(pool);\n    this.statement = this.conn.prepareStatement(sql);\n  }\n"
    "  void close() throws SQLException {\n    try {\n      statement.close();\n    } finally {\n      conn.close();\n    }\n  }\n}\n"
)


def test_a_final_field_that_the_class_closes_is_closed_where_its_constructor_fails() -> None:
    [after] = unsafe(STORE + OWNER.replace("{0}", "final "))
    assert "    } catch (Throwable e) {\n      try {\n        this.conn.close();\n" in after


def test_a_field_that_others_may_have_assigned_is_not() -> None:
    assert not unsafe(STORE + OWNER.replace("{0}", ""))


def test_a_field_that_nobody_closes_gets_no_handler_for_a_fear() -> None:
    assert not unsafe(STORE + OWNER.replace("{0}", "final ").replace("      conn.close();\n", "      System.out.println();\n"))


TWO_TRIES = (
    "  int sum(File file) {\n    InputStream in = null;\n    try {\n      in = new FileInputStream(file);\n      in = new BufferedInputStream(in);\n"
    "    } catch (IOException e) {\n      System.exit(1);\n    }\n    int sum = 0;\n    try {\n      sum = in.read() + in.read();\n"
    "    } catch (IOException e) {\n      System.err.println(file);\n    }\n    return sum;\n  }"
)


def test_the_last_try_closes_what_the_first_one_opened_or_ended_the_program() -> None:
    [after] = safe(TWO_TRIES)
    assert "      System.err.println(file);\n    } finally {\n      try {\n        in.close();\n" in after


def test_where_the_first_try_may_have_failed_the_last_asks() -> None:
    [after] = safe(TWO_TRIES.replace("System.exit(1)", "System.err.println(1)").replace("sum = in", "if (in != null) sum = in"))
    assert "    } finally {\n      if (in != null) {\n        try {\n          in.close();\n" in after


def test_a_try_that_held_nothing_but_closes_of_several_goes_with_them() -> None:
    body = (
        "  boolean copy(File one, File other) {\n    java.nio.channels.FileChannel from = null;\n    java.nio.channels.FileChannel to = null;\n    try {\n"
        "      from = new FileInputStream(one).getChannel();\n      to = new FileOutputStream(other).getChannel();\n      from.transferTo(0, from.size(), to);\n"
        "      from.close();\n      to.close();\n      return true;\n    } catch (IOException e) {\n      e.printStackTrace();\n      try {\n        from.close();\n        to.close();\n"
        "      } catch (Exception ignored) {\n      }\n    }\n    return false;\n  }"
    )
    [after] = safe(body)
    assert "      return true;\n    } catch (IOException e) {\n      e.printStackTrace();\n    }\n    return false;\n" in after
    assert after.count("try") == 1


def test_a_number_that_a_stranger_gives_needs_nothing() -> None:
    data = HEAD + (
        "  private org.points.Table table;\n  org.points.Sum sum(String name) {\n    android.database.Cursor cursor = table.query(name);\n    org.points.Sum sum = new org.points.Sum();\n"
        "    while (cursor.moveToNext()) {\n      sum.value = cursor.getLong(0);\n    }\n    cursor.close();\n    return sum;\n  }\n}\n"
    )
    found = answers("Case.java", data.encode())
    assert found and all(isinstance(each, Fix) for each in found)


def test_a_patch_that_changes_nothing_is_none() -> None:
    body = (
        "  private org.points.Table table;\n  String first(String name) {\n    android.database.Cursor cursor = table.query(name);\n    if (cursor.getCount() == 0) {\n"
        "      cursor = table.query(cursor.getString(0));\n    }\n    try {\n      return cursor.getString(0);\n    } finally {\n      cursor.close();\n    }\n  }"
    )
    assert "the patched text would be fixed again" not in reasons(body)


def test_what_an_unknown_class_above_gives_is_closed_only_where_the_code_closes_it() -> None:
    data = (
        "package a;\nimport java.io.*;\nimport org.base.BaseHandler;\nclass Case extends BaseHandler {\n  int first() throws IOException {\n"
        "    InputStream in = getInputStream();\n    return in.read();\n  }\n}\n"
    )
    assert all(isinstance(each, Declined) for each in answers("Case.java", data.encode()))
    closed = data.replace("    return in.read();\n", "    int first = in.read();\n    in.close();\n    return first;\n")
    assert any(isinstance(each, Fix) for each in answers("Case.java", closed.encode()))


def test_resources_that_are_declared_together_get_declarations_of_their_own() -> None:
    body = (
        "  String first(File one, File other) throws IOException {\n    BufferedReader a = new BufferedReader(new FileReader(one)), b = new BufferedReader(new FileReader(other));\n"
        "    return a.readLine() + b.readLine();\n  }"
    )
    after = mended("Case.java", (HEAD + body + "\n}\n").encode()).decode()
    assert (
        "    try (BufferedReader a = new BufferedReader(new FileReader(one));\n        BufferedReader b = new BufferedReader(new FileReader(other))) {\n"
        "      return a.readLine() + b.readLine();\n    }\n"
    ) in after


def test_what_is_declared_beside_a_resource_keeps_its_order() -> None:
    body = (
        "  private int read(InputStream in) throws IOException {\n    return in.read();\n  }\n"
        "  int sum(File file) throws IOException {\n    int n = 1, m = read(new FileInputStream(file));\n    return n + m;\n  }"
    )
    [after] = safe(body)
    assert "    int n = 1;\n    int m;\n    try (FileInputStream in = new FileInputStream(file)) {\n      m = read(in);\n    }\n" in after


def test_what_an_unknown_constructor_was_given_is_nobodys_where_it_fails() -> None:
    data = (
        "package a;\nimport java.io.*;\nimport org.points.BlockReader;\nclass Case {\n  private InputStream open() throws IOException {\n    return new FileInputStream(\"a\");\n  }\n"
        "  int count(int limit) throws IOException {\n    return new BlockReader(open(), limit).process();\n  }\n}\n"
    )
    [after] = unsafe(data)
    assert "    try (InputStream in = open()) {\n      return new BlockReader(in, limit).process();\n    }\n" in after


def test_what_an_unknown_constructor_was_given_is_closed_in_a_finally_as_the_code_does_behind_it() -> None:
    data = (
        "package a;\nimport java.io.*;\nimport org.points.*;\nclass Case {\n  private Table table;\n  void load(Store store) {\n    try {\n      InputStream in = store.getTable();\n"
        "      table = new Table(in);\n      in.close();\n    } catch (IOException e) {\n      e.printStackTrace();\n    }\n  }\n}\n"
    )
    assert [each for each in answers("Case.java", data.encode()) if isinstance(each, Fix)]
