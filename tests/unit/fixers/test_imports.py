"""How a fix names types, and where the imports that it needs go."""

from __future__ import annotations

import pytest

from analyzers import analyze
from fixers import Fix, Options, fix, tree
from fixers.edits import apply
from fixers.java.naming import variable_for
from tests.unit.fixers.patching import program

BODY = """class Case {
    java.util.Properties read(java.nio.file.Path path) throws IOException {
        java.util.Properties found = new java.util.Properties();
        found.load(Files.newInputStream(path));
        return found;
    }
}
"""


def mended(head: str, body: str = BODY, release: int = 0) -> str:
    """The file after its only fix; `release` 0 where no build file says a language level."""
    data = (head + body).encode()
    subject = program("a/Case.java", data)
    [leak] = analyze(subject).findings
    answer = fix(leak, subject, Options(java_release=release))
    return apply(data, answer.edits).decode() if isinstance(answer, Fix) else ""


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (
            "package a;\n\nimport java.io.IOException;\nimport java.nio.file.Files;\n\n",
            "import java.io.IOException;\nimport java.io.InputStream;\nimport java.nio.file.Files;\n",
        ),
        (
            "package a;\n\nimport java.nio.file.Files;\n\nimport java.io.EOFException;\nimport java.io.IOException;\nimport java.io.Reader;\n\n",
            "import java.io.IOException;\nimport java.io.InputStream;\nimport java.io.Reader;\n",
        ),
        ("package a;\n\nimport java.io.*;\nimport java.nio.file.Files;\n\n", "import java.io.*;\nimport java.nio.file.Files;\n"),
        (
            "/* import java.io.Nothing; */\npackage a;\n\nimport static java.lang.Math.max;\nimport java.nio.file.*;\nimport java.io.IOException;\n",
            "import java.nio.file.*;\nimport java.io.IOException;\nimport java.io.InputStream;\n",
        ),
    ],
)  # fmt: skip
def test_an_import_goes_where_the_others_have_it(head: str, expected: str) -> None:
    text = mended(head)
    assert expected in text
    assert "try (InputStream in = Files.newInputStream(path)) {" in text


def test_a_name_that_means_another_type_is_written_in_full() -> None:
    head = "package a;\n\nimport java.io.IOException;\nimport java.nio.file.Files;\n\nclass InputStream {}\n\n"
    text = mended(head)
    assert "try (java.io.InputStream in" in text
    assert "import java.io.InputStream" not in text


STREAM = """class Case {
    long count(Path path) throws IOException {
        return Files.list(path).count();
    }
}
"""
STREAM_HEAD = "package a;\n\nimport java.io.IOException;\nimport java.nio.file.Files;\nimport java.nio.file.Path;\n\n"


def test_a_generic_type_keeps_its_parameter() -> None:
    text = mended(STREAM_HEAD, STREAM)
    assert "import java.nio.file.Path;\nimport java.util.stream.Stream;\n" in text
    assert "try (Stream<Path> stream = Files.list(path)) {" in text


def test_var_needs_its_level() -> None:
    head = "package a;\n\nimport java.io.*;\nimport java.util.*;\n\n"
    body = (
        "class Case {\n    static class Rows<T> extends FileReader {\n        Rows(String path) throws IOException {\n            super(path);\n        }\n    }\n\n"
        "    static Rows<List<String>> rows(String path) throws IOException {\n        return new Rows<>(path);\n    }\n\n"
        "    boolean see(String path) throws IOException {\n        return rows(path).ready();\n    }\n}\n"
    )
    assert "var " not in mended(head, body)
    assert "try (var " in mended(head, body, release=11)


def test_a_handler_that_closes_minds_null() -> None:
    body = """class Case {
    Connection open(Driver driver, String url) throws SQLException {
        Connection found = driver.connect(url, null);
        if (found != null) {
            found.setAutoCommit(false);
        }
        return found;
    }
}
"""
    text = mended("import java.sql.*;\n\n", body)
    assert "catch (Throwable e) {\n            if (found != null) {\n                try {\n                    found.close();" in text


def test_a_handler_begins_behind_a_way_out_for_null() -> None:
    body = """class Case {
    Connection open(Driver driver, String url) throws SQLException {
        Connection found = driver.connect(url, null);
        if (found == null) {
            throw new SQLException("no driver");
        }
        found.setAutoCommit(false);
        return found;
    }
}
"""
    text = mended("import java.sql.*;\n\n", body)
    assert "        }\n        try {\n            found.setAutoCommit(false);" in text
    assert "catch (Throwable e) {\n            try {\n                found.close();" in text


def test_a_try_around_is_used() -> None:
    body = BODY.replace("found.load(Files.newInputStream(path));", "try {\n            found.load(Files.newInputStream(path));\n        } catch (IOException e) {\n            found.clear();\n        }")
    text = mended("import java.io.*;\nimport java.nio.file.*;\n", body)
    assert "        try (InputStream in = Files.newInputStream(path)) {\n            found.load(in);\n        } catch (IOException e) {" in text


@pytest.mark.parametrize(
    ("written", "name"),
    [("URLClassLoader", "urlClassLoader"), ("Store", "store"), ("FileInputStream", "in"), ("JMXConnector", "jmxConnector"), ("DB", "db")],
)  # fmt: skip
def test_names_of_new_variables(written: str, name: str) -> None:
    assert variable_for(tree.parse("java", b"              void f() { }", 14, 26), written) == name
