"""Random Java methods: javac takes each, what is mended behaves as it did, and the judge sees what does not."""

from __future__ import annotations

import collections
import pathlib

from benchmarks.generated_java import CLASS, is_closing, is_worse, judge, run
from benchmarks.random_java import source
from benchmarks.random_java_helpers import HELPERS
from tests.conftest import require_tool


def test_what_is_mended_behaves_as_it_did(tmp_path: pathlib.Path) -> None:
    require_tool("javac")
    require_tool("java")
    totals: collections.Counter[str] = collections.Counter()
    problems = judge(tmp_path / "all", range(5140, 5165), totals)
    assert not [each for each in problems if "UNSAFE" in each]
    assert totals["methods"] == 25 and totals["safe patches"] > 5 and totals["mended whole"] > 5


METHOD = """    static int f0(int a, int b, int c) throws IOException {
        int sum = 0;
        InputStream in = new FileInputStream("in");
        OutputStream out = new FileOutputStream("out");
        try {
            sum = in.read();
        } catch (IOException e) {
            sum = -5;
        }
        out.write(sum);
        return sum;
    }
"""


def test_the_judge_sees_what_a_patch_makes_wrong(tmp_path: pathlib.Path) -> None:
    require_tool("javac")
    require_tool("java")
    before = HELPERS.replace("NAME", CLASS).replace("    // METHODS\n", METHOD)
    used = before.replace("        out.write(sum);\n        return sum;", "        out.close();\n        out.write(sum);\n        return sum;")
    handled = before.replace('        InputStream in = new FileInputStream("in");\n', "").replace(
        "        try {\n            sum = in.read();", '        try {\n            InputStream in = new FileInputStream("in");\n            sum = in.read();'
    )
    good = before.replace("            sum = in.read();\n", "            sum = in.read();\n            in.close();\n")
    was = run(tmp_path / "before", before, ["f0"])
    assert was["f0", "0/"].lost == 2
    for name, text, words in (("used", used, "used after close"), ("handled", handled, "instead of"), ("good", good, "")):
        assert text != before
        now = run(tmp_path / name, text, ["f0"])
        found = [is_worse(was[each], now[each], are_closes_failing=is_closing(each[1])) for each in was if each in now]
        assert any(words in each for each in found) if words else not any(found)


def test_the_same_seed_gives_the_same_text() -> None:
    assert source(["f7", "f8"], [7, 8], CLASS, HELPERS) == source(["f7", "f8"], [7, 8], CLASS, HELPERS)
