"""Java fixes against javac and a harness: what compiled still compiles, and every step may fail.

Fixtures of files only are run with `java.io`'s streams replaced by ones that count: each that was opened is closed
exactly once, none is used afterwards, and the exception that comes out is the one that went in.
"""

from __future__ import annotations

import pathlib
import subprocess

import pytest

from fixers import Fix
from fixers.edits import apply
from tests.conftest import require_tool
from tests.unit.fixers.patching import FIXTURES, answers, directive

HARNESS = pathlib.Path(__file__).parent / "harness"
CASES = sorted(path for path in FIXTURES.glob("java/fixes/*.java") if ".fixed" not in path.name)
RUN = ("Declared", "Assigned", "HandedOn", "OldLevel", "Owners", "Seen", "Named")


def release_of(path: pathlib.Path) -> int:
    """The language level of a fixture; javac knows none below 8."""
    words = directive(path.read_bytes(), "release")
    return max(8, int(words[0])) if words else 17


def copy(path: pathlib.Path, folder: pathlib.Path, *, counted: bool) -> pathlib.Path:
    """The fixture or its fixed form under the name that its class wants."""
    text = path.read_text(encoding="utf-8")
    if counted:
        for name in ("FileInputStream", "FileOutputStream"):
            text = text.replace(f"import java.io.{name};", f"import harness.{name};")
    target = folder / f"{path.name.partition('.')[0]}.java"
    target.write_text(text, encoding="utf-8")
    return target


def compile_java(sources: list[pathlib.Path], folder: pathlib.Path, release: int) -> None:
    """Compile, or fail with what javac says."""
    command = [require_tool("javac"), "--release", str(release), "-nowarn", "-d", str(folder), *map(str, sources)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def run(folder: pathlib.Path, tmp_path: pathlib.Path, names: tuple[str, ...], *, fixed: bool) -> list[str]:
    """What the harness complains about."""
    sources = []
    for name in names:
        path = FIXTURES / "java/fixes" / (f"{name}.fixed.java" if fixed else f"{name}.java")
        sources.append(copy(path, tmp_path, counted=True))
    compile_java([*sources, *sorted(HARNESS.glob("*.java"))], folder, 17)
    classes = [f"fixes.{name}" for name in names]
    done = subprocess.run([require_tool("java"), "-cp", str(folder), "harness.Run", *classes], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stderr.splitlines()


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name)
def test_compiles_before_and_after(path: pathlib.Path, tmp_path: pathlib.Path) -> None:
    for source in (path, path.with_suffix(".fixed.java")):
        compile_java([copy(source, tmp_path, counted=False)], tmp_path, release_of(path))


def test_every_step_may_fail(tmp_path: pathlib.Path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    leaking = run(before, tmp_path, RUN, fixed=False)
    assert any("closed 0 times" in line for line in leaking)
    assert run(after, tmp_path, RUN, fixed=True) == []


ANNOTATED = (
    "import java.io.*;\nimport org.checkerframework.checker.calledmethods.qual.EnsuresCalledMethods;\n"
    "import org.checkerframework.checker.mustcall.qual.*;\n\n"
)


@pytest.mark.parametrize(
    "source",
    [
        "class Case {\n    private final @Owning Reader in;\n\n    Case(@Owning Reader in) {\n        this.in = in;\n    }\n}\n",
        "@InheritableMustCall(\"stop\")\nclass Case implements Runnable {\n    private @Owning Reader in;\n\n"
        "    @CreatesMustCallFor\n    void open(String path) throws IOException {\n        if (in == null) {\n"
        "            in = new FileReader(path);\n        }\n    }\n\n    public void run() {\n    }\n\n"
        "    void stop() {\n        System.out.println(\"stops\");\n    }\n}\n",
        "@InheritableMustCall(\"close\")\nclass Case implements Closeable {\n    private @Owning Reader in;\n\n"
        "    @CreatesMustCallFor\n    void open(String path) throws IOException {\n        in = new FileReader(path);\n    }\n\n"
        "    @Override\n    @EnsuresCalledMethods(value = \"this.in\", methods = \"close\")\n"
        "    public void close() throws IOException {\n        if (in != null) {\n            in.close();\n        }\n    }\n}\n",
        "class Case {\n    int first(@Owning Reader in, boolean asked) throws IOException {\n"
        "        if (asked) {\n            return in.read();\n        }\n        return 0;\n    }\n}\n",
    ],
    ids=["new close", "method that ends it", "field overwritten", "parameter"],
)
def test_what_annotations_demand_compiles_before_and_after(source: str, tmp_path: pathlib.Path) -> None:
    data = (ANNOTATED + source).encode()
    stubs = sorted((pathlib.Path(__file__).parent / "stubs").rglob("*.java"))
    found = [each for each in answers("Case.java", data) if isinstance(each, Fix)]
    assert found
    for text in (data, *(apply(data, each.edits) for each in found)):
        (tmp_path / "Case.java").write_bytes(text)
        compile_java([tmp_path / "Case.java", *stubs], tmp_path / "out", 17)
