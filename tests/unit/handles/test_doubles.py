"""What stands in for a library in the tests of a tree: it gives nothing there, and the code around is written for both."""

from __future__ import annotations

from analyzers import MemoryTree, analyze, load, specs

_DOUBLE = b"""
pcap_t *pcap_open_live(const char *device, int length, int promiscuous, int wait, char *error) {
    return 0;
}
"""

_USER = b"""
pcap_t *handed_on(const char *device, char *error) {
    return pcap_open_live(device, 100, 0, 1, error);
}

int never_closed(const char *device, char *error) {
    pcap_t *capture = pcap_open_live(device, 100, 0, 1, error);
    if (capture == 0)
        return -1;
    return pcap_datalink(capture);
}
"""


def test_what_a_double_never_gives_is_handed_on_all_the_same() -> None:
    program = load(MemoryTree({"user.c": _USER, "double.c": _DOUBLE}), specs.load(("c",)))
    assert [each.procedure for each in analyze(program, None).findings] == ["never_closed"]
