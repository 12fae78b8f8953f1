"""What is made as large as something that may change meanwhile stays where it is."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

PROGRAM = """import java.io.*;
import java.util.*;

class Reading {{
    static class Message {{
        int length;
    }}

    static int Total;

    private final List<String> lines = new ArrayList<>();

    private void fill(List<String> list, Message message, InputStream in) throws IOException {{
        list.add("" + in.read());
        message.length = in.read();
        Total = in.read();
    }}

    private void show(int number) {{
        System.out.println(number);
    }}

    Object read(String name, List<String> list, Message message, byte[] given, int other) throws IOException {{
        InputStream in = new FileInputStream(name);
        fill(list, message, in);
        {declaration}
        show(in.read());
        in.close();
        show(1);
        if (other > 3) {{
            show(2);
        }}
        return made;
    }}
}}
"""


@pytest.mark.parametrize(("declaration", "is_moved"), [
    ("String[] made = new String[list.size()];", False),
    ("byte[] made = new byte[message.length];", False),
    ("byte[] made = new byte[Total];", False),
    ("byte[] made = new byte[given.length];", True),
    ("byte[] made = new byte[other];", True),
    ("List<String> made = new ArrayList<>(list.size());", True),  # Room for as many is all that it says.
    ("Object made = new java.util.concurrent.atomic.AtomicInteger(list.size());", False),
])  # fmt: skip
def test_sizes_are_taken_where_they_were(declaration: str, is_moved: bool) -> None:
    before = PROGRAM.format(declaration=declaration).encode()
    after = mended("Reading.java", before)
    assert after != before
    value = declaration.partition("= ")[2].encode()
    assert (after.index(value) < after.index(b"fill(list, message, in)")) is is_moved
