"""What a loop without an end acquires at each turn is released at the end of the turn."""

from __future__ import annotations

import textwrap

from tests.unit.fixers.patching import mended

SERVER = textwrap.dedent("""\
    #include <stdlib.h>
    #include <sys/socket.h>
    #include <unistd.h>
    void serve(int listener)
    {
        for (;;) {
            int client = accept(listener, NULL, NULL);
            if (client < 0)
                continue;
            if (fork() == 0) {
                close(listener);
                exit(0);
            }
        }
    }
    """)


def test_the_parent_closes_what_it_accepted_for_its_child() -> None:
    expected = SERVER.replace("    }\n}\n", "        close(client);\n    }\n}\n")
    assert mended("server.c", SERVER.encode()).decode() == expected


def test_what_is_kept_at_each_turn_is_left_alone() -> None:
    kept = SERVER.replace("void serve", "int clients[9], count;\nvoid serve").replace(
        "if (fork() == 0) {", "clients[count++ % 9] = client;\n        if (fork() == 0) {"
    )
    assert mended("server.c", kept.encode()).decode() == kept
