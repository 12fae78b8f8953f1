"""Comments as GitHub shows them: its own Markdown parser, its list of tags, its `suggestion` blocks, much of its style."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

import cmarkgfm
from cmarkgfm.cmark import Options

STYLE = """
:root { color-scheme: light dark; --text: #1f2328; --page: #fff; --line: #d1d9e0; --soft: #f6f8fa; --link: #0969da; --add: #dafbe1; --mute: #59636e }
@media (prefers-color-scheme: dark) {
  :root { --text: #f0f6fc; --page: #0d1117; --line: #3d444d; --soft: #151b23; --link: #4493f8; --add: #12261e; --mute: #9198a1 } }
body { margin: 16px; background: var(--page); color: var(--text); font: 14px/1.5 -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif }
article { max-width: 860px; margin: 0 auto 16px; border: 1px solid var(--line); border-radius: 6px }
header { padding: 8px 16px; background: var(--soft); border-bottom: 1px solid var(--line); color: var(--mute) }
section { padding: 16px; overflow-wrap: break-word }
section > :first-child { margin-top: 0 } section > :last-child { margin-bottom: 0 }
a { color: var(--link) } h3 { font-size: 1.25em } ul, ol { padding-left: 2em }
code { padding: .2em .4em; border-radius: 6px; background: var(--soft); font: 85% ui-monospace, "Liberation Mono", monospace; white-space: break-spaces }
pre { padding: 16px; overflow: auto; background: var(--soft); border-radius: 6px } pre code { padding: 0; white-space: pre }
pre[lang=suggestion] { background: var(--add) }
table { display: block; max-width: 100%; overflow: auto; border-collapse: collapse } td, th { border: 1px solid var(--line); padding: 6px 13px }
"""

_TAGS = {
    "a", "b", "blockquote", "br", "code", "del", "details", "em", "h1", "h2", "h3", "h4", "hr", "img", "input", "li", "ol", "p", "pre",
    "strong", "sub", "summary", "sup", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_TAG = re.compile(r"</?([a-zA-Z][a-zA-Z0-9-]*)[^<>]*>")


def rendered(body: str) -> str:
    """One comment as HTML. AssertionError where GitHub would take a tag out: somebody's text became markup."""
    text = cmarkgfm.github_flavored_markdown_to_html(body, options=Options.CMARK_OPT_UNSAFE)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    strange = {found[1].lower() for found in _TAG.finditer(text)} - _TAGS
    assert not strange, f"{strange} in {text}"
    return text


def page(comments: Sequence[tuple[str, str]]) -> str:
    """Comments with their titles, one below the other."""
    shown = "".join(
        f"<article><header>{html.escape(title)}</header><section>{rendered(body)}</section></article>" for title, body in comments
    )
    return f'<!DOCTYPE html><html><head><meta charset="utf-8"><style>{STYLE}</style></head><body>{shown}</body></html>'
