"""Methods of libraries that make a stream over another one stand in the header like constructors do."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended

SOURCE = """\
import java.io.*;
import java.util.Base64;
import javax.sound.sampled.*;
import okio.*;
class A {{
    int first(File f) throws Exception {{
        {type_} in = {made};
        return in.read();
    }}
}}
"""


@pytest.mark.parametrize(
    ("type_", "made"),
    [
        ("InputStream", "Base64.getDecoder().wrap(new FileInputStream(f))"),
        ("InputStream", "new BufferedInputStream(Base64.getMimeDecoder().wrap(new FileInputStream(f)))"),
        ("BufferedSource", "Okio.buffer(Okio.source(f))"),
    ],
)
def test_the_outermost_is_closed(type_: str, made: str) -> None:
    after = mended("A.java", SOURCE.format(type_=type_, made=made).encode()).decode()
    assert f"try ({type_} in = {made}) {{" in " ".join(after.split()).replace("( ", "(")


def test_what_one_that_throws_is_given_has_a_name() -> None:
    after = mended("A.java", SOURCE.format(type_="AudioInputStream", made="AudioSystem.getAudioInputStream(new FileInputStream(f))").encode()).decode()
    assert "try (FileInputStream fileInputStream = new FileInputStream(f);" in after
    assert "AudioInputStream in = AudioSystem.getAudioInputStream(fileInputStream)) {" in " ".join(after.split())


def test_other_methods_of_the_name_are_no_factories() -> None:
    source = SOURCE.format(type_="InputStream", made="Boxes.wrap(new FileInputStream(f))")
    assert "try (InputStream in = Boxes" not in mended("A.java", source.encode()).decode()
