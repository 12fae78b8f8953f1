"""Objects of the JDK that end by another method than `close`, or have one without being closeable."""

from __future__ import annotations

import pytest

from tests.unit.fixers.members import safe


@pytest.mark.parametrize(
    ("lines", "expected"),
    (
        (
            "java.util.zip.Deflater packer = new java.util.zip.Deflater();\n        packer.setInput(data);\n        packer.deflate(data);",
            "            packer.deflate(data);\n        } finally {\n            packer.end();\n        }\n",
        ),
        (
            "java.util.logging.FileHandler log = new java.util.logging.FileHandler(\"x\");\n        log.setFormatter(new java.util.logging.SimpleFormatter());",
            "        } finally {\n            log.close();\n        }\n",
        ),
    ),
)
def test_it_ends_as_its_class_wants(lines: str, expected: str) -> None:
    (text,) = safe(f"    void run(byte[] data) throws IOException {{\n        {lines}\n    }}")
    assert expected in text
