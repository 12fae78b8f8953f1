"""What the code tells of its functions, with the place that shows it."""

from __future__ import annotations

import pathlib

from analyzers import MemoryTree, load, specs
from analyzers.inferred import inferred
from bot.cli import status_of

SOURCE = b"""#include <stdlib.h>
struct name { char *text; };
char *name_make(int size) { return malloc(size); }
void name_end(struct name *name) { free(name->text); free(name); }
int use(int fd) {
    struct packet *packet = packet_new(fd);
    if (packet == NULL) return -1;
    packet_free(packet);
    return 0;
}
"""


def test_makers_destructors_and_beliefs_are_told_with_their_place() -> None:
    found = inferred(load(MemoryTree({"name.c": SOURCE}), specs.load(("c",))))
    told = {(each.kind, each.name, each.effect) for each in found}
    assert ("computed", "name_make", "gives heap-memory in $ret when $ret != null") in told
    assert ("computed", "name_end", "ends $0") in told and ("computed", "name_end", "ends $0.text") in told
    believed = [each for each in found if each.kind == "believed"]
    assert [each.name for each in believed] == ["packet_new"] and "`use`" in believed[0].why
    assert SOURCE[believed[0].where.start : believed[0].where.end] == b"packet_new(fd)"


def test_the_command_prints_them(tmp_path: pathlib.Path) -> None:
    (tmp_path / "name.c").write_bytes(SOURCE)
    out = tmp_path / "out.txt"
    assert status_of(["specs", "--inferred", "--repo", str(tmp_path), "--output", str(out)]) == 0
    assert "believed  packet_new" in out.read_text() and "name.c:6]" in out.read_text()
