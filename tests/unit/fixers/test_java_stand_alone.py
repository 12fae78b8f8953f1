"""What is returned, but needs nothing of what it was read from: the resource is closed all the same."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended


@pytest.mark.parametrize(
    ("type_", "made", "value"),
    [
        ("Object", "new java.io.ObjectInputStream(new FileInputStream(f))", "in.readObject()"),
        ("Object", "new java.beans.XMLDecoder(new FileInputStream(f))", "in.readObject()"),
        ("java.awt.image.BufferedImage", "new FileInputStream(f)", "javax.imageio.ImageIO.read(in)"),
        ("java.util.Optional<String>", "new BufferedReader(new FileReader(f))", "in.lines().findFirst()"),
        ("java.security.cert.Certificate", "new FileInputStream(f)", 'java.security.cert.CertificateFactory.getInstance("X.509").generateCertificate(in)'),
    ],
)
def test_it_is_closed_where_the_result_stands_alone(type_: str, made: str, value: str) -> None:
    source = (
        f"import java.io.*;\nclass A {{\n    {type_} read(String f) throws Exception {{\n"
        f"        var in = {made};\n        return {value};\n    }}\n}}\n"
    )
    after = mended("A.java", source.encode()).decode()
    assert "try (" in after
    assert f"            return {value};" in after


def test_a_picture_of_android_stands_alone() -> None:
    source = (
        "import android.graphics.Bitmap;\nimport android.graphics.BitmapFactory;\nimport java.io.*;\nclass A {\n    Bitmap read(String f) throws IOException {\n"
        "        InputStream in = new FileInputStream(f);\n        return BitmapFactory.decodeStream(in);\n    }\n}\n"
    )
    assert "try (InputStream in = " in mended("A.java", source.encode()).decode()


def test_so_does_what_attributes_of_android_give() -> None:
    source = (
        "import android.content.Context;\nimport android.content.res.TypedArray;\nclass A {\n    Object shown(Context c) {\n"
        "        TypedArray t = c.obtainStyledAttributes(new int[0]);\n        Object found = t.getDrawable(0);\n        return found;\n    }\n}\n"
    )
    assert "t.recycle();" in mended("A.java", source.encode()).decode()


def test_what_reads_on_is_not_returned_from_a_closed_stream() -> None:
    source = (
        "import java.io.*;\nclass A {\n    java.util.stream.Stream<String> read(String f) throws Exception {\n"
        "        BufferedReader in = new BufferedReader(new FileReader(f));\n        return in.lines();\n    }\n}\n"
    )
    assert mended("A.java", source.encode()).decode() == source


ROWS = """\
import java.sql.*;
import java.util.*;
class A {
    static class P {
        String n;
        ResultSet r;
        P(String n) { this.n = n; }
        P(ResultSet r) { this.r = r; }
    }
    interface Text { String get() throws SQLException; }
    static P map(ResultSet r) throws SQLException { return new P(r.getString(1)); }
    static P keep(ResultSet r) { return new P(r); }
    static Object object(ResultSet r) throws SQLException { return r.getObject(1); }
    static Text lazy(ResultSet r) { return () -> r.getString(1); }
    static <T> T same(T r) { return r; }
    static P behind(ResultSet r) { P p = new P("x"); p.r = r; return p; }
    Object first(Connection c) throws SQLException {
        PreparedStatement s = c.prepareStatement("x");
        ResultSet r = s.executeQuery();
        if (!r.next())
            return null;
        return map(r);
    }
}
"""


def test_what_a_method_made_of_texts_that_it_read_stands_alone() -> None:
    after = mended("A.java", ROWS.encode()).decode()
    assert 'try (PreparedStatement s = c.prepareStatement("x"); ResultSet r = s.executeQuery()) {' in after
    assert "            return map(r);" in after


@pytest.mark.parametrize("name", ["keep", "object", "lazy", "same", "behind"])
def test_what_a_method_made_of_the_rows_themselves_needs_them(name: str) -> None:
    source = ROWS.replace("return map(r);", f"return {name}(r);")
    assert mended("A.java", source.encode()).decode() == source


LEFT = """\
import java.io.*;
import java.util.zip.*;
class A {
    static class Holder { InputStream in; String name; }
    static void open(ZipFile z, Holder h) throws IOException { h.in = z.getInputStream(z.getEntry("x")); }
    static void name(ZipFile z, Holder h) throws IOException { h.name = z.getName(); }
    Holder first(String n) throws IOException {
        ZipFile z = new ZipFile(n);
        Holder h = new Holder();
        open(z, h);
        return h;
    }
}
"""


def test_what_a_method_leaves_in_another_object_may_need_what_it_was_given() -> None:
    assert mended("A.java", LEFT.encode()).decode() == LEFT


def test_a_text_that_a_method_leaves_in_another_object_needs_nothing() -> None:
    assert "try (ZipFile z" in mended("A.java", LEFT.replace("open(z, h);", "name(z, h);").encode()).decode()
