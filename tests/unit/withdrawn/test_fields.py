"""Closes of Java that a change takes out, of what lies in fields: what is told of them, and which changes are right."""

from __future__ import annotations

import textwrap

import pytest

from analyzers import MemoryTree, load, specs
from analyzers.finding import WITHDRAWN, Confidence
from analyzers.withdrawn import Text, withdrawn

GATE = """
    package lock;
    import java.io.*;
    import java.util.*;
    class Gate implements Closeable {
        private final Map<String, InputStream> lanes = new HashMap<>();
        private final Deque<Writer> queue = new ArrayDeque<>();
        private Writer log;
        private Reader spare;
        void log(File file) throws IOException {
            if (log != null) log.close();
            log = new FileWriter(file);
        }
        void spare(File file) throws IOException {
            endSpare();
            spare = new FileReader(file);
        }
        void again(File file) throws IOException {
            spare.close();
            spare = new FileReader(file);
        }
        void enter(String name) throws IOException { lanes.put(name, new FileInputStream(name)); }
        void write(File file) throws IOException { queue.add(new FileWriter(file)); }
        void leave(String name) throws IOException {
            InputStream in = lanes.remove(name);
            if (in != null) in.close();
        }
        void next() throws IOException {
            Writer first = queue.poll();
            first.close();
        }
        private void endSpare() throws IOException { if (spare != null) spare.close(); }
        public void close() throws IOException {
            for (InputStream each : lanes.values()) each.close();
            while (!queue.isEmpty()) queue.poll().close();
            if (log != null) log.close();
            endSpare();
        }
    }
"""


def told(before: str, after: str) -> list[str]:
    """What is said to be lost between two versions of one file."""
    texts = [textwrap.dedent(each).encode() for each in (before, after)]
    old = load(MemoryTree({"Gate.java": texts[0]}), specs.load(("java",)))
    new = old.beside(MemoryTree({"Gate.java": texts[1]}))
    there = set(old.procedures_of("Gate.java"))
    pairs = [(each, each) for each in new.procedures_of("Gate.java") if each in there]
    found = withdrawn(old, new, pairs, {"Gate.java": Text(*texts)})
    assert all(each.confidence is Confidence.ASSUMED and each.detail == WITHDRAWN and each.witness for each in found)
    return [each.variable for each in found]


def instead(line: str, other: str) -> list[str]:
    """What is told where a change puts other text in the place of some."""
    assert GATE.count(line) == 1
    return told(GATE, GATE.replace(line, other))


LANES = "for (InputStream each : lanes.values()) each.close();"
QUEUE = "while (!queue.isEmpty()) queue.poll().close();"


@pytest.mark.parametrize(("line", "other", "name"), [
    ("if (log != null) log.close();\n            log = new", "log = new", "log"),
    ("spare.close();\n            spare = new", "spare = new", "spare"),
    ("if (in != null) in.close();", "", "lanes[…]"),
    ("first.close();", "", "queue[…]"),
    (LANES, "", "lanes[…]"),
    (LANES, "lanes.clear();", "lanes[…]"),
    (QUEUE, "queue.clear();", "queue[…]"),
])  # fmt: skip
def test_what_is_not_closed_any_more(line: str, other: str, name: str) -> None:
    assert instead(line, other) == [name]


@pytest.mark.parametrize(("line", "other"), [
    ("if (log != null) log.close();\n            log = new", "endLog();\n            log = new"),
    ("if (log != null) log.close();\n            log = new", "Writers.quit(log);\n            log = new"),
    ("if (log != null) log.close();\n            log = new", "Writer before = log;\n            log = new"),
    ("if (log != null) log.close();\n            log = new", "if (log == null) log = new"),
    ("if (log != null) log.close();\n            log = new", "if (log != null) return;\n            log = new"),
    ("if (log != null) log.close();\n            log = new FileWriter(file);", ""),
    ("spare.close();\n            spare = new FileReader(file);", "spare = readers.take(file);"),
    ("if (in != null) in.close();", "spent.add(in);"),
    ("if (in != null) in.close();", "try (in) { in.skip(1); }"),
    ("InputStream in = lanes.remove(name);\n            if (in != null) in.close();", "InputStream in = lanes.get(name);"),
    ("Writer first = queue.poll();\n            first.close();", "end(queue.poll());"),
    (LANES, "lanes.values().forEach(Gate::end);"),
    (LANES, "end(lanes.values());"),
    (LANES, "endAll();"),
    (LANES, "for (String each : lanes.keySet()) leave(each);"),
    (LANES, "var all = lanes.values().iterator(); while (all.hasNext()) all.next().close();"),
    (LANES, "Files.end(lanes);"),
    (LANES, "super.close();"),
    (QUEUE, "for (Writer each : queue) each.close();"),
])  # fmt: skip
def test_what_others_close_or_keep(line: str, other: str) -> None:
    assert instead(line, other) == []


def test_a_close_that_moves_within_the_file() -> None:
    after = GATE.replace(LANES, "").replace("private void endSpare() throws IOException {", "private void endSpare() throws IOException { " + LANES)
    assert told(GATE, after) == []


def test_a_collection_that_nobody_fills_any_more() -> None:
    after = GATE.replace(LANES, "").replace("lanes.put(name, new FileInputStream(name));", "")
    assert told(GATE, after) == []


def test_a_field_that_is_not_there_any_more() -> None:
    after = GATE.replace("if (log != null) log.close();\n            log = new FileWriter(file);", "FileWriter log = new FileWriter(file);")
    assert told(GATE, after) == []
