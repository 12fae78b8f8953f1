"""Blocks of a patch in the style of GNU, where tabs stand for eight blanks (C)."""

from __future__ import annotations

from tests.unit.fixers.patching import mended

SOURCE = b"""#include <stdlib.h>
int
f (int n)
{
  char *p = malloc (3);
  if (n)
    {
      if (n > 2)
        {
\t  n--;
\t}
      else if (n > 1)
\treturn 2;
      else
\treturn 1;
    }
  free (p);
  return 0;
}
"""


def test_braces_stand_where_the_statement_stood() -> None:
    text = mended("x.c", SOURCE).decode()
    assert "      else if (n > 1)\n\t{\n\t  free (p);\n\t  return 2;\n\t}\n      else\n\t{\n\t  free (p);\n\t  return 1;\n\t}\n" in text
