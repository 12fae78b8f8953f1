"""What a result of a library says, by its numbers and by its type: on both the proof of a patch may rest."""

from __future__ import annotations

import pytest

from fixers import Fix
from tests.unit.fixers.patching import answers


def _forms(text: str) -> list[str]:
    return [each.applicability.value if isinstance(each, Fix) else each.reason for each in answers("case.c", text.encode())]


@pytest.mark.parametrize("failed", ["== -1", "< 0", "<= -1"])
def test_who_answers_with_minus_one_alone_has_acquired_for_all_else(failed: str) -> None:
    text = f"""#include <stdio.h>
#include <stdlib.h>
int label(const char *who, int quiet) {{
  char *all;
  if (asprintf(&all, "for %s", who) {failed})
    return -1;
  if (quiet)
    return 1;
  puts(all);
  free(all);
  return 0;
}}
"""
    assert _forms(text) == ["safe"]


def test_of_another_number_nothing_is_said() -> None:
    text = """#include <stdio.h>
#include <stdlib.h>
int label(const char *who, int quiet) {
  char *all;
  if (asprintf(&all, "for %s", who) == -7)
    return -1;
  if (quiet)
    return 1;
  free(all);
  return 0;
}
"""
    assert "safe" not in _forms(text)


def test_interfaces_are_listed_or_the_answer_is_minus_one() -> None:
    text = """#include <ifaddrs.h>
int count(int most) {
  struct ifaddrs *all, *each;
  int found = 0;
  if (getifaddrs(&all) == -1)
    return -1;
  for (each = all; each; each = each->ifa_next)
    if (++found > most)
      return most;
  freeifaddrs(all);
  return found;
}
"""
    assert _forms(text) == ["safe"]


@pytest.mark.parametrize(("kind", "applicability"), [("gboolean", "safe"), ("guint", "safe"), ("gpointer", "unsafe")])
def test_numbers_of_libraries_need_nothing_of_what_they_were_asked_of(kind: str, applicability: str) -> None:
    text = f"""#include <glib.h>
{kind} begins(const char *said) {{
  char *copy = g_strdup(said);
  {kind} does = g_str_has_prefix(copy, "x");
  return does;
}}
"""
    assert _forms(text) == [applicability]
