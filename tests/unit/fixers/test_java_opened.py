"""What is opened in place (`socket.connect(…)`) is closed from where the object was made."""

from __future__ import annotations

import pytest

from tests.unit.fixers.members import HEAD, safe
from tests.unit.fixers.patching import answers

_CONNECT = "socket.connect(new InetSocketAddress(host, 80))"


def test_a_socket_that_is_connected_later_stands_in_a_header() -> None:
    [text] = safe(
        "  void run(String host, boolean wanted) throws IOException {\n    Socket socket = new Socket();\n    if (wanted) {\n"
        f"      {_CONNECT};\n    }}\n    socket.getOutputStream().write(1);\n  }}"
    )
    assert "    try (Socket socket = new Socket()) {\n      if (wanted) {\n        socket.connect(" in text


def test_a_socket_that_is_returned_is_closed_where_the_call_that_follows_throws() -> None:
    [text] = safe(
        f"  Socket run(String host) throws IOException {{\n    Socket socket = new Socket();\n    {_CONNECT};\n"
        "    socket.setSoTimeout(10);\n    return socket;\n  }"
    )
    assert "    try {\n      socket.connect(" in text and "      return socket;\n    } catch (Throwable e) {\n" in text


@pytest.mark.parametrize(
    "member",
    [
        "  void run(Socket socket, String host) throws IOException {\n    " + _CONNECT + ";\n    socket.getOutputStream().write(1);\n  }",
        "  void run(java.util.concurrent.locks.ReentrantLock lock) throws IOException {\n    lock.lock();\n    new FileReader(\"a\").close();\n  }",
    ],
    ids=["parameter", "lock"],
)
def test_nothing_is_called_on_the_result_of_what_opens(member: str) -> None:
    for each in answers("Case.java", (HEAD + member + "\n}\n").encode()):
        assert ").close();" not in "".join(edit.text for edit in getattr(each, "edits", ()))
