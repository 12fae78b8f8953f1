"""What a test wants to fail, or not to be there, is told as assumed at most: nothing is opened then."""

from __future__ import annotations

import pytest

from fixers import Declined
from tests.unit.fixers.patching import answers

SOURCE = """\
import java.io.*;
import org.junit.jupiter.api.Test;
class StoreTest {{
    @Test
    void missing() throws Exception {{
        {statement}
    }}
}}
"""


@pytest.mark.parametrize(
    "statement",
    [
        "assertThrows(IOException.class, () -> {{ new FileInputStream(\"none\"); }});",
        "try { new FileInputStream(\"none\").read(); fail(\"there\"); } catch (Exception e) { assertThat(e, is(wrong)); }",
        "assertNull(new FileInputStream(\"none\"));",
    ],
)
def test_what_is_wanted_to_fail_is_doubted(statement: str) -> None:
    found = answers("StoreTest.java", SOURCE.format(statement=statement.replace("{{", "{").replace("}}", "}")).encode())
    assert all(isinstance(each, Declined) and each.is_doubted for each in found)


def test_what_only_stands_in_a_test_is_not() -> None:
    [answer] = answers("StoreTest.java", SOURCE.format(statement="new FileInputStream(\"some\").read();").encode())
    assert not answer.is_doubted
