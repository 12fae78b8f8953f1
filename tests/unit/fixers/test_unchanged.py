"""What a patch of Java may not do: take out, add, or reorder anything but releases."""

from __future__ import annotations

import pytest

from analyzers.facts import facts
from analyzers.source import Span
from fixers import Fix
from fixers.edits import apply
from fixers.fix import Edit, Verdict
from fixers.unchanged import unchanged
from fixers.visibility import Locals
from tests.unit.fixers.patching import answers, program

HEAD = "import java.io.*;\nimport java.net.*;\nclass Case {\n"


def judged(before: str, after: str) -> Verdict:
    """What is said of a method of which one stretch was written anew."""
    old, new = (HEAD + text + "\n}\n" for text in (before, after))
    front = next(n for n in range(len(old)) if old[n] != new[n])
    back = next(n for n in range(1, len(old)) if old[-n] != new[-n] or len(min(old, new, key=len)) - n < front) - 1
    edit = Edit(Span("Case.java", front, len(old) - back), new[front : len(new) - back])
    data = old.encode()
    assert apply(data, (edit,)) == new.encode()
    base = program("Case.java", data)
    patched = base.beside_with({"Case.java": new.encode()})
    key = base.procedures_of("Case.java")[-1]
    was, now = facts(base, key), facts(patched, key)
    assert was is not None and now is not None
    return unchanged(was, now, (edit,), frozenset(("close",)))[0]


METHOD = "void run(InputStream in, boolean odd, StringBuilder out) throws IOException {{\n{}\n}}"


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        ("out.append(1); out.append(in);", "out.append(1); out.append(in); in.close();", Verdict.PROVED),
        ("out.append(1); in.read();", "try { out.append(1); in.read(); } finally { in.close(); }", Verdict.PROVED),
        ("in.read(); if (in != null) { in.close(); }", "try (in) { in.read(); }", Verdict.PROVED),
        ("in.read(); out.append(1);", "in.read();", Verdict.REFUTED),
        ("in.read(); out.append(1);", "out.append(1); in.read();", Verdict.REFUTED),
        ("in.read();", "in.read(); out.append(1);", Verdict.REFUTED),
        ("if (odd) in.close(); out.append(1);", "if (odd) out.append(1);", Verdict.REFUTED),
        ("out.append(1); in.read();", "in.close(); if (odd) return; out.append(1); in.read();", Verdict.REFUTED),
        ("try { in.read(); } catch (IOException e) { out.append(1); }", "try { in.read(); } finally { in.close(); }", Verdict.REFUTED),
        (
            "Writer w = new PrintWriter(new FileWriter(\"a\")); try { in.read(); } catch (IOException e) { out.append(1); }",
            "try (Writer w = new PrintWriter(new FileWriter(\"a\"))) { in.read(); } catch (IOException e) { out.append(1); }",
            Verdict.REFUTED,
        ),
        (
            "Writer w = new PrintWriter(new FileWriter(\"a\")); try { in.read(); } catch (IOException e) { out.append(1); }",
            "try (Writer w = new PrintWriter(new FileWriter(\"a\"))) { try { in.read(); } catch (IOException e) { out.append(1); } }",
            Verdict.PROVED,
        ),
    ],
)  # fmt: skip
def test_what_stays(before: str, after: str, verdict: Verdict) -> None:
    assert judged(METHOD.format(before), METHOD.format(after)) is verdict


def patched(body: str) -> str:
    """The only fix in a class with these members, as text."""
    data = (HEAD + body + "\n}\n").encode()
    fixes = [each for each in answers("Case.java", data) if isinstance(each, Fix)]
    assert len(fixes) <= 1
    return apply(data, fixes[0].edits).decode() if fixes else ""


def test_what_only_sounds_like_closing_stays() -> None:
    text = patched(
        "void closeLater(InputStream in) {}\n"
        "void run(String path) throws IOException {\n  InputStream in = new FileInputStream(path);\n  closeLater(in);\n}"
    )
    assert "closeLater(in);\n" in text.split("void run")[1]


def test_an_only_branch_stays() -> None:
    text = patched(
        "int run(String path, boolean odd, StringBuilder out) throws IOException {\n"
        "  InputStream in = new FileInputStream(path);\n  int first = in.read();\n"
        "  if (odd)\n    in.close();\n  out.append(first);\n  return first;\n}"
    )
    assert text == "" or "if (odd)\n" not in text or "in.close();" in text.split("if (odd)")[1].split(";")[0] + ";"


def test_a_resource_goes_before_those_that_need_it() -> None:
    text = patched(
        "void run(String host) throws IOException {\n  Socket socket = new Socket(host, 80);\n"
        "  try (OutputStream out = socket.getOutputStream()) {\n    out.write(1);\n  }\n}"
    )
    assert "try (Socket socket = new Socket(host, 80); OutputStream out" in text


def test_what_runs_sometimes_is_not_run_always() -> None:
    text = patched(
        "int run(String path, boolean odd) throws IOException {\n"
        "  int n = odd ? new FileInputStream(path).read() : 0;\n  return n;\n}"
    )
    assert "try (" not in text


@pytest.mark.parametrize(
    "opened", ["new FileWriter(path)", "new PrintWriter(new FileWriter(path))", "new BufferedWriter(new FileWriter(path), size(path))"]
)
def test_a_failed_opening_meets_no_handler_that_it_did_not_meet(opened: str) -> None:
    text = patched(
        "int size(String path) { return path.length(); }\n"
        f"void run(String path) throws IOException {{\n  Writer out = {opened};\n  try {{\n    out.write(path);\n    out.flush();\n"
        "  } catch (IOException e) {\n    System.err.println(path);\n  } finally {\n    System.gc();\n  }\n}"
    )
    assert f" = {opened};\n  try (out) {{" in text


def test_a_result_that_is_tested_may_be_null() -> None:
    text = patched(
        "void run(Class<?> type) throws IOException {\n"
        '  InputStream in = type.getResourceAsStream("a");\n  if (in != null) {\n    in.read();\n  }\n}'
    )
    assert "in.close();" not in text or "if (in != null) {\n" in text


ANNOTATED = """
@InheritableMustCall("stop")
class Motor {
  void stop() {}
  void turn() {}
}
class Garage {
%s
}
"""


def annotated(members: str) -> list[Fix]:
    """The fixes in a class that uses a type whose annotation says what has to be called."""
    return [each for each in answers("Garage.java", (ANNOTATED % members).encode()) if isinstance(each, Fix)]


def test_the_method_that_has_to_be_called_is_called() -> None:
    [fix] = annotated("  void test() {\n    Motor motor = new Motor();\n    motor.turn();\n  }")
    assert fix.applicability == "safe"
    assert any("motor.stop();" in edit.text for edit in fix.edits)
    assert not any("close" in edit.text for edit in fix.edits)


def test_what_is_returned_is_not_released() -> None:
    source = "  @Owning Motor pick(boolean odd) {\n    Motor motor = new Motor();\n    if (odd) {\n      return motor;\n    }\n    return null;\n  }"
    for fix in annotated(source):
        patched = apply((ANNOTATED % source).encode(), fix.edits).decode()
        assert "motor.stop();" not in patched.split("return motor")[0]


def test_who_is_given_it_may_call_the_method() -> None:
    members = "  void with(Motor motor) { motor.stop(); }\n  void test() {\n    Motor motor = new Motor();\n    with(motor);\n  }"
    assert all(fix.applicability == "unsafe" for fix in annotated(members))


def test_what_belongs_to_somebody_else_is_not_closed() -> None:
    text = patched(
        "private final OutputStream shared = new ByteArrayOutputStream();\n"
        "private OutputStream shared() { return shared; }\n"
        "void run(String path, boolean own) throws IOException {\n"
        "  OutputStream out = null;\n  if (own) {\n    out = new FileOutputStream(path);\n  }\n"
        "  if (out == null) {\n    out = shared();\n  }\n  out.write(1);\n}"
    )
    assert "out.close()" not in text


def test_a_type_without_close_is_not_closed() -> None:
    text = patched(
        "void run(String path, org.xml.sax.XMLReader reader) throws Exception {\n"
        "  org.xml.sax.InputSource source = new org.xml.sax.InputSource(new FileInputStream(path));\n"
        '  source.setSystemId("a");\n  reader.parse(source);\n}'
    )
    assert "source.close()" not in text
    assert "try (org.xml.sax.InputSource" not in text


def test_what_is_used_through_its_wrapper_is_not_closed_before() -> None:
    text = patched(
        "private PrintStream out;\n"
        "void run(String path, boolean one) throws IOException {\n"
        "  OutputStream raw = null;\n"
        "  if (one) {\n    raw = new FileOutputStream(path);\n  }\n"
        "  PrintStream print = new PrintStream(raw);\n  print.println(1);\n  out = print;\n}"
    )
    assert "raw.close()" not in text


def test_what_is_given_on_to_be_used_and_closed_is_not_closed_before() -> None:
    text = patched(
        "static void send(InputStream in, StringBuilder to) throws IOException {\n"
        "  try (in) {\n    to.append(in.read());\n  }\n}\n"
        "void run(String path, StringBuilder to, String name) throws IOException {\n"
        "  InputStream in = null;\n"
        "  try {\n    in = new FileInputStream(path);\n    to.append(in.available());\n"
        "  } catch (IOException e) {\n    throw new IllegalStateException(e);\n  }\n"
        "  to.append(name.charAt(4));\n  send(in, to);\n}"
    )
    before = text.partition("send(in, to)")[0].rpartition("void run")[2]
    assert "} finally {" not in before


def test_a_registered_channel_stays_open() -> None:
    text = patched(
        "void run(java.nio.channels.ServerSocketChannel server, java.nio.channels.Selector selector) throws IOException {\n"
        "  java.nio.channels.SocketChannel channel = server.accept();\n"
        "  channel.configureBlocking(false);\n  channel.register(selector, 1);\n}"
    )
    assert "try (java.nio.channels.SocketChannel" not in text


LINES = "BufferedReader lines(String path) throws IOException { return new BufferedReader(new FileReader(path)); }\n"


@pytest.mark.parametrize(
    "behind", ["String reader = path + n;\n      n += reader.length();", "n += from.apply(reader -> reader.length());"]
)
def test_a_name_for_a_whole_block_is_none_that_the_block_declares(behind: str) -> None:
    text = patched(
        f"{LINES}interface From {{ int apply(java.util.function.Function<String, Integer> f); }}\n"
        "int run(String path, boolean odd, From from) throws IOException {\n  int n = 0;\n  try {\n"
        f"    n += lines(path).read();\n    if (odd) {{\n      {behind}\n    }}\n  }} finally {{\n    System.gc();\n  }}\n  return n;\n}}"
    )
    assert "try (BufferedReader bufferedReader = lines(path)) {" in text


def test_locals_in_the_scope_of_others_are_told() -> None:
    source = "void run(String a) { { int b = 0; a.charAt(b); } { int b = 1; a.charAt(b); } for (int c = 0; c < 2; c++) { %s; a.charAt(c); } }"
    for inner, names in (("int d = 0", set()), ("int c = 0", {"c"})):
        base = program("Case.java", (HEAD + source % inner + "\n}\n").encode())
        procedure = base.procedure(base.procedures_of("Case.java")[-1])
        assert procedure is not None
        assert Locals([procedure]).nested == names


@pytest.mark.parametrize("opened", ["new FileOutputStream(path)", "new BufferedOutputStream(new FileOutputStream(path))"])
def test_what_a_wrapper_holds_is_written_before_what_it_wraps_is_closed(opened: str) -> None:
    text = patched(
        f"void run(String path) throws IOException {{\n  OutputStream out = {opened};\n  Writer writer = new OutputStreamWriter(out);\n"
        "  writer.write(path);\n}"
    )
    assert f"try (OutputStream out = {opened};" in text
    assert "Writer writer = new OutputStreamWriter(out)) {" in text
