"""A field that its object closes behind a wait for others stays for them until that has come to its end."""

from __future__ import annotations

import pytest

from tests.unit.fixers.members import reasons, safe

OWNER = """  static class Owner implements Closeable {
    private final RandomAccessFile file;
    private final Worker worker;
    Owner(File place) throws IOException {
      file = new RandomAccessFile(place, "r");
      worker = new Worker();
    }
    @Override public void close() throws IOException {
      CALL;
      file.close();
    }
  }
  static class Worker {
    void awaitEnd() throws IOException { if (Thread.interrupted()) throw new IOException(); }
    void join(int most) throws IOException { awaitEnd(); }
    void join(String mark) throws IOException { awaitEnd(); }
    void note() throws IOException { awaitEnd(); }
  }
"""


@pytest.mark.parametrize("call", ["worker.awaitEnd()", "worker.join(500)"])
def test_no_close_comes_before_the_end_of_those_that_are_waited_for(call: str) -> None:
    body = OWNER.replace("CALL", call)
    assert not safe(body)
    assert any("waits for what may still use it" in each for each in reasons(body))


@pytest.mark.parametrize("call", ["worker.note()", 'worker.join(",")'])
def test_what_waits_for_nobody_hinders_no_close(call: str) -> None:
    [after] = safe(OWNER.replace("CALL", call))
    assert f"        {call};\n      }} finally {{\n        file.close();\n" in after.replace("CALL", call)


def test_nor_does_a_wait_behind_the_close() -> None:
    [after] = safe(OWNER.replace("CALL;", "worker.note();").replace("file.close();\n", "file.close();\n      worker.awaitEnd();\n"))
    assert "} finally {\n        file.close();\n" in after
