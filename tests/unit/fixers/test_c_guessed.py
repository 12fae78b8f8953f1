"""Patches for what only a guess says to be acquired: points for statements stand between a call and the test of its result."""

from __future__ import annotations

from tests.unit.fixers.test_proofs import verdict


def test_a_result_that_is_tested_behind_something_small_is_found_again() -> None:
    text = (
        "int read_whole(char **, void *); void done(void *); int f(void *file, int m) { char *text = 0; int error = read_whole(&text, file);"
        " if (m) done(file); if (error) return error; if (text[0] == 'x') return 2; free(text); return 0; }"
    )
    assert verdict(text) in ("safe", "unsafe")


_OWNER = (
    "struct auth { void *more; }; struct auth *make(int n) { struct auth *auth = mem_alloc(sizeof(*auth)); if (auth == 0) return 0;"
    " auth->more = mem_alloc(n); if (auth->more == 0) { note(); return 0; } return auth; }"
)
_UNKNOWN = "declined: how object is released is not known"


def test_a_release_that_is_told_of_more_everywhere_is_not_told_of_one_thing_alone() -> None:
    assert verdict(
        _OWNER + " void end(struct auth *auth) { mem_free(auth->more); mem_free(auth); }"
    ).startswith("unsafe")
    assert (
        verdict(
            _OWNER
            + " void end(struct auth *auth, int n) { mem_free(auth->more, n); mem_free((char *)auth, sizeof(*auth)); }"
        )
        == _UNKNOWN
    )
    assert verdict("#define mem_free(p, n) end_block(p, n)\n" + _OWNER) in ("", _UNKNOWN)


_READING = "if (s == 0) return -1; if (fgets(line, 9, s) == 0) return -1;"


def test_a_stream_of_somebody_elses_descriptor_is_closed_where_the_procedure_closes_it_anyway() -> None:
    lent = "may belong to somebody else, and it is ended nowhere here"
    assert lent in verdict(f'int f(int fd, char *line) {{ FILE *s = fdopen(fd, "r"); {_READING} return 0; }}')
    assert lent in verdict(f'struct p {{ int fd; }}; int f(struct p *p, char *line) {{ FILE *s = fdopen(p->fd, "r"); {_READING} return 0; }}')
    assert verdict(f'int f(int fd, char *line) {{ FILE *s = fdopen(fd, "r"); {_READING} fclose(s); return 0; }}') == "safe"
