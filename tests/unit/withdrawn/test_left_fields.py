"""Closes that a change takes out of methods that end their object, of what its class has made and put into a field."""

from __future__ import annotations

import pytest

from .test_fields import told

PORT = """
    package harbour;
    import java.io.*;
    import java.util.concurrent.*;
    class Port {
        private ExecutorService cranes;
        private final ExecutorService pilots;
        private final Writer log;
        private Crew crew = new Crew();
        Port(ExecutorService pilots, File file) throws IOException {
            this.pilots = pilots;
            this.log = new FileWriter(file);
        }
        void open() { cranes = makeCranes(4); crew.lead(cranes); }
        void load(Runnable cargo) { cranes.execute(cargo); }
        private ExecutorService makeCranes(int count) { return new ThreadPoolExecutor(count, count, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>()); }
        protected void shutdownHarbour() throws IOException {
            crew.end(this);
            if (cranes != null) {
                cranes.shutdown();
            }
            pilots.shutdown();
            log.close();
        }
    }
"""
CRANES = "if (cranes != null) {\n                cranes.shutdown();\n            }"


def _instead(line: str, other: str, before: str = PORT) -> list[str]:
    assert before.count(line) == 1
    return told(before, before.replace(line, other))


@pytest.mark.parametrize(
    ("line", "other", "expected"),
    [
        (CRANES, "", ["cranes"]),
        (CRANES, "// The crew ends them.", ["cranes"]),
        ("log.close();", "", ["log"]),
        ("pilots.shutdown();", "", []),
        (CRANES, "Crew.stop(cranes);", []),
        (CRANES, "crew.stop(this);", []),
        (CRANES, "crew.take(cranes);", []),
    ],
)
def test_a_method_that_ends_its_object_no_longer_ends_a_part(line: str, other: str, expected: list[str]) -> None:
    assert _instead(line, other) == expected


def test_a_method_that_is_no_end() -> None:
    assert _instead(CRANES, "", PORT.replace("shutdownHarbour()", "wait()")) == []
    assert _instead(CRANES, "", PORT.replace("shutdownHarbour()", "shutdownHarbour(int part)")) == []


def test_another_method_ends_it() -> None:
    other = PORT.replace("void load(", "void rest() { cranes.shutdownNow(); }\n        void load(")
    assert _instead(CRANES, "", other) == []
    other = PORT.replace("void load(", "void rest() { Crew.terminate(cranes); }\n        void load(")
    assert _instead(CRANES, "", other) == []


def test_a_method_below_looks_at_it() -> None:
    other = PORT.replace("crew.end(this);", "rest();").replace("void load(", "private void rest() { crew.part(cranes); }\n        void load(")
    assert _instead(CRANES, "", other) == []


def test_a_change_of_how_it_is_filled() -> None:
    after = PORT.replace(CRANES, "").replace("cranes = makeCranes(4);", "cranes = crew.cranes();")
    assert told(PORT, after) == []
