"""Each part of the Java analysis that the benchmark takes out is missed by some code."""

from __future__ import annotations

import pathlib

import pytest

from benchmarks.ablation import Part, as_json, findings

CODE = b"""
import java.io.*;
class Parts {
    void closed(String name) throws IOException {
        InputStream in = new BufferedInputStream(new FileInputStream(name));
        System.out.println(name.length());
        in.close();
    }
    void helped(String name) throws IOException { close(new FileInputStream(name)); }
    void close(InputStream in) throws IOException { in.close(); }
    InputStream two(String name) throws IOException {
        InputStream in = new FileInputStream(name), other = in;
        in = null;
        return other;
    }
}
class Holder implements Closeable {
    private final InputStream held;
    Holder(String name) throws IOException { held = new FileInputStream(name); }
    int next() throws IOException { return held.read(); }
    public void close() {}
}
"""


@pytest.mark.parametrize(
    ("part", "procedures"),
    [
        ("nothing", {"Holder.<init>(String)"}),
        ("exceptions", {"Holder.<init>(String)", "Parts.closed(String)"}),
        ("clustering", {"Holder.<init>(String)", "Parts.closed(String)"}),
        ("ownership", {"Holder.<init>(String)", "Parts.helped(String)"}),
        ("inference", set()),
    ],
)
def test_without_a_part(tmp_path: pathlib.Path, part: Part, procedures: set[str]) -> None:
    (tmp_path / "Parts.java").write_bytes(CODE)
    assert {each.procedure for each in findings(tmp_path, part)} == procedures


def test_findings_for_a_scoreboard(tmp_path: pathlib.Path) -> None:
    (tmp_path / "Parts.java").write_bytes(CODE)
    assert '"line": 19' in as_json(tmp_path, "nothing")
