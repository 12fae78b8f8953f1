"""What several bodies hand out is closed as one object by who gets it."""

from __future__ import annotations

from analyzers.domains.access_path import WRAPPED
from analyzers.handles.alternatives import as_results
from analyzers.summaries import AccessPath, Effects, Outcome, Transfer


def held(entry: AccessPath, *paths: AccessPath, resource: str = "closeable") -> Effects:
    return Effects(transfers=(Transfer(entry, resource, "", (Outcome("return", (), "held", paths),)),))


def test_what_lies_in_fields_of_a_result_is_closed_with_it() -> None:
    inner = held((), ("$ret", "val$archive", "file"), ("$ret", "in", WRAPPED), ("$ret", "all", "[]"))
    assert as_results(inner) == held((), ("$ret",))


def test_wrappers_and_elements_stay_what_they_are() -> None:
    seen = held((), ("$ret",), ("$ret", WRAPPED), ("$ret", "[]"), ("this", "last"))
    assert as_results(seen) == seen


def test_what_becomes_of_arguments_stays() -> None:
    kept = held(("$0",), ("$ret", "source"))
    assert as_results(kept) == kept


def test_what_no_close_ends_is_for_the_class_to_end() -> None:
    native = held((), ("$ret", WRAPPED, "inflater"), resource="native-compressor")
    assert as_results(native) == Effects(transfers=())
    handed = held((), ("$ret",), resource="native-compressor")
    assert as_results(handed) == handed
