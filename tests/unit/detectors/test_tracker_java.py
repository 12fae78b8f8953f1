"""What Tracker says of Java: where a resource is told to be lost."""

from __future__ import annotations

from analyzers import analyze, load, specs
from analyzers.tree import MemoryTree

SHARED_FINALLY = b"""import java.io.*;

class Case {
    static int first(String path) {
        InputStream in = null;
        try {
            in = new FileInputStream(path);
            return in.read();
        } catch (IOException e) {
            return -1;
        } finally {
            System.out.println(path);
        }
    }
}
"""


def test_ways_out_that_share_their_finally_end_with_the_procedure() -> None:
    program = load(MemoryTree({"Case.java": SHARED_FINALLY}), specs.load(("java", "c")))
    (finding,) = analyze(program, None).findings
    assert finding.message == "`in` is not closed at the end of the procedure."


NAMED_IN_A_HEADER = b"""import java.io.*;

class Case {
    static int both(InputStream in, String path) throws IOException {
        InputStream other = new FileInputStream(path);
        try (in) {
            return in.read() + other.read();
        }
    }
}
"""


def test_no_step_of_a_witness_is_a_test_that_the_source_lacks() -> None:
    program = load(MemoryTree({"Case.java": NAMED_IN_A_HEADER}), specs.load(("java", "c")))
    (finding,) = analyze(program, None).findings
    assert [step.note for step in finding.witness if "``" in step.note or "`}`" in step.note] == []


LEFT_INSIDE = b"""import java.io.*;

class Log {
    private Writer file;

    void open() throws IOException {
        file = new FileWriter("log");
    }

    void stop() throws IOException {
        file.close();
    }

    static void once() throws IOException {
        Log log = new Log();
        log.open();
    }
}
"""


def test_what_a_method_leaves_in_its_object_is_no_result() -> None:
    program = load(MemoryTree({"Log.java": LEFT_INSIDE}), specs.load(("java", "c")))
    (finding,) = analyze(program, None).findings
    assert finding.message == "What `log.open()` opens is not closed at the end of the procedure."
