"""How the type of what has no name is written where it gets one: of methods of the file, of libraries, among types of the same name."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

HEAD = "import java.io.*;\nimport java.util.stream.*;\nimport android.database.Cursor;\nimport android.database.sqlite.SQLiteDatabase;\nimport okhttp3.*;\n"
OPENED = "    private Stream<String> lines(java.nio.file.Path p) throws IOException {\n        return java.nio.file.Files.lines(p);\n    }\n"


@pytest.mark.parametrize(
    ("method", "header"),
    [
        (
            "    void show(java.nio.file.Path p) throws IOException {\n        lines(p).forEach(System.out::println);\n    }\n",
            "        try (Stream<String> stream = lines(p)) {\n            stream.forEach(System.out::println);\n",
        ),
        (
            '    boolean any(SQLiteDatabase db) {\n        return db.rawQuery("select 1", null).moveToFirst();\n    }\n',
            '        try (Cursor cursor = db.rawQuery("select 1", null)) {\n            return cursor.moveToFirst();\n',
        ),
        (
            "    int code(OkHttpClient client, Request r) throws IOException {\n        return client.newCall(r).execute().code();\n    }\n",
            "        try (Response response = client.newCall(r).execute()) {\n            return response.code();\n",
        ),
    ],
    ids=["of the file", "of Android", "of OkHttp"],
)
def test_it_is_written_as_what_gives_it_tells(method: str, header: str) -> None:
    assert header in mended("A.java", f"{HEAD}class A {{\n{OPENED}{method}}}\n".encode()).decode()


def test_a_name_that_means_another_type_is_written_whole() -> None:
    source = (
        "import java.nio.file.Files;\nimport org.elsewhere.Path;\nclass A {\n    Path kept;\n    long count(java.nio.file.Path p) throws java.io.IOException {\n"
        "        return Files.list(p).count();\n    }\n}\n"
    )
    assert "try (Stream<java.nio.file.Path> stream = Files.list(p)) {" in mended("A.java", source.encode()).decode()


def test_what_may_have_arguments_that_nobody_tells_is_left_alone() -> None:
    source = (
        "import com.mongodb.client.*;\nclass A {\n    boolean any(MongoCollection<String> c) {\n"
        "        return c.find().iterator().hasNext();\n    }\n}\n"
    )
    assert mended("A.java", source.encode()).decode() == source


NESTED = """\
import java.io.*;
class A {{
    static class Line{parameters} implements Closeable {{
        private final FileInputStream in;
        Line(String f) throws IOException {{ in = new FileInputStream(f); }}
        static {own}Line{parameters} of(String f) throws IOException {{ return new Line{made}(f); }}
        int read() throws IOException {{ return in.read(); }}
        public void close() throws IOException {{ in.close(); }}
    }}
    int first(String f) throws IOException {{
        return Line.of(f).read();
    }}
}}
"""


def test_so_is_a_class_of_the_repository() -> None:
    after = mended("A.java", NESTED.format(parameters="", own="", made="").encode()).decode()
    assert "        try (Line line = Line.of(f)) {\n            return line.read();\n        }\n" in after


def test_but_not_one_with_parameters() -> None:
    after = mended("A.java", NESTED.format(parameters="<T>", own="<T> ", made="<>").encode()).decode()
    assert "(Line " not in after


@pytest.mark.parametrize("made", ["new Scanner(f)", "new Scanner(new FileInputStream(f))"])
def test_what_gives_its_receiver_back_stands_in_the_header(made: str) -> None:
    source = (
        "import java.io.*;\nimport java.util.Scanner;\nclass A {\n    String first(File f) throws IOException {\n"
        f"        Scanner s = {made}.useDelimiter(\"x\");\n        return s.next();\n    }}\n}}\n"
    )
    assert f'try (Scanner s = {made}.useDelimiter("x")) {{' in mended("A.java", source.encode()).decode()
