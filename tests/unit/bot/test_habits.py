"""What most users of a function do alike is no leak for certain: in whole trees, and in reviews that see one user of many."""

from __future__ import annotations

from pathlib import Path

from analyzers.finding import Confidence
from bot import changes, pipeline
from bot.config import Config
from bot.repository import Repository
from tests.unit.bot.gitbox import GitBox

MAKER = """\
#include <stdio.h>
#include <stdlib.h>

char *label(int number)
{
    char *text = malloc(20);
    if (text != NULL)
        snprintf(text, 20, "no. %d", number);
    return text;
}
"""
DECLARED = "#include <stdio.h>\n#include <stdlib.h>\nchar *label(int number);\nvoid emit(const char *text);\n"
EMITTER = "#include <stdio.h>\n\nvoid emit(const char *text)\n{\n    puts(text);\n}\n"


def user(name: str, ending: str = "") -> str:
    """A function that uses a label, and ends it so."""
    return f"""
void {name}(int number)
{{
    char *text = label(number);
    if (text == NULL)
        return;
    if (number > 9)
        puts(text);
{ending}}}
"""


FREED = "    free(text);\n"


def confidences(folder: Path, texts: dict[str, str]) -> dict[str, Confidence]:
    """What a scan says, by function."""
    for name, text in texts.items():
        (folder / name).write_text(text)
    report = pipeline.run(changes.scan([folder]), Config())
    return {outcome.finding.procedure.rpartition(":")[2]: outcome.finding.confidence for outcome in report.outcomes}


def test_what_every_user_forgets_is_a_habit(tmp_path: Path) -> None:
    users = "".join(user(name) for name in ("one", "two", "three"))
    found = confidences(tmp_path, {"label.c": MAKER, "users.c": DECLARED + users})
    assert found == dict.fromkeys(("one", "two", "three"), Confidence.ASSUMED)


def test_what_a_few_forget_is_a_leak(tmp_path: Path) -> None:
    users = "".join(user(name) for name in ("one", "two", "three"))
    careful = "".join(user(f"careful{number}", FREED) for number in range(4))
    found = confidences(tmp_path, {"label.c": MAKER, "users.c": DECLARED + users + careful})
    assert found == dict.fromkeys(("one", "two", "three"), Confidence.WITNESSED)


def test_two_are_too_few_for_a_habit(tmp_path: Path) -> None:
    found = confidences(tmp_path, {"label.c": MAKER, "users.c": DECLARED + user("one") + user("two")})
    assert found == dict.fromkeys(("one", "two"), Confidence.WITNESSED)


def test_who_frees_it_on_another_way_has_no_habit(tmp_path: Path) -> None:
    """Somebody who frees it where the number is small owns it: where it is great, it is forgotten."""
    partly = "    if (number < 5)\n        free(text);\n"
    users = "".join(user(name, partly) for name in ("one", "two", "three"))
    found = confidences(tmp_path, {"label.c": MAKER, "users.c": DECLARED + users})
    assert found == dict.fromkeys(("one", "two", "three"), Confidence.WITNESSED)


def test_what_many_pass_to_one_function_has_another_owner(tmp_path: Path) -> None:
    """Whoever emits forgets, and all else free."""
    passing = "    emit(text);\n"
    users = "".join(user(f"emits{number}", passing) for number in range(5))
    careful = "".join(user(f"careful{number}", FREED) for number in range(6))
    found = confidences(tmp_path, {"label.c": MAKER, "emit.c": EMITTER, "users.c": DECLARED + users + careful})
    assert found == {f"emits{number}": Confidence.ASSUMED for number in range(5)}


def reviewed(folder: Path, others: str) -> Confidence:
    """How sure a review is of one more user that forgets, beside others."""
    box = GitBox(folder)
    box.write("label.c", MAKER)
    box.write("users.c", DECLARED + others)
    box.commit("before")
    box.write("more.c", DECLARED + user("more"))
    box.commit("after")
    repository = Repository(box.folder)
    try:
        with changes.review(repository, "HEAD~1", "HEAD") as change:
            (outcome,) = pipeline.run(change, Config()).outcomes
    finally:
        repository.close()
    assert outcome.introduced
    return outcome.finding.confidence


def test_a_review_asks_the_other_users(tmp_path: Path) -> None:
    assert reviewed(tmp_path, "".join(user(name) for name in ("one", "two", "three"))) is Confidence.ASSUMED


def test_a_review_believes_users_that_free(tmp_path: Path) -> None:
    assert reviewed(tmp_path, "".join(user(name, FREED) for name in ("one", "two", "three"))) is Confidence.WITNESSED
