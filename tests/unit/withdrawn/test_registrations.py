"""Registrations of Java that an end took back until a change: what is told of them, and which changes are right."""

from __future__ import annotations

import pytest

from .test_fields import told

BUOY = """
    package harbour;
    class Buoy implements AutoCloseable, TideListener {
        private final Harbour harbour;
        private Tower tower = new Tower();
        private final WindListener wind = speed -> lean(speed);
        Buoy(Harbour harbour) {
            this.harbour = harbour;
            harbour.tides().registerTideListener(this);
            harbour.addWindListener(wind);
            tower.subscribe(this);
        }
        public void tide(int height) { tower.show(height); }
        private void lean(int speed) { tower.show(speed); }
        @Override
        public void close() {
            tower.show(0);
            if (harbour != null) {
                harbour.tides().unregisterTideListener(this);
            }
            harbour.removeWindListener(wind);
            tower.unsubscribe(this);
            tower.close();
        }
    }
"""
TIDES = "if (harbour != null) {\n                harbour.tides().unregisterTideListener(this);\n            }"
WIND = "harbour.removeWindListener(wind);"


def _instead(line: str, other: str, before: str = BUOY) -> list[str]:
    assert before.count(line) == 1
    return told(before, before.replace(line, other))


@pytest.mark.parametrize(
    ("line", "other", "expected"),
    [
        (TIDES, "", ["this"]),
        (TIDES, "// The harbour forgets.", ["this"]),
        (WIND, "", ["wind"]),
        (TIDES, "harbour.forget(this);", []),
        (TIDES, "forgetTides();", []),
        (WIND, "Harbour.calm(wind);", []),
        (WIND, "harbour.removeAllWindListeners(); harbour.removeWindListener(wind);", []),
        ("tower.unsubscribe(this);", "", []),
    ],
)
def test_an_end_no_longer_takes_a_registration_back(line: str, other: str, expected: list[str]) -> None:
    assert _instead(line, other) == expected


def test_what_is_no_end_may_have_been_wrong() -> None:
    assert _instead(TIDES, "", BUOY.replace("void close()", "void sink()")) == []


def test_nobody_registers_it_any_more() -> None:
    after = BUOY.replace(TIDES, "").replace("harbour.tides().registerTideListener(this);", "")
    assert told(BUOY, after) == []


def test_it_is_taken_back_elsewhere() -> None:
    other = BUOY.replace("public void tide(int height) {", "public void tide(int height) { if (height < 0) harbour.removeWindListener(wind);")
    assert told(other, other.replace(WIND + "\n", "\n")) == []
    moved = BUOY.replace(WIND, "").replace("public void tide(int height) {", "public void tide(int height) { harbour.removeWindListener(wind);")
    assert told(BUOY, moved) == []


def test_another_listener_is_registered_now() -> None:
    after = BUOY.replace(WIND, "").replace("harbour.addWindListener(wind);", "harbour.addWindListener(new Weak<>(wind));")
    assert told(BUOY, after) == []


def test_it_lets_go_of_what_it_listens_to() -> None:
    own = BUOY.replace("private final Harbour", "private Harbour").replace(WIND, WIND + "\n            harbour = null;")
    assert _instead(WIND, "", own) == []


def test_what_it_listens_to_is_its_own() -> None:
    own = BUOY.replace("this.harbour = harbour;", "this.harbour = new Harbour();")
    assert _instead(WIND, "", own) == []
    static = own.replace("harbour.tides()", "Tides.all()").replace("if (harbour != null) {", "if (tower != null) {")
    assert _instead(TIDES.replace("harbour.tides()", "Tides.all()").replace("if (harbour != null) {", "if (tower != null) {"), "", static) == ["this"]
