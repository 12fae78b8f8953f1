"""`scan --annotate`: one diff that git can apply, and nothing else."""

from __future__ import annotations

from pathlib import Path

from tests.unit.bot.conftest import Shell
from tests.unit.bot.gitbox import GitBox

OWNER = """\
import java.io.*;

class Owner {
    private final Reader in;

    Owner(Reader in) {
        this.in = in;
    }

    void finish() throws IOException {
        in.close();
    }
}
"""


def test_the_diff_applies_and_ends_there(leakmend: Shell, tmp_path: Path) -> None:
    box = GitBox(tmp_path / "box")
    box.write("src/Owner.java", OWNER)
    box.write("src/Other.java", "class Other { }\n")
    box.commit()
    ran = leakmend("scan", box.folder, "--annotate")
    assert ran.status == 0 and "Other.java" not in ran.output
    (tmp_path / "annotations.diff").write_text(ran.output)
    box.git("apply", str(tmp_path / "annotations.diff"))
    assert "@Owning private final Reader in;" in (box.folder / "src/Owner.java").read_text()
    again = leakmend("scan", box.folder, "--annotate")
    assert (again.status, again.output) == (0, "")
