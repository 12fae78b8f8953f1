"""What a method of the code's own answers may read from what its object holds in a field: then the object stays open."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

SOURCE = """\
import java.io.*;
import java.util.*;
import java.util.zip.*;
class A {{
    static class Item {{
        final String name;
        Item(String name) {{ this.name = name; }}
    }}
    static class Parts implements Closeable {{
        private final ZipFile zip;
        Parts(File f) throws IOException {{ zip = new ZipFile(f); }}
        InputStream one() throws IOException {{ return zip.getInputStream(zip.getEntry("x")); }}
        Enumeration<?> all() {{ return zip.entries(); }}
        public void close() throws IOException {{ zip.close(); }}
    }}
    static class Lines implements Closeable {{
        private final BufferedReader in;
        Lines(File f) throws IOException {{ in = new BufferedReader(new FileReader(f)); }}
        Iterator<String> all() {{ return in.lines().iterator(); }}
        Item next() throws IOException {{ return new Item(in.readLine()); }}
        public void close() throws IOException {{ in.close(); }}
    }}
    Object read(File f) throws IOException {{
        {statements}
    }}
}}
"""


@pytest.mark.parametrize(
    "statements",
    ["Parts parts = new Parts(f);\n        return parts.one();", "Parts parts = new Parts(f);\n        return parts.all();", "Lines lines = new Lines(f);\n        return lines.all();"],
    ids=["a part", "a list of parts", "what wraps it"],
)
def test_it_stays_open(statements: str) -> None:
    source = SOURCE.format(statements=statements)
    assert "try (" not in mended("A.java", source.encode()).decode()


def test_what_was_read_needs_nothing() -> None:
    after = mended("A.java", SOURCE.format(statements="Lines lines = new Lines(f);\n        return lines.next();").encode()).decode()
    assert "try (Lines lines = new Lines(f)) {" in after
