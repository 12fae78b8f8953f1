"""Handles that a call takes over when it succeeds, and releases that want what the acquisition was given."""

from __future__ import annotations

import textwrap

import pytest

from fixers import Applicability, Declined, Fix
from tests.unit.fixers.patching import answers, mended

STREAM = textwrap.dedent("""\
    #include <fcntl.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <unistd.h>
    int first(const char *name)
    {
        int file = open(name, O_RDONLY);
        if (file < 0)
            return -1;
        FILE *stream = fdopen(file, "r");
        if (stream == NULL) {
            perror(name);
            return -1;
        }
        int answer = getc(stream);
        fclose(stream);
        return answer;
    }
    """)


def test_the_descriptor_is_closed_where_the_code_sees_that_no_stream_took_it() -> None:
    expected = STREAM.replace("perror(name);\n", "perror(name);\n        close(file);\n")
    assert mended("x.c", STREAM.encode()).decode() == expected


def test_a_branch_without_braces_gets_them() -> None:
    bare = STREAM.replace(" {\n        perror(name);\n        return -1;\n    }\n", "\n        return -1;\n")
    expected = bare.replace("== NULL)\n        return -1;\n", "== NULL) {\n        close(file);\n        return -1;\n    }\n")
    assert mended("x.c", bare.encode()).decode() == expected


def test_a_stream_that_is_closed_closes_its_descriptor() -> None:
    before = STREAM.replace("    FILE *stream", "    if (name[0] == '-')\n        return -2;\n    FILE *stream").replace(
        "perror(name);", "close(file);"
    )
    expected = before.replace("'-')\n        return -2;\n", "'-') {\n        close(file);\n        return -2;\n    }\n")
    assert mended("x.c", before.encode()).decode() == expected


MAPPING = textwrap.dedent("""\
    #include <sys/mman.h>
    int first(int file, size_t size)
    {
        char *text = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
        if (text == MAP_FAILED)
            return -1;
        int answer = text[0];
        return answer;
    }
    """)


def test_a_mapping_is_undone_by_the_size_that_it_was_made_with() -> None:
    expected = MAPPING.replace("    return answer;\n", "    munmap(text, size);\n    return answer;\n")
    assert mended("x.c", MAPPING.encode()).decode() == expected


@pytest.mark.parametrize("change", ["size++;", "next(&size);", "size = answer;"])
def test_a_size_that_may_be_another_by_then_is_not_used(change: str) -> None:
    text = MAPPING.replace("    return answer;", f"    {change}\n    return answer;").encode()
    (answer,) = answers("x.c", text)
    assert isinstance(answer, Declined) or (isinstance(answer, Fix) and answer.applicability is not Applicability.SAFE)
    assert mended("x.c", text) == text


def test_a_release_that_wants_more_is_never_written_with_the_handle_alone() -> None:
    text = b'#include <security/pam_appl.h>\nint f(const char *n, struct pam_conv *c)\n{\n    pam_handle_t *h;\n    if (pam_start("x", n, c, &h) != PAM_SUCCESS)\n        return -1;\n    return pam_authenticate(h, 0);\n}\n'
    assert all(isinstance(each, Declined) for each in answers("x.c", text))


QUEUE = textwrap.dedent("""\
    #include <stdlib.h>
    #include <string.h>
    struct queue { void **items; int last, room; };
    int push(struct queue *q, void *item)
    {
        if (q->last == q->room)
            return -1;
        q->items[q->last++] = item;
        return 0;
    }
    int add(struct queue *q, const char *text)
    {
        char *copy = strdup(text);
        if (copy == NULL)
            return -1;
        if (push(q, copy) < 0)
            return -1;
        return 0;
    }
    """)


@pytest.mark.parametrize("test", ["push(q, copy) < 0", "push(q, copy) != 0", "push(q, copy)", "push(q, copy) == -1"])
def test_what_a_container_does_not_take_is_released_where_that_is_seen(test: str) -> None:
    text = QUEUE.replace("push(q, copy) < 0", test)
    expected = text.replace(f"if ({test})\n        return -1;", f"if ({test}) {{\n        free(copy);\n        return -1;\n    }}")
    assert mended("x.c", text.encode()).decode() == expected


@pytest.mark.parametrize("test", ["push(q, copy) >= 0", "push(q, copy) == 0", "!push(q, copy)"])
def test_what_a_container_has_taken_is_left_to_it(test: str) -> None:
    text = QUEUE.replace("push(q, copy) < 0", test).replace("-1;\n    return 0;", "0;\n    return -1;")
    after = mended("x.c", text.encode()).decode()
    assert "free(copy);\n        return 0" not in after


def test_ways_out_before_such_a_call_and_behind_its_failure_are_mended_together() -> None:
    text = """\
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int f(int m, const char *name)
{
    FILE *stream;
    int number = open(name, O_WRONLY);
    if (number < 0)
        return -1;
    if (m == 1)
        return 1;
    stream = fdopen(number, "w");
    if (stream == NULL)
        return -2;
    fputs("x", stream);
    return fclose(stream);
}
"""
    lines = mended("x.c", text.encode()).decode().splitlines()
    assert [lines[n + 1].strip() for n, line in enumerate(lines) if line.strip() == "close(number);"] == ["return 1;", "return -2;"]


JOB = textwrap.dedent("""\
    #include <pthread.h>
    #include <stdlib.h>
    #include <string.h>
    struct job { char *name; };
    void *work(void *job);
    int start(const char *name)
    {
        struct job *job = malloc(sizeof *job);
        if (job == NULL)
            return -1;
        job->name = strdup(name);
        pthread_t thread;
        if (pthread_create(&thread, NULL, work, job) != 0) {
            free(job);
            return -1;
        }
        pthread_detach(thread);
        return 0;
    }
    """)


def test_the_member_of_what_was_not_taken_goes_before_its_struct() -> None:
    expected = JOB.replace("        free(job);\n", "        free(job->name);\n        free(job);\n")
    assert mended("x.c", JOB.encode()).decode() == expected


def test_a_struct_whose_member_could_not_be_made_is_released_alone() -> None:
    text = textwrap.dedent("""\
        #include <stdlib.h>
        #include <string.h>
        struct job { char *name; };
        void job_free(struct job *job)
        {
            free(job->name);
            free(job);
        }
        struct job *job_new(const char *name)
        {
            struct job *job = calloc(1, sizeof *job);
            if (job == NULL)
                return NULL;
            job->name = strdup(name);
            if (job->name == NULL)
                return NULL;
            return job;
        }
        """)
    expected = text.replace("if (job->name == NULL)\n        return NULL;", "if (job->name == NULL) {\n        free(job);\n        return NULL;\n    }")
    assert mended("x.c", text.encode()).decode() == expected


@pytest.mark.parametrize("test", ["file > STDERR_FILENO", "file > 2", "file >= 3"])
def test_a_descriptor_that_may_be_a_standard_one_is_left_open(test: str) -> None:
    text = textwrap.dedent("""\
        #include <fcntl.h>
        #include <unistd.h>
        int detach(void)
        {
            int file = open("/dev/null", O_RDWR);
            if (file < 0)
                return -1;
            if (dup2(file, 0) < 0)
                return -1;
            if (file > STDERR_FILENO)
                close(file);
            return 0;
        }
        """).replace("file > STDERR_FILENO", test).encode()
    assert mended("x.c", text) == text
    assert all(isinstance(each, Declined) and "standard" in each.reason for each in answers("x.c", text))


GROWING = """\
#include <stdlib.h>
int grow(int n, int bad)
{{
    int result = -1;
    char *text = NULL;
    for (int i = 1; i < n; i++) {{
        text = realloc(text, i);
        if ({test})
            {left};
        text[i - 1] = 0;
        if (bad > i)
            {left};
    }}
    result = n;
{end}    free(text);
    return result;
}}
"""


@pytest.mark.parametrize("test", ["text == NULL", "!text"])
def test_a_block_that_grows_is_kept_until_the_branch_that_tests_the_new_one(test: str) -> None:
    after = mended("g.c", GROWING.format(test=test, left="return -1", end="").encode()).decode()
    assert f"        if ({test.replace('text', 'resized')}) {{\n            free(text);\n            return -1;\n        }}\n        text = resized;\n" in after
    assert "        if (bad > i) {\n            free(text);\n            return -1;\n        }\n" in after


def test_a_branch_that_goes_to_the_release_needs_none_of_its_own() -> None:
    after = mended("g.c", GROWING.format(test="text == NULL", left="goto out", end="out:\n").encode()).decode()
    assert after.count("free(text);") == 1
    assert "        if (resized == NULL)\n            goto out;\n        text = resized;\n" in after


def test_an_object_does_not_keep_a_block_that_is_smaller_than_it_says() -> None:
    text = """\
#include <stdlib.h>
struct buffer { char *text; size_t room; };
int grow(struct buffer *b, size_t n)
{
    b->room = n;
    b->text = realloc(b->text, n);
    if (!b->text)
        goto out;
    return 0;
out:
    return -1;
}
"""
    assert "b->text = resized;" not in mended("g.c", text.encode()).decode()
