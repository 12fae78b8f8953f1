"""Where a patch closes whatever leaves, the code's own closes right before it throws go."""

from __future__ import annotations

from tests.unit.fixers.members import safe

BODY = """  InputStream open(String path, String name) throws IOException {
    java.util.zip.ZipFile zip = new java.util.zip.ZipFile(path);
    java.util.zip.ZipEntry entry = zip.getEntry(name);
    if (entry == null) {
      zip.close();
      throw new IllegalStateException(name);
    }
    return new Both(zip.getInputStream(entry), zip);
  }
  static class Both extends FilterInputStream {
    private final java.util.zip.ZipFile zip;
    Both(InputStream in, java.util.zip.ZipFile zip) { super(in); this.zip = zip; }
    @Override public void close() throws IOException { try { super.close(); } finally { zip.close(); } }
  }"""


def test_a_close_before_a_throw_goes_where_a_handler_closes() -> None:
    [text] = safe(BODY)
    assert "      if (entry == null) {\n        throw new IllegalStateException(name);\n      }\n" in text
    assert text.partition("class Both")[0].count("zip.close()") == 1


def test_a_close_before_a_return_stays() -> None:
    texts = safe(BODY.replace("throw new IllegalStateException(name)", "return null"))
    assert all(text.partition("class Both")[0].count("zip.close()") == 2 for text in texts)


def test_a_close_and_a_throw_in_a_handler_keep_another_handler_from_going_around() -> None:
    body = """  Socket open(String host, Runnable last) throws IOException {
    Socket socket = new Socket();
    last.run();
    try {
      socket.connect(new InetSocketAddress(host, 1));
    } catch (IOException e) {
      socket.close();
      throw e;
    }
    last.run();
    return socket;
  }"""
    assert not any("Throwable" in text for text in safe(body))
