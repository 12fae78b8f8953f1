"""A patch is not called safe against what a comment beside says (C)."""

from __future__ import annotations

import pytest

from tests.unit.fixers.test_proofs import verdict

LOST = 'int f(int n) {{ {above}\n char *a = strdup("a");{beside}\n if (a == NULL) return -1;\n if (n == 1) {{\n{exit}\n return 1; }}\n {off}\n free(a); return 0; }}'


def _verdict(above: str = "", beside: str = "", at_exit: str = "", off: str = "") -> str:
    return verdict("#include <stdlib.h>\n#include <string.h>\n" + LOST.format(above=above, beside=beside, exit=at_exit, off=off))


@pytest.mark.parametrize(
    "words",
    ["not freed on purpose", "the leak is harmless", "Freed by the pool.", "we don't bother to free this", "no need to free it: the program ends", "the list takes ownership", "Do not free this!", "not freed because the table has it", "intentionally leaked", "just letting it go", "we leak the name: not easy to avoid, so it is better not to do anything", "this leaks memory, but bounded to the number of names"],
)
def test_words_of_who_releases(words: str) -> None:
    for said in (f"/* {words} */", f"// {words}"):
        assert _verdict(beside=said).startswith("unsafe: a comment beside")
        assert _verdict(at_exit=said).startswith("unsafe: a comment beside")
    assert _verdict(above=f"\n/* of one line,\n * {words} */").startswith("unsafe: a comment beside")


@pytest.mark.parametrize("words", ["the name", "FIXME: not freed", "is not empty", "must be freed", "nothing is known of it", "leak", "never freed: a leak", "opened without closing it", "a flaw: not freed", "it may not be freed", "is never freed", "not closed here", "this leaks memory, but who knows where", "letting it grow", "it is better not to do anything", "a leak that is better avoided"])
def test_words_of_something_else(words: str) -> None:
    assert _verdict(beside=f"/* {words} */") == "safe"
    assert _verdict(at_exit=f"/* {words} */") == "safe"


def test_words_further_away() -> None:
    assert _verdict(above="\n/* not freed on purpose */\n\n") == "safe"


@pytest.mark.parametrize("text", ["/* free(a); */", "// free (a);", "/* release_text(a); - who cares? */", "\n#if 0\n free(a);\n#endif\n"])
def test_a_release_that_was_taken_out(text: str) -> None:
    assert _verdict(at_exit=text) == "unsafe: the same release stands there, but as a comment"


def test_a_release_of_another_that_was_taken_out() -> None:
    assert _verdict(at_exit="/* free(b); */") == "safe"
    assert _verdict(at_exit="/* a missing free(a) */") == "safe"
    assert _verdict(at_exit="/* release_text(b); */") == "safe"
    assert _verdict(at_exit="/* print(a); */") == "safe"


def test_words_above_the_statement_before_an_edit() -> None:
    between = "{words}\n count(n);"
    assert _verdict(at_exit=between.format(words="/* leave the near end open until we end, so that the other one waits */")).startswith("unsafe: a comment beside")
    assert _verdict(at_exit=between.format(words="/* leave nothing behind */")) == "safe"
