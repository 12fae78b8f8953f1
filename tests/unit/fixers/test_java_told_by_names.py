"""Types that only names tell: somebody has to look at those patches."""

from __future__ import annotations

from fixers import Applicability, Fix
from tests.unit.fixers.members import reasons, safe
from tests.unit.fixers.patching import answers

_ASKS = "  void run(javax.ws.rs.client.Invocation.Builder asked) {\n    asked.%s.get();\n  }"


def test_what_a_specified_step_of_a_builder_gives_is_closed() -> None:
    [text] = safe(_ASKS % 'header("a", "b")')
    assert "    asked.header(\"a\", \"b\").get().close();\n" in text


def test_a_step_that_nobody_knows_may_give_something_else() -> None:
    body = _ASKS % 'pausing(3)'
    assert safe(body) == []
    [answer] = answers("Case.java", ("class Case {\n" + body + "\n}\n").encode())
    assert isinstance(answer, Fix) and answer.applicability is Applicability.UNSAFE
    assert any(each.reason == "what `pausing` gives is told by its name alone" for each in answer.proof)


def test_who_goes_on_in_another_way_gives_no_answer_yet() -> None:
    assert (safe(_ASKS % "async()"), reasons(_ASKS % "async()")) == ([], [])


def test_an_object_read_for_a_class_is_no_answer() -> None:
    body = "  String run(javax.ws.rs.client.Invocation.Builder asked) {\n    return asked.method(\"GET\", String.class);\n  }"
    assert (safe(body), reasons(body)) == ([], [])


def test_a_name_without_a_type_for_the_order_of_calls_alone_is_looked_at_first() -> None:
    body = (
        "  static javax.net.ssl.SSLContext context() {\n    return null;\n  }\n  void run(String host) throws IOException {\n"
        "    final Socket over = Case.context().getSocketFactory().createSocket(new Socket(host, 1), host, 1, true);\n"
        "    over.getOutputStream().write(1);\n    over.getOutputStream().flush();\n  }"
    )
    [answer] = answers("Case.java", ("import java.io.*;\nimport java.net.*;\nclass Case {\n" + body + "\n}\n").encode())
    assert isinstance(answer, Fix) and any("var " in each.text for each in answer.edits)
    assert answer.applicability is Applicability.UNSAFE
