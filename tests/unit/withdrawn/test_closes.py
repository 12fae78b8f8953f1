"""Closes of Java that a change takes out: what is told of them, and which changes are right."""

from __future__ import annotations

import textwrap

import pytest

from analyzers import MemoryTree, load, specs
from analyzers.finding import WITHDRAWN, Confidence
from analyzers.withdrawn import Text, withdrawn

BENCH = """
    package mill;
    import java.io.*;
    import java.util.*;
    import grain.*;
    interface Turning extends AutoCloseable { void close(); }
    class Wheel implements Turning {
        private final Set<String> turning = new HashSet<>();
        Wheel(Object axle) { }
        void grind() { turning.add("x"); }
        public void close() { turning.remove("x"); }
    }
    class Idle implements Turning {
        void grind() { }
        public void close() { }
    }
    class Press {
        private final java.util.concurrent.ExecutorService rollers = java.util.concurrent.Executors.newFixedThreadPool(2);
        Sheet print() { Registry.add(rollers); return new Sheet(rollers); }
        public void close() { rollers.shutdown(); }
    }
    class Sheet {
        private final java.util.concurrent.ExecutorService rollers;
        Sheet(java.util.concurrent.ExecutorService rollers) { this.rollers = rollers; }
    }
    class Bench {
        private Wheel last;
        int printed() { Press press = new Press(); Sheet sheet = press.print(); System.out.println(sheet); press.close(); return 9; }
        int found(int n) throws IOException { Wheel wheel = findWheel(n); try { wheel.grind(); check(n); } finally { wheel.close(); } return 10; }
        private Wheel findWheel(int n) { Wheel made = n > 3 ? new Wheel(null) : makeFresh(); made.grind(); return made; }
        int cached() { Wheel wheel = findKept(); wheel.grind(); wheel.close(); return 11; }
        private Wheel findKept() { if (last == null) { last = new Wheel(null); } return last; }
        int mapped() { Wheel wheel = findNamed("x"); wheel.grind(); wheel.close(); return 12; }
        private Wheel findNamed(String name) { Wheel made = named.get(name); if (made == null) { made = new Wheel(null); named.put(name, made); } return made; }
        private final Map<String, Wheel> named = new HashMap<>();
        static void check(int n) throws IOException { if (n < 0) { throw new IOException(); } }
        int header() { try (Wheel wheel = new Wheel(null)) { wheel.grind(); return 1; } }
        int plain() { Wheel wheel = new Wheel(null); wheel.grind(); wheel.close(); return 2; }
        int handled() { Wheel wheel = new Wheel(null); try { wheel.grind(); } finally { wheel.close(); } return 3; }
        int idle() { Idle idle = new Idle(); idle.grind(); idle.close(); return 4; }
        int looked(Depot depot) { Turning wheel = depot.getWheel(); wheel.hashCode(); wheel.close(); return 5; }
        int opened(Depot depot) { Sack sack = Depot.openSack(7); int weight = sack.weight(); sack.close(); return weight; }
        int over(InputStream in) throws IOException { Meter meter = new Meter(in); int n = meter.count(); meter.close(); return n; }
        int bytes() { Heap heap = new Heap(8); heap.add(1); heap.close(); return heap.toByteArray().length; }
        int pooled(Heap pool) throws Exception { java.sql.Connection link = pool.getConnection(); new Sums(link).add(); link.close(); return 7; }
        int picture(ClassLoader loader) throws IOException {
            InputStream shown = picked("x", loader);
            try { return Depot.weigh(shown); } finally { Depot.close(shown); }
        }
        private static InputStream picked(String name, ClassLoader loader) throws IOException {
            InputStream found = loader.getResourceAsStream(name);
            if (found == null) { found = new FileInputStream(name); }
            return found;
        }
        int shelf(ClassLoader loader) throws IOException {
            InputStream shelved = shelved("x", loader);
            try { return Depot.weigh(shelved); } finally { Depot.close(shelved); }
        }
        private static InputStream shelved(String name, ClassLoader loader) { return loader.getResourceAsStream(name); }
        int asked(Depot depot) { Rows rows = depot.searchRows(7); int n = rows.count(); rows.close(); return 13 + n; }
        int kept() { Wheel wheel = createKept(); wheel.grind(); wheel.close(); return 6; }
        int fresh() { Wheel wheel = createFresh(); wheel.grind(); wheel.close(); return 8; }
        private Wheel createKept() { Wheel made = new Wheel(null); all.add(made); return made; }
        private Wheel createFresh() { Wheel made = makeFresh(); made.grind(); return made; }
        private static Wheel makeFresh() { return new Wheel(null); }
        private final List<Turning> all = new ArrayList<>();
        static void end(Turning each) { each.close(); }
    }
"""


def told(before: str, after: str) -> list[str]:
    """What is said to be lost between two versions of one file."""
    texts = [textwrap.dedent(each).encode() for each in (before, after)]
    old = load(MemoryTree({"Bench.java": texts[0]}), specs.load(("java",)))
    new = old.beside(MemoryTree({"Bench.java": texts[1]}))
    there = set(old.procedures_of("Bench.java"))
    pairs = [(each, each) for each in new.procedures_of("Bench.java") if each in there]
    found = withdrawn(old, new, pairs, {"Bench.java": Text(*texts)})
    assert all(each.confidence is Confidence.ASSUMED and each.detail == WITHDRAWN and each.witness for each in found)
    return [each.variable for each in found]


def instead(line: str, other: str) -> list[str]:
    """What is told where a change puts another line in the place of one."""
    assert BENCH.count(line) == 1
    return told(BENCH, BENCH.replace(line, other))


@pytest.mark.parametrize(("line", "other", "name"), [
    ("try (Wheel wheel = new Wheel(null)) { wheel.grind(); return 1; }", "Wheel wheel = new Wheel(null); wheel.grind(); return 1;", "wheel"),
    ("wheel.close(); return 2;", "return 2;", "wheel"),
    ("link.close(); return 7;", "return 7;", "link"),
    ("finally { wheel.close(); } return 3;", "finally { } return 3;", "wheel"),
    ("try { wheel.grind(); } finally { wheel.close(); } return 3;", "wheel.grind(); return 3;", "wheel"),
    ("sack.close(); return weight;", "return weight;", "sack"),
    ("wheel.close(); return 8;", "return 8;", "wheel"),
    ("finally { Depot.close(shown); }", "finally { }", "shown"),
    ("rows.close(); return 13 + n;", "return 13 + n;", "rows"),
    ("press.close(); return 9;", "return 9;", "press"),
    ("finally { wheel.close(); } return 10;", "finally { } return 10;", "wheel"),
    ("try { wheel.grind(); check(n); } finally { wheel.close(); } return 10;", "wheel.grind(); check(n); wheel.close(); return 10;", "wheel"),
    ("wheel.close(); return 2;", "if (last != null) { return 3; } wheel.close(); return 2;", "wheel"),
])  # fmt: skip
def test_what_is_not_closed_any_more(line: str, other: str, name: str) -> None:
    assert instead(line, other) == [name]


@pytest.mark.parametrize(("line", "other"), [
    ("wheel.close(); return 2;", "last = wheel; return 2;"),
    ("wheel.close(); return 2;", "end(wheel); return 2;"),
    ("wheel.close(); return 2;", "Bearings.keep(wheel); return 2;"),
    ("Wheel wheel = new Wheel(null); wheel.grind(); wheel.close(); return 2;", "try (Wheel wheel = new Wheel(null)) { wheel.grind(); return 2; }"),
    ("Wheel wheel = new Wheel(null); wheel.grind(); wheel.close(); return 2;", "Wheel wheel = new Wheel(last); wheel.grind(); return 2;"),
    ("idle.close(); return 4;", "return 4;"),
    ("finally { Depot.close(shelved); }", "finally { }"),
    ("wheel.close(); return 5;", "return 5;"),
    ("meter.close(); return n;", "in.close(); return n;"),
    ("heap.close(); return", "return"),
    ("wheel.close(); return 6;", "return 6;"),
    ("wheel.close(); return 11;", "return 11;"),
    ("wheel.close(); return 12;", "return 12;"),
    ("wheel.close(); return 2;", "if (last != null) { last = wheel; return 3; } wheel.close(); return 2;"),
    ("wheel.close(); return 2;", "if (wheel != null) { wheel.close(); } return 2;"),
    ("Wheel wheel = new Wheel(null); wheel.grind(); wheel.close(); return 2;", "if (last != null) { return 3; } Wheel wheel = new Wheel(null); wheel.close(); return 2;"),
    ("sack.close(); return weight;", "sack.release(); return weight;"),
])  # fmt: skip
def test_what_others_close_or_nobody_has_to(line: str, other: str) -> None:
    assert instead(line, other) == []


def test_what_cannot_be_closed_any_more() -> None:
    after = BENCH.replace("interface Turning extends AutoCloseable { void close(); }", "interface Turning extends Older { void close(); }")
    after = after.replace("class Wheel implements Turning {", "class Wheel extends grain.Part {").replace('public void close() { turning.remove("x"); }', "")
    assert told(BENCH, after.replace("wheel.close(); return 2;", "return 2;")) == []


def test_another_name_closes() -> None:
    assert instead("wheel.close(); return 2;", "Wheel other = wheel; other.close(); return 2;") == []


def test_what_comes_back_to_the_caller() -> None:
    after = BENCH.replace("int plain()", "Object plain()").replace("wheel.close(); return 2;", "return wheel;")
    assert told(BENCH, after) == []


def test_what_a_function_gets() -> None:
    assert instead("wheel.close(); return 2;", "Runnable later = () -> wheel.close(); later.run(); return 2;") == []
    assert instead("wheel.close(); return 2;", "Runtime.getRuntime().addShutdownHook(new Thread(wheel::close)); return 2;") == []
