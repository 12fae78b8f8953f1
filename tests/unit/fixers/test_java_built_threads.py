"""What a method hands on to another, whose builder has a thread use it, stays open, unless somebody looks at it."""

from __future__ import annotations

import pytest

from tests.unit.fixers.members import safe

BODY = """  void begin(String name) throws IOException {
    InputStream in = new FileInputStream(name);
    start(in);
    System.out.println(name);
  }

  private void start(InputStream in) {
    %s;
  }

  private static void print(InputStream in) {
    try {
      System.out.println(in.read());
    } catch (IOException e) {
      System.out.println(e);
    }
  }"""


@pytest.mark.parametrize(
    "started",
    [
        "Thread.startVirtualThread(() -> print(in))",
        'Thread.ofPlatform().name("reader").daemon().start(() -> print(in))',
        "Thread.ofVirtual().unstarted(() -> print(in)).start()",
        "Thread.Builder each = Thread.ofVirtual();\n    each.start(() -> print(in))",
    ],
)
def test_nothing_is_closed_under_a_thread_of_a_builder(started: str) -> None:
    assert not any("try (" in each or ".close()" in each for each in safe(BODY % started))


def test_what_is_read_at_once_is_closed() -> None:
    [text] = safe(BODY % "print(in)")
    assert "try (InputStream in = new FileInputStream(name)) {" in text
