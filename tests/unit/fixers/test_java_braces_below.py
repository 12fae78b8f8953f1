"""Where the file has its braces does not matter to what a reviewer would ask to change."""

from __future__ import annotations

import re

import pytest

from analyzers.source import Span
from fixers import Applicability, Fix
from fixers.braces import joined
from fixers.fix import Edit
from fixers.java.plainer import holds_nothing
from tests.unit.fixers.patching import answers

_FINALLY_OF_MORE = """import java.io.*;
class Case {
	void mix(Desk desk, String path) throws IOException {
		FileInputStream in = null;
		Track track = null;
		try {
			in = new FileInputStream(path);
			track = desk.take(in);
			track.play();
		} finally {
			if (track != null) {
				desk.give(track);
			}
			desk.rest();
			in.close();
		}
	}
}
interface Desk { Track take(InputStream in) throws IOException; void give(Track t) throws IOException; void rest() throws IOException; }
interface Track { void play() throws IOException; }
"""

_BEFORE_HANDLERS = """import java.io.*;
class Case {
	void note(String path) throws IOException {
		Writer out = null;
		try {
			out = new FileWriter(path);
			out.write("x");
		} catch (IOException e) {
			System.out.println("not " + path);
		}
		out.write("y");
	}
}
"""

_BODY_OF_HANDLERS = """import java.io.*;
class Case {
	private Writer left = new FileWriter("l");
	private Writer right = new FileWriter("r");
	Case() throws IOException { }
	public void close() {
		try {
			left.write(7);
			if (right != null)
				right.close();
			right = null;
		} catch (IOException e) {
			throw new IllegalArgumentException(e);
		}
	}
}
"""


def _below(text: str) -> str:
    """A text with each brace of a statement on a line of its own."""
    apart = re.sub(r"(?m)^(\t+)\} (catch|finally)", r"\1}\n\1\2", text)
    return re.sub(r"(?m)^(\t+)(.*\S) \{$", r"\1\2\n\1{", apart)


def _reasons(text: str) -> list[str]:
    found = [each for each in answers("Case.java", text.encode()) if isinstance(each, Fix) and each.applicability is not Applicability.SAFE]
    return [check.reason for each in found for check in each.proof if check.name == "finding is gone"]


@pytest.mark.parametrize("text", [_FINALLY_OF_MORE, _BEFORE_HANDLERS, _BODY_OF_HANDLERS])
def test_a_form_is_doubted_wherever_its_braces_stand(text: str) -> None:
    assert _reasons(text)
    assert _reasons(_below(text)) == _reasons(text)


def test_an_edit_is_joined_where_braces_and_clauses_begin_lines() -> None:
    span = Span("Case.java", 3, 3)
    assert joined(Edit(span, "\ttry\r\n\t{\n")).text == "\ttry {\n"
    assert joined(Edit(span, "\n\t}\n\tfinally\n\t{\n\t\tin.close();\n\t}")).text == "\n\t} finally {\n\t\tin.close();\n\t}"
    assert joined(Edit(span, "for (;;) {\n\tint[] all =\n\t{1};\n}")).text == "for (;;) {\n\tint[] all =\n\t{1};\n}"


def test_an_empty_block_below_a_chain_is_no_news_with_its_brace_below() -> None:
    header = b"try (Reader low = new FileReader(p);\n\tReader high = new BufferedReader(low))"
    assert not holds_nothing(b"", header + b" {\n}")
    assert not holds_nothing(b"", header + b"\n{\n}")
    assert holds_nothing(b"", b"try (Reader low = new FileReader(p))\n{\n}")
