"""What is left where others find it, and needs what would be released, keeps a patch from being safe; parts go before the whole (C)."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

HEAD = """\
#include <stdlib.h>
#include <string.h>
#include <pwd.h>
struct pool { struct item *first; char *text; unsigned long size; };
struct scan { const char *at; int line; };
void scan_over(struct scan *scan, const char *text);
int scan_next(struct scan *scan);
int item_read(const char *text, struct item **item);
void pool_print(struct pool *pool, const char *text);
"""


def fixed(text: str, head: str = HEAD) -> list[str]:
    """The lines of a function after its safe fixes."""
    return [line.strip() for line in mended("x.c", f"{head}{text}".encode()).decode()[len(head) :].splitlines()]


@pytest.mark.parametrize(
    ("text", "release"),
    [
        (
            "int f(const char *path, const char **why)\n{\n    GError *error = NULL;\n    char *text = NULL;\n"
            "    if (!g_file_get_contents(path, &text, NULL, &error)) {\n        *why = error->message;\n        return -1;\n    }\n"
            "    g_free(text);\n    return 0;\n}\n",
            "g_error_free(error);",
        ),
        (
            "const char *f(const char *address)\n{\n    CURL *session = curl_easy_init();\n    const char *last = NULL;\n"
            "    if (!session)\n        return NULL;\n    curl_easy_getinfo(session, CURLINFO_EFFECTIVE_URL, &last);\n    return last;\n}\n",
            "curl_easy_cleanup(session);",
        ),
        (
            "GQuark f(const char *text)\n{\n    char *name = g_strdup(text);\n    return g_quark_from_static_string(name);\n}\n",
            "g_free(name);",
        ),
        (
            "int f(const char *text, struct item **item)\n{\n    char *copy = strdup(text);\n    if (!copy)\n        return -1;\n"
            "    return item_read(copy, item);\n}\n",
            "free(copy);",
        ),
        (
            "int f(const char *text, char **end)\n{\n    char *copy = strdup(text);\n    long n;\n    if (!copy)\n        return -1;\n"
            "    n = strtol(copy, end, 10);\n    return (int)n;\n}\n",
            "free(copy);",
        ),
        (
            "int f(const char *name, struct passwd *entry)\n{\n    char *all = malloc(1024);\n    struct passwd *found;\n    if (!all)\n        return -1;\n"
            "    if (getpwnam_r(name, entry, all, 1024, &found))\n        return -1;\n    return 0;\n}\n",
            "free(all);",
        ),
        (
            "int f(PKCS7 *all)\n{\n    PKCS7 *part = PKCS7_new();\n    if (!part)\n        return 0;\n    if (!PKCS7_set_content(all, part)) {\n"
            "        PKCS7_free(part);\n        return 0;\n    }\n    return 1;\n}\n",
            "PKCS7_free(part);\n    return 1;",
        ),
        (
            "int f(PKCS7_SIGNER_INFO *info)\n{\n    ASN1_STRING *text = ASN1_STRING_new();\n"
            "    return PKCS7_add_signed_attribute(info, 1, V_ASN1_SEQUENCE, text);\n}\n",
            "ASN1_STRING_free(text);",
        ),
        (
            "int f(LDAP *where, int id)\n{\n    LDAPMessage *answer;\n    int got = ldap_result(where, id, 0, NULL, &answer);\n    if (got <= 0)\n        return -1;\n"
            "    return ldap_result2error(where, answer, 1);\n}\n",
            "ldap_msgfree(answer);",
        ),
        (
            "int f(struct scan *scan, const char *text)\n{\n    char *copy = strdup(text);\n    if (!copy)\n        return -1;\n"
            "    scan_over(scan, copy);\n    return 0;\n}\n",
            "free(copy);",
        ),
        (
            "int f(struct pool *pool, unsigned long n)\n{\n    char *more = realloc(pool->text, n);\n    if (!more)\n        return -1;\n"
            "    if (n > 100)\n        return -2;\n    pool->text = more;\n    return 0;\n}\n",
            "free(more);",
        ),
        (
            "int f(struct pool *pool, unsigned long n)\n{\n    char *more = realloc(pool->text, n);\n    if (!more)\n        return -1;\n    return 0;\n}\n",
            "free(more);",
        ),
        (
            "static char *room;\nvoid begin(void)\n{\n    room = malloc(20);\n}\n\nint f(unsigned long n)\n{\n    char *more = realloc(room, n);\n    if (!more)\n        return -1;\n    return 0;\n}\n",
            "free(more);",
        ),
    ],
    ids=["member of an error", "text of a handle", "name that stays", "unknown reader", "rest of a number", "entry", "content", "attribute", "message", "unknown object", "block that may be the old one", "member that nobody updates", "global that nobody updates"],
)
def test_what_others_find_is_not_released(text: str, release: str) -> None:
    assert release not in "\n    ".join(fixed(text))


def test_a_text_that_is_printed_is_released() -> None:
    lines = fixed(
        "int f(struct pool *pool, const char *text)\n{\n    char *copy = strdup(text);\n    if (!copy)\n        return -1;\n"
        "    pool_print(pool, copy);\n    return 0;\n}\n"
    )
    assert "free(copy);" in lines


def test_a_block_is_released_where_nobody_has_the_old_one() -> None:
    lines = fixed(
        "int f(struct pool *pool, unsigned long n)\n{\n    char *more = realloc(pool->text, n);\n    if (!more)\n        return -1;\n"
        "    pool->text = NULL;\n    if (n > 100)\n        return -2;\n    pool->text = more;\n    return 0;\n}\n"
    )
    assert lines[lines.index("return -2;") - 1] == "free(more);"


def test_an_unknown_object_is_not_used_behind_the_release() -> None:
    lines = fixed(
        "int f(const char *text)\n{\n    struct scan scan;\n    char *copy = strdup(text);\n    if (!copy)\n        return -1;\n"
        "    scan_over(&scan, copy);\n    if (scan_next(&scan) == 1) {\n        free(copy);\n        return 1;\n    }\n    return scan_next(&scan);\n}\n"
    )
    assert lines[-4:-1] == ["result = scan_next(&scan);", "free(copy);", "return result;"]


def test_a_statement_goes_before_its_database() -> None:
    lines = fixed(
        "int f(const char *path)\n{\n    sqlite3 *store;\n    sqlite3_stmt *query;\n    if (sqlite3_open(path, &store) != SQLITE_OK) {\n"
        "        sqlite3_close(store);\n        return -1;\n    }\n    if (sqlite3_prepare_v2(store, \"select 1\", -1, &query, NULL) != SQLITE_OK) {\n"
        "        sqlite3_close(store);\n        return -1;\n    }\n    if (sqlite3_step(query) != SQLITE_ROW) {\n        sqlite3_close(store);\n"
        "        return -2;\n    }\n    sqlite3_finalize(query);\n    sqlite3_close(store);\n    return 0;\n}\n"
    )
    at = lines.index("return -2;")
    assert lines[at - 2 : at] == ["sqlite3_finalize(query);", "sqlite3_close(store);"]


def test_a_part_and_its_whole_are_released_together() -> None:
    lines = fixed(
        "int f(const char *path, char *bytes)\n{\n    int code;\n    zip_t *whole = zip_open(path, 0, &code);\n    zip_file_t *part;\n"
        "    if (!whole)\n        return -1;\n    part = zip_fopen(whole, \"part\", 0);\n    if (!part) {\n        zip_close(whole);\n        return -1;\n    }\n"
        "    if (zip_fread(part, bytes, 4) < 0) {\n        zip_fclose(part);\n        return -2;\n    }\n    zip_fclose(part);\n    zip_close(whole);\n    return 0;\n}\n"
    )
    at = lines.index("return -2;")
    assert lines[at - 2 : at] == ["zip_fclose(part);", "zip_close(whole);"]


NODES = """\
#include <stdlib.h>
#include <string.h>
struct node { int refs; char *name; };
static void node_put(struct node *node) { if (--node->refs == 0) { free(node->name); free(node); } }
"""


@pytest.mark.parametrize("counted", [False, True], ids=["nobody counted it", "counted once"])
def test_what_nobody_has_counted_is_not_counted_down(counted: bool) -> None:
    lines = fixed(
        f"int f(const char *text)\n{{\n    struct node *node = calloc(1, sizeof *node);\n    if (!node)\n        return -1;\n{'    node->refs = 1;' if counted else ''}\n"
        "    node->name = strdup(text);\n    if (!node->name)\n        return -1;\n    node_put(node);\n    return 0;\n}\n",
        NODES,
    )
    assert (lines.count("node_put(node);") == 2) is counted


def test_what_the_caller_passed_may_be_its_own_still() -> None:
    lines = fixed(
        "char *f(char *text, unsigned long n)\n{\n    char *more = realloc(text, n);\n    if (!more)\n        return NULL;\n"
        "    if (n > 100)\n        return NULL;\n    return more;\n}\n"
    )
    assert "free(more);" not in lines


def test_what_the_code_ends_where_it_cannot_grow_it_owns() -> None:
    lines = fixed(
        "char *f(char *text, unsigned long n)\n{\n    char *more = realloc(text, n);\n    if (!more) {\n        free(text);\n        return NULL;\n    }\n"
        "    if (n > 100)\n        return NULL;\n    return more;\n}\n"
    )
    assert "free(more);" in lines
