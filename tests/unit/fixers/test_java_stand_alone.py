"""What is returned, but needs nothing of what it was read from: the resource is closed all the same."""

from __future__ import annotations

import pytest

from tests.unit.fixers.patching import mended


@pytest.mark.parametrize(
    ("type_", "made", "value"),
    [
        ("Object", "new java.io.ObjectInputStream(new FileInputStream(f))", "in.readObject()"),
        ("java.awt.image.BufferedImage", "new FileInputStream(f)", "javax.imageio.ImageIO.read(in)"),
        ("java.util.Optional<String>", "new BufferedReader(new FileReader(f))", "in.lines().findFirst()"),
        ("java.security.cert.Certificate", "new FileInputStream(f)", 'java.security.cert.CertificateFactory.getInstance("X.509").generateCertificate(in)'),
    ],
)
def test_it_is_closed_where_the_result_stands_alone(type_: str, made: str, value: str) -> None:
    source = (
        f"import java.io.*;\nclass A {{\n    {type_} read(String f) throws Exception {{\n"
        f"        var in = {made};\n        return {value};\n    }}\n}}\n"
    )
    after = mended("A.java", source.encode()).decode()
    assert "try (" in after
    assert f"            return {value};" in after


def test_what_reads_on_is_not_returned_from_a_closed_stream() -> None:
    source = (
        "import java.io.*;\nclass A {\n    java.util.stream.Stream<String> read(String f) throws Exception {\n"
        "        BufferedReader in = new BufferedReader(new FileReader(f));\n        return in.lines();\n    }\n}\n"
    )
    assert mended("A.java", source.encode()).decode() == source
