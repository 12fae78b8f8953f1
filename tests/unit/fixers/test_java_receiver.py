"""What a call is made on gets a name where a header would open before it is asked."""

from __future__ import annotations

import pytest

from fixers import Applicability, Fix
from fixers.edits import apply
from tests.unit.fixers.members import reasons, safe
from tests.unit.fixers.patching import answers

CLASSES = """
    static class Merger {
        Object merge(int n, InputStream in) throws IOException { return in.read() + n; }
    }
    static class Box<T> { T take(InputStream in) throws IOException { in.read(); return null; } }
    int i;
    int next() { return i++; }
"""


def _method(statement: str) -> str:
    return CLASSES + f"    Object all(File file, Object[] to) throws IOException {{\n        {statement}\n    }}"


@pytest.mark.parametrize(
    ("statement", "expected"),
    (
        (
            "return new Merger().merge(1, new FileInputStream(file));",
            "        Merger merger = new Merger();\n        try (FileInputStream in = new FileInputStream(file)) {\n            return merger.merge(1, in);\n        }\n",
        ),
        (
            "Object merger = new Merger().merge(1, new FileInputStream(file)).toString();\n        return merger;",
            "        Merger merger2 = new Merger();\n        Object merger;\n        try (FileInputStream in = new FileInputStream(file)) {\n            merger = merger2.merge(1, in).toString();\n",
        ),
    ),
)
def test_the_receiver_comes_first(statement: str, expected: str) -> None:
    (text,) = safe(_method(statement))
    assert expected in text


@pytest.mark.parametrize(
    "statement",
    (
        "return new Merger().merge(next(), new FileInputStream(file));",
        "return new Merger().merge(i++, new FileInputStream(file));",
        "to[next()] = new Merger().merge(1, new FileInputStream(file)); return to;",
        "return Objects.equals(next(), new Merger().merge(1, new FileInputStream(file)));",
        "return file.exists() && new Merger().merge(1, new FileInputStream(file)) != null;",
        "return new Merger() { int n; }.merge(1, new FileInputStream(file));",
        "return new Box<>().take(new FileInputStream(file));",
    ),
)
def test_nothing_else_is_overtaken(statement: str) -> None:
    body = _method(statement)
    assert not safe(body)
    assert reasons(body)


def test_types_of_the_jdk_are_imported() -> None:
    data = (
        b"package p;\n\nimport java.io.FileInputStream;\nimport javax.xml.parsers.DocumentBuilderFactory;\nimport org.w3c.dom.Document;\n\nclass Case {\n"
        b"    Document read(String name) throws Exception {\n"
        b"        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new FileInputStream(name));\n    }\n}\n"
    )
    (found,) = answers("Case.java", data)
    assert isinstance(found, Fix) and found.applicability is Applicability.SAFE
    text = apply(data, found.edits).decode()
    assert "import javax.xml.parsers.DocumentBuilder;\nimport javax.xml.parsers.DocumentBuilderFactory;\n" in text
    assert "        DocumentBuilder documentBuilder = DocumentBuilderFactory.newInstance().newDocumentBuilder();\n        try (FileInputStream in =" in text


@pytest.mark.parametrize(
    ("statement", "expected"),
    (
        (
            "StreamTokenizer words = new StreamTokenizer(new FileReader(file));\n        words.nextToken();\n        return words.sval;",
            "        try (FileReader reader = new FileReader(file)) {\n            StreamTokenizer words = new StreamTokenizer(reader);\n            words.nextToken();\n",
        ),
        (
            "Lines lines = new Lines(new BufferedReader(new FileReader(file)));\n        return lines.next();",
            "        try (BufferedReader reader = new BufferedReader(new FileReader(file))) {\n            Lines lines = new Lines(reader);\n            return lines.next();\n",
        ),
    ),
)
def test_what_is_made_of_a_resource_and_has_no_close_uses_it_inside(statement: str, expected: str) -> None:
    body = "    static class Lines {\n        private final Reader from;\n        Lines(Reader from) { this.from = from; }\n        int next() throws IOException { return from.read(); }\n    }\n"
    (text,) = safe(body + f"    Object all(File file) throws IOException {{\n        {statement}\n    }}")
    assert expected in text


@pytest.mark.parametrize(
    "statement",
    (
        "Lines lines = new Lines(new FileReader(file));\n        if (file.exists()) { kept = lines; }\n        return lines.next();",
        "Lines lines = new Lines(new FileReader(file));\n        return lines.next() == 1 ? lines.self() : null;",
        "Lines lines = null;\n        if (file.exists()) { lines = new Lines(new FileReader(file)); }\n        return lines == null ? 0 : lines.next();",
    ),
)
def test_what_lives_on_needs_it(statement: str) -> None:
    body = (
        "    Lines kept;\n    static class Lines {\n        private final Reader from;\n        Lines(Reader from) { this.from = from; }\n"
        "        Lines self() { return this; }\n        int next() throws IOException { return from.read(); }\n    }\n"
    )
    assert not safe(body + f"    Object all(File file) throws IOException {{\n        {statement}\n    }}")


def test_a_close_right_behind_a_block_stands_behind_it() -> None:
    body = """
    Reader some(File file) throws IOException {
        FileInputStream in = new FileInputStream(file);
        if (in.read() == 'x') {
            return new BufferedReader(new InputStreamReader(in));
        }
        return null;
    }"""
    (text,) = safe(body)
    assert "            throw e;\n        }\n        in.close();\n        return null;\n" in text
