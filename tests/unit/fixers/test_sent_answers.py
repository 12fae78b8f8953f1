"""The stream of a servlet's answer does not come into a header with what is read for it: where that fails, the container has to tell so."""

from __future__ import annotations

from tests.unit.fixers.patching import mended

SENDING = b"""import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import javax.servlet.http.HttpServletResponse;

class Sending {
    static void send(String path, HttpServletResponse response) throws IOException {
        OutputStream out = response.getOutputStream();
        InputStream in = new FileInputStream(path);
        byte[] block = new byte[4096];
        for (int n; (n = in.read(block)) != -1; ) {
            out.write(block, 0, n);
        }
        in.close();
        out.close();
    }
}
"""


def test_an_answer_is_not_sent_where_something_fails() -> None:
    assert b"try (OutputStream out" not in mended("Sending.java", SENDING)


def test_a_file_that_is_written_comes_into_the_header() -> None:
    writing = SENDING.replace(b"response.getOutputStream()", b'new java.io.FileOutputStream(path + ".copy")')
    assert b"try (OutputStream out" in mended("Sending.java", writing)
