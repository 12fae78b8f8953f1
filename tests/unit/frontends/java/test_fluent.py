"""What custom says of the methods of builders that nobody declares."""

from __future__ import annotations

import pytest

from analyzers.frontends.java.fluent import is_constant, result_by_custom


@pytest.mark.parametrize(
    ("type_name", "name", "result"),
    [
        ("lib.ScanBuilder", "depth", "lib.ScanBuilder"),
        ("lib.Scan$Builder", "readOnly", "lib.Scan$Builder"),
        ("lib.Scan$Builder", "open", ""),
        ("lib.ScanBuilder", "buildAll", ""),
        ("lib.ScanBuilder", "getDepth", ""),
        ("lib.ScanBuilder", "ending", "lib.ScanBuilder"),
        ("lib.ScanBuilder", "newBuilder", "lib.ScanBuilder"),
        ("lib.ScanBuilder", "newScan", ""),
        ("lib.Scan", "builder", "lib.Scan$Builder"),
        ("lib.Scan", "withDepth", "lib.Scan"),
        ("lib.Scan", "setDepth", "lib.Scan"),
        ("lib.Scan", "settle", ""),
        ("lib.Scan", "depth", ""),
    ],
)
def test_custom(type_name: str, name: str, result: str) -> None:
    assert result_by_custom(type_name, name) == result


def test_constants_are_written_in_capitals() -> None:
    assert is_constant("Format.TDF_2")
    assert not is_constant("Format.plain")
    assert not is_constant("FORMAT")
