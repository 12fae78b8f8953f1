"""Fields that their class forgets, and that other classes of the package could see (Java)."""

from __future__ import annotations

import pytest

from analyzers import MemoryTree, analyze, load, specs

HOLDER = """package all;
import java.io.*;

class Pair implements Closeable {
  %s InputStream first, second;
  Pair(String name) throws IOException {
    first = new FileInputStream(name);
    second = new FileInputStream(name + ".2");
  }
  int get() throws IOException { return first.read() + second.read(); }
  public void close() throws IOException { first.close(); }
}
"""
READER = "package all;\nclass Reader {\n  void end(%s pair) throws java.io.IOException { pair.%s.close(); }\n}\n"
DROPPED = """package all;
import java.io.*;

class Lone {
  final InputStream held;
  Lone(String name) throws IOException { held = new FileInputStream(name); }
  int get() throws IOException { return held.read(); }
}
class Asks {
  int ask() throws IOException { return new Lone("a").get(); }
}
"""


def _forgotten(**files: str) -> list[str]:
    """The fields that are told of, and the objects that are dropped."""
    tree = MemoryTree({f"{path.replace('_', '/')}.java": text.encode() for path, text in files.items()})
    return [each.message for each in analyze(load(tree, specs.load(("java",)))).findings if "`close()`" in each.message or "Lone" in each.message]


@pytest.mark.parametrize("modifier", ["private", ""])
def test_what_nobody_reads_is_forgotten_for_good(modifier: str) -> None:
    assert len(_forgotten(all_Pair=HOLDER % modifier)) == 1
    assert len(_forgotten(all_Pair=HOLDER % modifier, all_Reader=READER % ("Other", "third"))) == 1


def test_what_another_class_of_the_package_reads_may_be_closed_there() -> None:
    assert not _forgotten(all_Pair=HOLDER % "", all_Reader=READER % ("Pair", "second"))
    assert not _forgotten(all_Pair=HOLDER % "", test_all_Reader=READER % ("Pair", "second"))
    assert len(_forgotten(all_Pair=HOLDER % "", other_Reader=READER.replace("package all", "package other") % ("Strange", "second"))) == 1


@pytest.mark.parametrize("modifier", ["protected", "public"])
def test_what_is_published_may_be_closed_by_strangers(modifier: str) -> None:
    assert not _forgotten(all_Pair=HOLDER % modifier)


def test_a_class_below_may_close_it() -> None:
    assert not _forgotten(all_Pair=HOLDER % "", all_Below="package all;\nclass Below extends Pair { Below() throws java.io.IOException { super(\"a\"); } }\n")


def test_an_object_that_is_dropped_takes_with_it_what_nobody_else_reads() -> None:
    assert len(_forgotten(all_Lone=DROPPED)) == 1
    assert not _forgotten(all_Lone=DROPPED, all_Reader=READER % ("Lone", "held"))


@pytest.mark.parametrize("shown", ["@Getter", "@lombok.Getter(lazy = true)"])
def test_what_a_getter_is_made_for_may_be_closed_by_strangers(shown: str) -> None:
    assert not _forgotten(all_Pair=HOLDER % shown)
    assert not _forgotten(all_Pair=(HOLDER % "").replace("class Pair", f"{shown} class Pair"))
