"""What a callee leaves in a struct of the caller's is released as what it is, member by member."""

from __future__ import annotations

import textwrap

from tests.unit.fixers.patching import mended

SOURCE = textwrap.dedent("""\
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    struct source { FILE *file; char *path; };
    int source_open(struct source *s, const char *path)
    {
        s->path = strdup(path);
        if (s->path == NULL)
            return -1;
        s->file = fopen(path, "r");
        if (s->file == NULL) {
            free(s->path);
            s->path = NULL;
            return -1;
        }
        return 0;
    }
    int first(const char *path)
    {
        struct source s = { 0 };
        if (source_open(&s, path) < 0)
            return -1;
        int answer = fgetc(s.file);
        if (answer == EOF) {
            return -2;
        }
        fclose(s.file);
        free(s.path);
        return answer;
    }
    """)


def test_a_stream_and_memory_of_one_call_are_told_apart() -> None:
    expected = SOURCE.replace(
        "        return -2;\n", "        fclose(s.file);\n        free(s.path);\n        return -2;\n"
    )
    after = mended("x.c", SOURCE.encode()).decode()
    assert after in (expected, expected.replace("        fclose(s.file);\n        free(s.path);\n        return -2", "        free(s.path);\n        fclose(s.file);\n        return -2"))
    assert "free(s.file)" not in after
