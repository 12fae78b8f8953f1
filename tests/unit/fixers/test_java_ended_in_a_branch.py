"""What is closed at the end of a branch is needed no longer behind that, whatever was made of it (Java)."""

from __future__ import annotations

from tests.unit.fixers.patching import mended

BEFORE = b"""package fixes;

import android.content.ContentResolver;
import android.database.Cursor;
import android.net.Uri;

/** What is closed at the end of a branch is needed no longer behind that, whatever was made of it. */
class EndedInABranch {
    private final ContentResolver resolver;

    EndedInABranch(ContentResolver resolver) {
        this.resolver = resolver;
    }

    void told(Uri of) {
        boolean isDone = false;
        Uri place = null;
        Cursor rows = resolver.query(of, null, null, null, null);

        if (rows != null && rows.moveToFirst()) {
            isDone = rows.getInt(0) == 1;
            if (isDone) {
                place = Uri.parse(rows.getString(1));
            }

            rows.close();
        }

        stop();

        // all is there
        tell(isDone, place);
    }

    void stop() {
        System.out.println("stop");
    }

    void tell(boolean isDone, Uri place) {
        System.out.println(isDone + " " + place);
    }
}
"""
AFTER = b"""package fixes;

import android.content.ContentResolver;
import android.database.Cursor;
import android.net.Uri;

/** What is closed at the end of a branch is needed no longer behind that, whatever was made of it. */
class EndedInABranch {
    private final ContentResolver resolver;

    EndedInABranch(ContentResolver resolver) {
        this.resolver = resolver;
    }

    void told(Uri of) {
        boolean isDone = false;
        Uri place = null;
        try (Cursor rows = resolver.query(of, null, null, null, null)) {
            if (rows != null && rows.moveToFirst()) {
                isDone = rows.getInt(0) == 1;
                if (isDone) {
                    place = Uri.parse(rows.getString(1));
                }
            }
        }

        stop();

        // all is there
        tell(isDone, place);
    }

    void stop() {
        System.out.println("stop");
    }

    void tell(boolean isDone, Uri place) {
        System.out.println(isDone + " " + place);
    }
}
"""


def test_the_header_ends_with_the_branch() -> None:
    assert mended("fixes/EndedInABranch.java", BEFORE) == AFTER
