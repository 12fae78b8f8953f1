"""What a proof about Java must not take for granted: each method with what may not be done to it safely."""

from __future__ import annotations

from fixers import Applicability, Declined, Fix
from fixers.edits import apply
from tests.unit.fixers.members import HEAD, safe
from tests.unit.fixers.patching import answers


def test_a_variable_that_is_used_again_is_closed_once_before() -> None:
    [text, *_] = safe(
        "  int run(String one, String two) throws IOException {\n    InputStream in = new FileInputStream(one);\n"
        "    int size = in.read();\n    in = new FileInputStream(two);\n    size += in.read();\n    in.close();\n"
        "    return size;\n  }"
    )
    assert "    try (InputStream in = new FileInputStream(one)) {\n      size = in.read();\n    }\n    try (InputStream in = new FileInputStream(two)) {\n" in text


def test_what_may_be_null_is_not_closed_unseen() -> None:
    [text] = safe(
        "  FileInputStream open(String path) {\n    FileInputStream in = null;\n    try {\n      in = new FileInputStream(path);\n"
        "    } catch (IOException e) {\n      System.err.println(path);\n    }\n    return in;\n  }\n"
        "  void run(String path) throws IOException {\n    FileInputStream in = open(path);\n  }"
    )
    assert "    FileInputStream in = open(path);\n    if (in != null) {\n      in.close();\n    }\n" in text


def test_what_surely_returns_something_needs_no_test() -> None:
    [text] = safe(
        "  FileInputStream open(String path) throws IOException {\n    return new FileInputStream(path);\n  }\n"
        "  void run(String path) throws IOException {\n    open(path);\n  }"
    )
    assert "open(path).close();" in text


def test_a_resource_that_is_only_sometimes_opened_is_not_opened_before() -> None:
    assert safe(
        "  void run(String path) throws IOException {\n    if (path != null && new FileInputStream(path).read() < 0) {\n"
        "      throw new IOException(path);\n    }\n  }"
    ) == []


def test_a_variable_of_a_type_that_need_not_have_close_is_not_safely_closed() -> None:
    data = (
        b"import org.apache.http.HttpResponse;\nimport org.apache.http.impl.client.*;\nimport org.apache.http.client.methods.*;\n"
        b"class Case {\n  int run(CloseableHttpClient client, HttpGet get) throws java.io.IOException {\n"
        b"    HttpResponse response = client.execute(get);\n    return response.getStatusLine().getStatusCode();\n  }\n}\n"
    )
    found = answers("Case.java", data)
    assert found
    assert all(isinstance(each, Declined) or each.applicability is Applicability.UNSAFE for each in found)


def test_what_closing_throws_may_pass_where_it_did() -> None:
    data = (
        b"import acme.Store;\nclass Case {\n  int run(Store store) throws acme.Failure {\n    acme.Reader in = store.openReader();\n"
        b"    int size = in.read();\n    in.close();\n    return size;\n  }\n}\n"
    )
    [answer] = answers("Case.java", data)
    assert isinstance(answer, Fix)
    assert [each.reason for each in answer.proof if each.verdict == "assumed"] == ["only an exception that leaves could lose it, and it may not have to be closed"]
    assert "    } finally {\n      in.close();\n    }\n" in apply(data, answer.edits).decode()


def test_a_variable_of_two_resources_gets_a_header_for_each() -> None:
    body = (
        "  int run(String path, int k) throws IOException {\n    InputStream in = new FileInputStream(path);\n"
        "    int b = in.read();\n    if (k == 1) {\n      in.close();\n      in = new FileInputStream(path + 1);\n"
        "      b += in.read();\n    }\n    if (k == 2)\n      return b;\n    in.close();\n    return b;\n  }"
    )
    texts = safe(body)
    assert texts
    for text in texts:
        assert "    try (InputStream in = new FileInputStream(path)) {\n      b = in.read();\n    }\n    if (k == 1) {\n" in text
        assert "      try (InputStream in = new FileInputStream(path + 1)) {\n        b += in.read();\n      }\n    }\n    if (k == 2)" in text


def test_a_patch_that_leaves_its_own_acquisition_lost_is_none() -> None:
    body = (
        "  int run(String path, int k) throws IOException {\n    InputStream in = new FileInputStream(path);\n"
        "    int b = in.read();\n    if (k == 1) {\n      in = new FileInputStream(path);\n      b += in.read();\n    }\n"
        "    in.close();\n    return b;\n  }"
    )
    data = (HEAD + body + "\n}\n").encode()
    first = answers("Case.java", data)[0]
    assert isinstance(first, Declined) or b"finally" not in apply(data, first.edits)


def test_a_variable_of_several_resources_is_closed_behind_the_uses_of_each() -> None:
    body = (
        "  void send(byte[] b, Socket s) throws IOException {\n    s = new Socket(\"a\", 2);\n"
        "    s.getOutputStream().write(b);\n    s.close();\n    s = null;\n  }\n"
        "  void two(byte[] b, boolean first) throws IOException {\n    Socket s = first ? new Socket(\"b\", 1) : new Socket(\"c\", 1);\n"
        "    s.close();\n    s = new Socket(\"a\", 2);\n    s.getOutputStream().write(b);\n    s.close();\n    b[0] = 1;\n  }"
    )
    assert any(
        "    try {\n      s.getOutputStream().write(b);\n    } finally {\n      s.close();\n    }\n    b[0] = 1;" in text
        for text in safe(body)
    )


def test_what_a_library_hands_out_may_be_null() -> None:
    data = (
        b"import java.util.*;\nimport org.checkerframework.checker.mustcall.qual.MustCall;\nclass Case {\n"
        b"  static void run(Map<String, @MustCall(\"trim\") String> from) {\n    String found = from.get(\"a\");\n  }\n}\n"
    )
    [found] = answers("Case.java", data)
    assert isinstance(found, Fix)
    assert b"if (found != null) {\n      found.trim();" in apply(data, found.edits)
