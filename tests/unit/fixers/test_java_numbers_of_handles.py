"""A number that is the name of something open is of no use any more where that is closed: what uses it stands in front of that."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

SOURCE = """\
import android.os.ParcelFileDescriptor;
import java.io.*;
import java.net.Socket;
class A {{
    private int kept;
    native int ask(int number);
    {type_} use(Socket socket) throws IOException {{
        {statements}
    }}
}}
"""
MADE = "ParcelFileDescriptor.fromSocket(socket)"


@pytest.mark.parametrize(
    ("type_", "statements"),
    [
        ("int", f"int fd = {MADE}.getFd();\n        return ask(fd);"),
        ("int", f"ParcelFileDescriptor p = {MADE};\n        int fd = p.getFd();\n        return ask(fd);"),
    ],
    ids=["no name", "a name"],
)
def test_it_is_asked_for_before(type_: str, statements: str) -> None:
    after = mended("A.java", SOURCE.format(type_=type_, statements=statements).encode()).decode()
    closed = after.find("\n        }\n    }\n")
    assert "ask(fd)" in after and (closed < 0 or after.index("ask(fd)") < closed)
    assert "int fd;" not in after


@pytest.mark.parametrize(
    ("type_", "statements"),
    [("int", f"ParcelFileDescriptor p = {MADE};\n        return p.getFd();"), ("void", f"ParcelFileDescriptor p = {MADE};\n        kept = p.getFd();"), ("int", f"int fd;\n        fd = {MADE}.getFd();\n        return ask(fd);")],
    ids=["returned", "kept", "without a name"],
)
def test_where_it_goes_on_nothing_is_closed(type_: str, statements: str) -> None:
    source = SOURCE.format(type_=type_, statements=statements)
    assert mended("A.java", source.encode()).decode() == source
