"""What is closed before a way out that stands behind a question alone: it gets braces, also inside of a handler around it all."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

HEAD = "import java.io.*;\nclass A {\n    Reader open(File f) throws IOException {\n        Reader r = new FileReader(f);\n"
TAIL = "        return r;\n    }\n}\n"
CLOSED = "            if (r.read() < 0) {\n                r.close();\n                return null;\n            }\n            return r;\n        } catch (Throwable e) {\n"


@pytest.mark.parametrize("question", ["        if (r.read() < 0) return null;\n", "        if (r.read() < 0)\n            return null;\n"])
def test_it_gets_braces(question: str) -> None:
    assert CLOSED in mended("A.java", (HEAD + question + TAIL).encode()).decode()


def test_so_does_a_branch_behind_another() -> None:
    question = "        int n = r.read();\n        if (n > 0) {\n            n++;\n        } else\n            return null;\n"
    after = mended("A.java", (HEAD + question + TAIL).encode()).decode()
    assert "            } else {\n                r.close();\n                return null;\n            }\n            return r;\n" in after


def test_what_is_returned_there_may_need_it() -> None:
    source = HEAD + "        if (r.read() < 0) return new BufferedReader(r, 0);\n" + TAIL
    assert "r.close();\n                return" not in mended("A.java", source.encode()).decode()
