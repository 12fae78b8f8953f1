"""What a function of a library keeps is not released behind it: only where nobody was given it."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

TEXT = """#include <stdlib.h>
int f(void *o, int n)
{{
    char *p = malloc(64);

    if (!p)
        return -1;
    if (n == 2)
        return 2;
    {call};
    if (n)
        return 1;
    return 0;
}}
"""


@pytest.mark.parametrize("call", [
    "archive_read_append_callback_data(o, p)", "archive_read_prepend_callback_data(o, p)", "deflateSetHeader(o, p)", "LZ4_loadDict(o, p, 3)",
    "curl_mime_data_cb(o, 1, 0, 0, 0, p)", "sqlite3_vfs_register(p, 1)", "sqlite3_result_text(o, p, -1, SQLITE_STATIC)", "sqlite3_config(1, p)",
    "g_dbus_connection_call(o, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, p)", "g_dbus_proxy_call(o, 0, 0, 0, 0, 0, 0, p)", "g_input_stream_read_async(o, 0, 0, 0, 0, 0, p)",
    "g_file_load_contents_async(o, 0, 0, p)", "g_main_context_invoke(o, 0, p)", "g_bus_own_name(0, 0, 0, 0, 0, 0, p, 0)", "gdk_threads_add_idle(o, p)",
    "cairo_image_surface_create_for_data(p, 1, 2, 3, 4)", "evhttp_make_request(o, p, 1, 0)", "gnutls_privkey_import_x509(o, p, 0)",
    "gnutls_x509_trust_list_add_cas(o, p, 1, 0)", "SSL_CTX_set_alpn_select_cb(o, 0, p)", "X509_STORE_CTX_init(o, p, 0, 0)", "PKCS7_add_signer(o, p)",
    "json_object_array_put_idx(o, 1, p)", 'json_pack("{s:o}", "k", p)', "xmlTextReaderSetErrorHandler(o, 0, p)", "pcre2_jit_stack_assign(o, 0, p)",
    "gdImageSetBrush(o, p)", "fido_dev_set_io_functions(o, p)", "apr_pool_userdata_setn(p, \"k\", 0, o)",
])
def test_what_a_library_keeps_stays(call: str) -> None:
    after = mended("x.c", TEXT.format(call=call).encode()).decode()
    assert "free(p)" not in after[after.index(call) :]


@pytest.mark.parametrize(("made", "end"), [
    ("GString *s = g_string_new(p);", "return s;"), ("struct json_object *s = json_object_new_string(p);", "return s;"), ("cJSON *s = cJSON_CreateString(p);", "return s;"),
])
def test_what_only_copies_a_text_lets_it_go(made: str, end: str) -> None:
    before = f"#include <stdlib.h>\n#include <string.h>\nvoid *f(const char *t)\n{{\n    char *p = strdup(t);\n\n    if (!p)\n        return NULL;\n    {made}\n    {end}\n}}\n"
    assert "    free(p);\n    return s;\n" in mended("x.c", before.encode()).decode()


@pytest.mark.parametrize(("end", "is_freed"), [("SQLITE_TRANSIENT", True), ("SQLITE_STATIC", False), ("free", False), ("n", False)])
def test_a_statement_that_copies_a_text_lets_it_go(end: str, is_freed: bool) -> None:
    call = f"sqlite3_bind_text(o, 1, p, -1, {end})"
    after = mended("x.c", TEXT.format(call=call).encode()).decode()
    assert ("free(p)" in after[after.index(call) :]) is is_freed


def test_a_channel_keeps_its_descriptor() -> None:
    before = """#include <fcntl.h>
#include <unistd.h>
GIOChannel *f(const char *path)
{
    int fd = open(path, O_RDONLY);

    if (fd < 0)
        return NULL;
    if (lseek(fd, 3, SEEK_SET) < 0)
        return NULL;
    return g_io_channel_unix_new(fd);
}
"""
    after = mended("x.c", before.encode()).decode()
    assert after.count("close(fd);") == 1 and "close(fd);\n        return NULL;\n    }\n    return g_io" in after


@pytest.mark.parametrize("call", ["inotify_add_watch(fd, t, IN_MODIFY)", "dirfd(d)"])
def test_a_number_that_only_the_open_one_gives_a_sense_keeps_it_open(call: str) -> None:
    made = "DIR *d = opendir(t);" if "dirfd" in call else "int fd = inotify_init();"
    test = "!d" if "dirfd" in call else "fd < 0"
    before = f"#include <dirent.h>\n#include <unistd.h>\n#include <sys/inotify.h>\nint f(const char *t)\n{{\n    {made}\n    if ({test})\n        return -1;\n    return {call};\n}}\n"
    assert b"close" not in mended("x.c", before.encode())
