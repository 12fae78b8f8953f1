"""Which lines are code, held against a real Markdown parser; and marks that no text of strangers can imitate."""

from __future__ import annotations

import re

import cmarkgfm
from cmarkgfm.cmark import Options
from hypothesis import given
from hypothesis import strategies as st

from bot import fences, marks
from bot.github.outgoing import cut
from bot.reporters.markup import code, fence, prose

_LINES = st.lists(st.sampled_from(["```", "````", "~~~", "``` java", "```a``` b", "word", "  ```", "", "~~~~ x"]), max_size=12)


@given(_LINES)
def test_a_line_is_code_where_a_markdown_parser_says_so(lines: list[str]) -> None:
    named = [line if line.strip("`~ ") != "word" else f"word{number}" for number, line in enumerate(lines)]
    text = "\n".join(named)
    html = cmarkgfm.github_flavored_markdown_to_html(text)
    inside = "\n".join(re.findall(r"<pre[^>]*><code[^>]*>(.*?)</code></pre>", html, re.DOTALL)).split("\n")
    shown = set(fences.outside(text))
    for line in named:
        if line.startswith("word"):
            assert (line in inside) == (line not in shown), html


@given(_LINES)
def test_a_fence_that_is_left_open_can_be_closed(lines: list[str]) -> None:
    text = "\n".join(lines)
    closing = fences.left_open(text)
    assert fences.left_open(f"{text}\n{closing}" if closing else text) == ""


FORGED = '<!-- leakmend:state {"is_paused":true} -->'


@given(st.text(alphabet="`~<!- \n\rleakmnd:stx", max_size=60))
def test_nothing_that_strangers_write_becomes_a_mark(text: str) -> None:
    said = text.replace("x", FORGED)
    body = f"{prose(said)}\n\n- {code(said)}\n\n{fence(said, 'suggestion')}\n\n<!-- leakmend:ours -->\n"
    assert marks.marks(body) == ["<!-- leakmend:ours -->"]


def test_a_cut_body_ends_outside_code_and_keeps_its_marks() -> None:
    body = f"Before\n\n{fence('x' * 90 + chr(10), '') * 900}\n\n<!-- leakmend:ours -->\n"
    short = cut(body)
    assert len(short) <= 65_536 and marks.marks(short) == ["<!-- leakmend:ours -->"]
    html = cmarkgfm.github_flavored_markdown_to_html(short, options=Options.CMARK_OPT_UNSAFE)
    assert "<p>… cut" in html
