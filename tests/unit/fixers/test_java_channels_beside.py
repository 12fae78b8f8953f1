"""What stands beside a header: the channel of a stream, which ends with it, and the comment above what goes into one."""

from __future__ import annotations

from tests.unit.fixers.members import offered, safe

_BODY = """  void fill(String path, byte[] with) throws IOException {
    FileOutputStream file = new FileOutputStream(path);
    java.nio.channels.FileChannel channel = file.getChannel();
    channel.write(java.nio.ByteBuffer.wrap(with));
    %s.close();
    %s.close();
  }"""


def test_a_channel_goes_into_the_header_in_whatever_order_they_are_closed() -> None:
    for names in (("file", "channel"), ("channel", "file")):
        [text] = safe(_BODY % names)
        assert "try (FileOutputStream file = new FileOutputStream(path);" in text
        assert "java.nio.channels.FileChannel channel = file.getChannel()) {\n" in text
        assert ".close()" not in text


def test_the_comment_above_what_is_assigned_first_goes_with_it() -> None:
    [text] = safe(
        "  int first(String path) {\n    InputStream in = null;\n    try {\n      // It holds one number.\n"
        "      in = new FileInputStream(path);\n      return in.read();\n    } catch (IOException e) {\n      return -1;\n    }\n  }"
    )
    assert "    // It holds one number.\n    try (InputStream in = new FileInputStream(path)) {\n      return in.read();\n" in text


def test_the_blank_line_above_a_lifted_comment_goes_too() -> None:
    [text] = safe(
        "  int first(String path) {\n    InputStream in;\n    try {\n\n      // It holds one number.\n"
        "      in = new FileInputStream(path);\n      return in.read();\n    } catch (IOException e) {\n      return -1;\n    }\n  }"
    )
    assert "    // It holds one number.\n    try (InputStream in = new FileInputStream(path)) {\n      return in.read();\n" in text


def test_a_comment_that_only_hopes_for_the_collector_goes_with_the_close() -> None:
    [text] = safe(
        "  void show(String path) throws IOException {\n    FileInputStream in = new FileInputStream(path);\n"
        "    System.out.println(in.read());\n\n    // let gc do the rest\n    in.close();\n  }"
    )
    assert "      System.out.println(in.read());\n    }\n  }\n" in text


def test_what_was_asked_of_a_connection_is_closed_before_it() -> None:
    found = offered(
        "  String run(javax.sql.XADataSource source) throws java.sql.SQLException {\n    javax.sql.XAConnection held = null;\n    java.sql.Connection asked = null;\n    try {\n"
        "      held = source.getXAConnection();\n      asked = held.getConnection();\n      return asked.toString();\n    } finally {\n      if (asked != null) {\n        try {\n"
        "          asked.close();\n        } catch (java.sql.SQLException e) {\n          throw new IllegalStateException(e);\n        }\n      }\n    }\n  }"
    )
    assert found and all(each.index("asked.close()") < each.index("held.close()") for each in found)
