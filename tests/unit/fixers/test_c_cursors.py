"""A cursor of LMDB may have ended with its transaction (C)."""

from __future__ import annotations

from tests.unit.fixers.patching import mended

TEXT = b"""#include <lmdb.h>
#include <stdlib.h>

int forget_all(MDB_env *env)
{
    MDB_txn *txn;
    MDB_dbi dbi;
    MDB_cursor *cursor;
    MDB_val key, value;
    int r;

    r = mdb_txn_begin(env, NULL, 0, &txn);
    if (r != 0)
        return -1;
    r = mdb_dbi_open(txn, NULL, 0, &dbi);
    if (r != 0)
        goto error;
    r = mdb_cursor_open(txn, dbi, &cursor);
    if (r != 0)
        goto error;
    r = mdb_cursor_get(cursor, &key, &value, MDB_FIRST);
    if (r != 0)
        goto cursor_error;
    while (r == 0) {
        r = mdb_cursor_del(cursor, 0);
        if (r != 0)
            goto cursor_error;
        r = mdb_cursor_get(cursor, &key, &value, MDB_NEXT);
    }
    mdb_txn_commit(txn);
    return 0;
cursor_error:
    mdb_cursor_close(cursor);
error:
    mdb_txn_abort(txn);
    return -1;
}
"""


def test_a_cursor_ends_with_its_transaction() -> None:
    assert mended("a.c", TEXT) == TEXT
