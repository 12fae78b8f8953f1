"""What stands beside a header: the channel of a stream, which ends with it, and the comment above what goes into one."""

from __future__ import annotations

from tests.unit.fixers.members import safe

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
