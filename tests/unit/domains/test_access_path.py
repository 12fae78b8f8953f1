"""The rows of Tracker's Figure 4, one by one, and the limits of section 2.2."""

from __future__ import annotations

from analyzers.domains.access_path import PathTable, is_below, member_depth, shorten


def _set(table: PathTable, *paths: str) -> int:
    return sum(table.single(tuple(path.split("."))) for path in paths)


def _names(table: PathTable, paths: int) -> list[str]:
    return [".".join(path) for path in table.list(paths)]


def test_gen_of_a_copy_renames_everything_below() -> None:
    table = PathTable(3)
    renamed, is_cut = table.rename(_set(table, "q", "q.f.g", "r"), ("q",), ("p",))
    assert _names(table, renamed) == ["p", "p.f.g"] and not is_cut


def test_gen_of_a_load_takes_the_field_away() -> None:
    table = PathTable(3)
    assert _names(table, table.rename(_set(table, "q.f", "q.f.g", "q.h"), ("q", "f"), ("p",))[0]) == ["p", "p.g"]


def test_gen_of_a_store_adds_the_field() -> None:
    table = PathTable(3)
    assert _names(table, table.rename(_set(table, "q", "q.g"), ("q",), ("p", "f"))[0]) == ["p.f", "p.f.g"]


def test_kill_is_what_starts_with_the_assigned() -> None:
    table = PathTable(3)
    paths = _set(table, "p", "p.f", "pp", "q.p")
    assert _names(table, paths & ~table.starting_with(("p",))) == ["pp", "q.p"]


def test_candidates_for_alias_matches_are_found_by_field() -> None:
    table = PathTable(3)
    paths = _set(table, "a.f", "b.f.g", "c.g")
    assert _names(table, paths & table.through("f")) == ["a.f", "b.f.g"]


def test_paths_past_the_depth_are_cut_and_said_so() -> None:
    table = PathTable(2)
    renamed, is_cut = table.rename(_set(table, "q.f.g", "q"), ("q",), ("p", "h"))
    assert _names(table, renamed) == ["p.h"] and is_cut


def test_a_path_by_a_member_that_is_its_own_object_is_no_loss() -> None:
    table = PathTable(2)
    itself = _set(table, "q", "q.f", "q.f.g", "q.g")
    renamed, is_cut = table.rename(itself, ("q",), ("p", "h"))
    assert _names(table, renamed) == ["p.h", "p.h.f", "p.h.g"] and not is_cut
    assert table.trim(itself, 2) == (_set(table, "q", "q.f"), False)
    assert table.itself(_set(table, "q", "q.f", "r"), ("r", "f"), ("p",)) == table.single(("p",))
    assert not table.itself(_set(table, "q", "q.f", "r"), ("r", "g"), ("p",))
    assert not table.itself(_set(table, "q", "q.f"), ("r", "f"), ("p",))


def test_sets_past_the_breadth_keep_the_shortest_and_named_first() -> None:
    table = PathTable(3)
    paths = _set(table, "%1", "x", "y.f", "z.f.g")
    trimmed, is_cut = table.trim(paths, 2)
    assert _names(table, trimmed) == ["%1", "x"] and is_cut
    assert table.trim(paths, 4) == (paths, False)


def test_wrapping_is_transitive() -> None:
    assert shorten(("out", "~", "~")) == ("out", "~")
    assert shorten(("out", "~", "f", "~")) == ("out", "~", "f", "~")
    table = PathTable(3)
    assert _names(table, table.rename(_set(table, "a.~"), ("a",), ("b", "~"))[0]) == ["b.~"]


def test_what_goes_with_its_owner_keeps_nothing_alive() -> None:
    table = PathTable(3)
    assert _set(table, "connection.^") & table.inside and not _set(table, "connection.~") & table.inside


def test_prefixes_and_members() -> None:
    assert is_below(("a", "b"), ("a",)) and not is_below(("ab",), ("a",))
    assert member_depth(("p", "*", "f", "[]", "g")) == 2
