"""What a procedure owns from its beginning: parameters, what a field held, what a destructor closes."""

from __future__ import annotations

import pytest

from fixers import Applicability, Declined, Fix
from fixers.edits import apply
from tests.unit.fixers.patching import answers

HEAD = (
    "import java.io.*;\nimport org.checkerframework.checker.mustcall.qual.*;\n"
    "import org.checkerframework.checker.calledmethods.qual.*;\n"
)


PLAIN = "import java.io.*;\n"


def only(source: str, release: int = 8, head: str = HEAD) -> tuple[str, Applicability, str]:
    """The text after the only fix, what it is, and what is assumed."""
    data = (f"// release: {release}\n" + head + source).encode()
    [answer] = [each for each in answers("Case.java", data)]
    assert isinstance(answer, Fix), answer
    assumed = "; ".join(check.reason for check in answer.proof if check.verdict.value == "assumed")
    return apply(data, answer.edits).decode(), answer.applicability, assumed


@pytest.mark.parametrize(
    "release, expected",
    [
        (8, "    try {\n      return in.read();\n    } finally {\n      in.close();\n    }\n"),
        (17, "    try (in) {\n      return in.read();\n    }\n"),
    ],
)
def test_a_parameter_that_is_owned_is_closed_around_its_uses(release: int, expected: str) -> None:
    text, applicability, _ = only(
        "class Case {\n  int run(@Owning InputStream in) throws IOException {\n    return in.read();\n  }\n}\n", release
    )
    assert expected in text
    assert applicability is Applicability.SAFE


def test_a_parameter_that_nobody_uses_may_be_null() -> None:
    text, applicability, assumed = only("class Case {\n  void drop(@Owning InputStream in) throws IOException {}\n}\n")
    assert "throws IOException {\n    in.close();\n  }\n" in text
    assert applicability is Applicability.UNSAFE
    assert assumed == "`close` may be called on null"


FIELD = (
    "@InheritableMustCall(\"close\")\nclass Case implements Closeable {\n  private @Owning InputStream in;\n"
    "  @CreatesMustCallFor(\"this\")\n  void open(String path) throws IOException {\n    STORE\n  }\n"
    "  @Override\n  @EnsuresCalledMethods(value = \"this.in\", methods = \"close\")\n"
    "  public void close() throws IOException {\n    if (in != null) {\n      in.close();\n    }\n  }\n}\n"
)


def test_what_a_field_held_is_closed_before_it_is_overwritten() -> None:
    text, applicability, assumed = only(FIELD.replace("STORE", "in = new FileInputStream(path);"))
    assert (
        "    if (in != null) {\n      in.close();\n      in = null;\n    }\n    in = new FileInputStream(path);\n" in text
    )
    assert applicability is Applicability.UNSAFE
    assert "somebody may still use what `in` held" in assumed


def test_null_takes_the_place_of_what_is_closed_at_once() -> None:
    text, _, _ = only(FIELD.replace("STORE", "this.in = null;"))
    assert "    if (this.in != null) {\n      this.in.close();\n    }\n    this.in = null;\n" in text


def test_what_a_destructor_declares_moves_in_with_it() -> None:
    text, applicability, _ = only(
        "class Case implements Closeable {\n  private final Writer out;\n"
        "  Case(String path) throws IOException {\n    out = new FileWriter(path);\n  }\n"
        "  public void close() throws IOException {\n    String end = \"end\";\n"
        "    out.write(end);\n    out.close();\n  }\n}\n",
        head=PLAIN,
    )
    assert "    try {\n      String end = \"end\";\n      out.write(end);\n    } finally {\n      out.close();\n" in text
    assert applicability is Applicability.SAFE


def test_the_question_that_a_destructor_begins_with_stays_before_its_block() -> None:
    data = (
        PLAIN + "class Case implements Closeable {\n  private Writer out;\n  private Writer log;\n"
        "  Case(String path) throws IOException {\n    out = new FileWriter(path);\n    log = new FileWriter(path + 1);\n  }\n"
        "  public void close() throws IOException {\n    if (out == null && log == null) {\n      throw new IllegalStateException();\n    }\n"
        "    if (out != null) {\n      out.close();\n    }\n    if (log != null) {\n      log.close();\n    }\n  }\n}\n"
    ).encode()
    [found] = [each for each in answers("Case.java", data) if isinstance(each, Fix) and "finally" in each.title]
    text = apply(data, found.edits).decode()
    assert "      throw new IllegalStateException();\n    }\n    try {\n      if (out != null) {\n        out.close();\n      }\n    } finally {\n" in text
    assert found.applicability is Applicability.SAFE


def test_a_destructor_that_refuses_to_run_twice_closes_nothing_twice() -> None:
    data = (
        PLAIN + "class Case implements Closeable {\n  private final Writer out;\n  private boolean closed;\n"
        "  Case(String path) throws IOException {\n    out = new FileWriter(path);\n  }\n"
        "  public void close() throws IOException {\n    if (closed) {\n      throw new IllegalStateException();\n    }\n"
        "    closed = true;\n    out.write(\"end\");\n    out.close();\n  }\n}\n"
    ).encode()
    texts = [apply(data, each.edits).decode() for each in answers("Case.java", data) if isinstance(each, Fix)]
    assert all("{\n    if (closed) {\n" in text for text in texts)


def test_a_local_of_the_name_of_the_field_is_not_taken_for_it() -> None:
    data = (
        PLAIN + "class Case implements Closeable {\n  private final Writer out;\n"
        "  Case(String path) throws IOException {\n    out = new FileWriter(path);\n  }\n"
        "  public void close() throws IOException {\n    Writer out = this.out;\n"
        "    out.write(\"end\");\n    out.close();\n  }\n}\n"
    ).encode()
    assert all(isinstance(each, Declined) for each in answers("Case.java", data))


def test_a_class_that_owns_a_field_can_be_closed_by_who_makes_one() -> None:
    text, applicability, assumed = only(
        "class Case {\n  private final @Owning InputStream in;\n\n  Case(@Owning InputStream in) {\n    this.in = in;\n  }\n\n"
        "  static int run(String path) throws IOException {\n    Case made = new Case(new FileInputStream(path));\n"
        "    return made.in.read();\n  }\n}\n"
    )
    assert "class Case implements AutoCloseable {" in text
    assert (
        "  @Override\n  @EnsuresCalledMethods(value = \"this.in\", methods = \"close\")\n"
        "  public void close() throws IOException {\n    in.close();\n  }\n}\n" in text
    )
    assert applicability is Applicability.UNSAFE
    assert "who makes a `Case` has to close it from now on: `run`" in assumed
    assert "nobody uses `in` after `close()`" in assumed


def test_the_method_that_ends_an_object_releases_its_field_whatever_comes_before() -> None:
    text, _, _ = only(
        "@InheritableMustCall(\"stop\")\nclass Case {\n  private final @Owning InputStream in;\n"
        "  Case(@Owning InputStream in) {\n    this.in = in;\n  }\n"
        "  void stop() throws IOException {\n    throw new IOException();\n  }\n}\n"
    )
    assert "    try {\n      throw new IOException();\n    } finally {\n      in.close();\n    }\n" in text


def test_nobody_closes_a_static_field() -> None:
    data = (HEAD + "class Case {\n  static @Owning InputStream in;\n  Case() {\n  }\n}\n").encode()
    [answer] = answers("Case.java", data)
    assert isinstance(answer, Declined)
    assert answer.reason == "a static field lives as long as its class, which nobody closes"


def test_a_field_that_its_class_forgets_is_released_by_what_ends_it() -> None:
    text, applicability, assumed = only(
        "class Case implements AutoCloseable {\n  private final InputStream in;\n  private boolean done;\n\n"
        "  Case(String path) throws IOException {\n    in = new FileInputStream(path);\n  }\n\n"
        "  int next() throws IOException {\n    return in.read();\n  }\n\n"
        "  @Override\n  public void close() {\n    done = true;\n  }\n}\n",
        head=PLAIN,
    )
    assert "    done = true;\n    try {\n      in.close();\n    } catch (IOException e) {\n" in text
    assert applicability is Applicability.UNSAFE
    assert assumed == "nobody uses `in` after `close()`"


@pytest.mark.parametrize("called", ["output.flush()", "source.available()"])
def test_two_fields_are_closed_in_one_finally(called: str) -> None:
    source = f"""import java.io.*;
class Pair implements Closeable {{
  private final InputStream source;
  private final OutputStream output;
  Pair(String a, String b) throws IOException {{
    source = new FileInputStream(a);
    try {{ output = new FileOutputStream(b); }} catch (Throwable e) {{ source.close(); throw e; }}
  }}
  @Override
  public void close() throws IOException {{
    if (System.nanoTime() > 0) {{
      {called};
    }}
    source.close();
    if (output != null) {{
      output.close();
    }}
  }}
}}
"""
    data = source.encode()
    texts = {apply(data, each.edits).decode() for each in answers("Pair.java", data) if isinstance(each, Fix)}
    assert len(texts) == 1
    assert (
        "    } finally {\n      try {\n        source.close();\n      } finally {\n        if (output != null) {\n          output.close();\n        }\n"
        "      }\n    }\n  }\n"
    ) in texts.pop()
