"""A method of the code that registers something by its name may only read what it is given."""

from __future__ import annotations

from tests.unit.fixers.patching import mended

TEXT = """import java.io.*;
import java.util.*;

class Case {
  void load(Registry registry) throws IOException {
    registry.registerAll(Case.class.getResourceAsStream("all"), "all");
    registry.registerAll(Case.class.getResourceAsStream("more"), "more");
  }
}

class Registry {
  private final List<String> all = new ArrayList<>();

  void registerAll(InputStream in, String name) throws IOException {
    all.add(name + in.read());
  }
}
"""


def test_what_is_only_read_there_gets_a_header() -> None:
    after = mended("Case.java", TEXT.encode()).decode()
    assert '    try (InputStream in = Case.class.getResourceAsStream("all")) {\n      registry.registerAll(in, "all");\n    }\n' in after
    assert after.count("try (InputStream in = ") == 2


def test_what_is_kept_stays_open() -> None:
    text = TEXT.replace("all.add(name + in.read())", "streams.add(in)").replace("  private final", "  private final List<InputStream> streams = new ArrayList<>();\n  private final")
    assert mended("Case.java", text.encode()).decode() == text
