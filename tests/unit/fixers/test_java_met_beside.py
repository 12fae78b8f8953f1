"""A handler for what comes in an unchecked exception meets what closing throws, too, in its own `try`."""

from __future__ import annotations

from tests.unit.fixers.patching import mended

TEXT = """import java.io.InputStream;
import java.io.UncheckedIOException;

class Case {
  String types() {
    try {
      return String.join(";", read(getClass().getResourceAsStream("types")));
    } catch (UncheckedIOException e) {
      return "";
    }
  }

  static String read(InputStream in) {
    return in.toString();
  }
}
"""


def test_the_handler_gets_another_type() -> None:
    after = mended("Case.java", TEXT.encode()).decode()
    assert '    try (InputStream in = getClass().getResourceAsStream("types")) {\n      return String.join(";", read(in));\n' in after
    assert "    } catch (UncheckedIOException | IOException e) {\n" in after
    assert after.startswith("import java.io.IOException;\n")


def test_a_handler_that_asks_the_exception_stays() -> None:
    asked = TEXT.replace('      return "";', "      throw e.getCause() == null ? e : new IllegalStateException(e);")
    assert "catch (UncheckedIOException e)" in mended("Case.java", asked.encode()).decode()


def test_a_method_that_declares_it_needs_no_other_handler() -> None:
    declared = TEXT.replace("types() {", "types() throws java.io.IOException {")
    assert "catch (UncheckedIOException e)" in mended("Case.java", declared.encode()).decode()
