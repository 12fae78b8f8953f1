"""What a maker without source puts into a list of its own is nobody's to release: no patch that does so is safe."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

TEXT = """struct rule;
struct rule *rule_new(const char *name);
struct rule *rule_search(const char *name);
void rule_free(struct rule *rule);
void say(const char *text);
void rule_print(struct rule *rule);

int replaced(const char *name)
{{
    struct rule *old = rule_search(name);
    struct rule *made;

    if (old != 0)
        rule_free(old);
    made = rule_new(name);
    if (made != 0) {{
        say("there");
{used}
    }} else {{
        say("failed");
    }}
    return 0;
}}
{others}"""

TRIED = """
int tried(const char *name)
{
    struct rule *made = rule_new(name);

    if (made == 0)
        return -1;
    rule_print(made);
    rule_free(made);
    return 0;
}
"""


@pytest.mark.parametrize("used", ["", "        rule_print(made);"])
@pytest.mark.parametrize(("others", "is_safe"), [("", False), (TRIED, True)], ids=["found ones go", "made ones go"])
def test_a_release_of_what_was_found_shows_nothing_of_what_was_made(used: str, others: str, is_safe: bool) -> None:
    before = TEXT.format(used=used, others=others).encode()
    assert (mended("x.c", before) != before) is is_safe
