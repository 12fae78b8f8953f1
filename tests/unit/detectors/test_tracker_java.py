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
