"""The built-in files as a whole, a repository's own files beside them, and what `leakmend specs` lists."""

from __future__ import annotations

import pytest

from analyzers.specs import SpecLibrary, describe, describe_effects, load
from analyzers.specs.entries import decode
from analyzers.specs.families import family_resources
from analyzers.specs.names import split_names
from analyzers.summaries import Effects

LANGUAGES = ("c", "java")


@pytest.fixture(scope="module")
def library() -> SpecLibrary:
    return load(LANGUAGES)


def test_every_entry_expands_alone_and_with_the_others_of_its_name(library: SpecLibrary) -> None:
    count = 0
    for binding in library.bindings():
        binding.expand(library)
        parameters = binding.pattern if binding.pattern is not None else ()
        assert library.model((binding.name,), tuple(p.replace("*", "") for p in parameters)) is not None, binding.name
        count += 1
    assert count > 2000


def test_names_lie_below_the_prefixes_of_their_file(library: SpecLibrary) -> None:
    """Else nobody would read the file when one of them is asked for."""
    prefixes = {source.path: source.prefixes for source in library.sources}
    names = [(binding.name, binding.source.path) for binding in library.bindings()]
    names += [(name, path) for name, _, path in library.exempt_types()]
    for source in library.sources:
        tables = decode(source.path, source.text)
        names += [(name, source.path) for table in tables.resource for name in split_names(table.types)]
        names += [(name, source.path) for table in tables.closing for name in split_names(table.types)]
        names += [(name + ".", source.path) for rule in tables.default for name in split_names(rule.packages)]
    assert [(name, path) for name, path in names if prefixes[path] and not name.startswith(prefixes[path])] == []


def test_a_resource_of_several_files_is_declared_where_it_is_always_read(library: SpecLibrary) -> None:
    """Else what is known of it would depend on who asked first."""
    files: dict[str, set[str]] = {}
    described: dict[str, set[str]] = {}
    always = set()
    for source in library.sources:
        tables = decode(source.path, source.text)
        if not tables.prefixes:
            always.add(source.path)
        for table in tables.resource:
            files.setdefault(table.name, set()).add(source.path)
            if table.failure or table.title:
                described.setdefault(table.name, set()).add(source.path)
    several = [name for name in files if len(files[name]) > 1]
    assert "closeable" in several
    for name in several:
        assert len(described[name]) == 1, name
        assert described[name] <= always, name


def test_a_resource_is_looked_for_in_the_files_that_name_it(library: SpecLibrary) -> None:
    """No other file has to be read for what is known of it."""
    for source in library.sources:
        tables = decode(source.path, source.text)
        declared = [*tables.resource, *(each for family in tables.family for each in family_resources(family))]
        assert [each.name for each in declared if each.name not in source.text] == [], source.path
    for name in ("closeable", "heap-memory"):
        fresh = load(("c", "java"))
        assert fresh.resource(name) == library.resource(name)
        assert fresh._pending


def test_constants_and_spellings_are_always_known(library: SpecLibrary) -> None:
    """Names of theirs are in no file's prefixes."""
    for source in library.sources:
        tables = decode(source.path, source.text)
        assert not source.prefixes or not (tables.constants or tables.spellings), source.path


def test_every_resource_can_be_released(library: SpecLibrary) -> None:
    released = {
        transfer.resource
        for binding in library.bindings()
        for transfer in binding.expand(library).transfers
        if any(outcome.fate == "released" for outcome in transfer.outcomes)
    }
    for resource in library.resources():
        assert resource.releases, resource.name
        assert resource.name in released, resource.name


def test_acquisitions_name_what_reports_call_them(library: SpecLibrary) -> None:
    for binding in library.bindings():
        for transfer in binding.expand(library).transfers:
            if not transfer.entry:
                assert transfer.type, binding.name
                assert transfer.type != "closeable", binding.name


def test_a_file_is_read_when_a_name_of_its_is_asked_for() -> None:
    library = load(["java"])
    assert library.model(("java.sql.Driver.connect",), ()) is not None
    assert library.is_closeable("okhttp3.Response") is True


def test_answers_do_not_depend_on_what_was_asked_before(library: SpecLibrary) -> None:
    names = sorted({binding.name for binding in library.bindings() if not binding.name.startswith("*")})
    forward, backward = load(LANGUAGES), load(LANGUAGES)
    answers = {name: forward.model((name,), ("",)) for name in names}
    again = {name: backward.model((name,), ("",)) for name in reversed(names)}
    assert answers == again == {name: library.model((name,), ("",)) for name in names}
    assert forward.resources() == backward.resources()


def test_own_entries_replace_built_in_ones_and_add_others() -> None:
    own = """
language = "c"
[[resource]]
name = "heap-memory"
acquire = ["pool_take"]
release = ["pool_give"]
[[call]]
call = "strlen"
retains = 0
"""
    library = load(LANGUAGES, [(".leakmend/specs/pool.toml", own)])
    assert describe_effects(_model(library, "pool_take")) == "acquires heap-memory in result if result != null"
    assert describe_effects(_model(library, "strlen")) == "retains $0"
    resource = library.resource("heap-memory")
    assert resource is not None
    assert {"free", "pool_give"} <= {release.call for release in resource.releases}


def test_own_entries_come_before_built_in_ones_that_are_read_later() -> None:
    own = 'language = "java"\n[[call]]\ncall = "java.sql.Driver.connect"\nborrows = "all"\n'
    library = load(LANGUAGES, [("own.toml", own)])
    assert _model(library, "java.sql.Driver.connect") == Effects()


def test_own_types_may_end_an_exemption() -> None:
    own = 'language = "java"\n[[resource]]\nname = "closeable"\ntypes = "java.io.StringReader"\n'
    assert load(["java"], [("own.toml", own)]).is_closeable("java.io.StringReader") is True


def test_digests_change_with_what_they_stand_for() -> None:
    plain, other = load(["c"]), load(["c"], [("a.toml", 'language = "c"\n[[call]]\ncall = "f"\nretains = 0\n')])
    assert plain.digest == load(["c"]).digest != other.digest
    assert plain.model_digest(("free",), ()) == other.model_digest(("free",), ())
    assert plain.model_digest(("f",), ()) == b"" != other.model_digest(("f",), ())
    assert plain.model_digest(("free",), ()) != plain.model_digest(("malloc",), ())


def test_resources_say_how_they_are_released(library: SpecLibrary) -> None:
    heap, descriptor, mapping = (library.find_resource(n) for n in ("heap-memory", "descriptor", "mapping"))
    assert (heap.cwe, heap.nothing, heap.releases[0].text) == (401, "NULL", "free({})")
    assert heap.releases[0].accepts_null
    assert (descriptor.nothing, descriptor.releases[0].text) == ("-1", "close({})")
    assert not descriptor.releases[0].accepts_null
    assert (mapping.nothing, mapping.releases[0].text) == ("MAP_FAILED", "munmap({}, $1)")
    closeable = library.find_resource("closeable")
    assert (closeable.nothing, closeable.releases[0].text) == ("null", "{}.close()")
    assert library.resource("no such thing") is None


def test_rows_say_what_a_call_does_in_words(library: SpecLibrary) -> None:
    rows = {(row.kind, row.name): row for row in describe(library)}
    assert rows["call", "fdopen"].effect == (
        "acquires file in result if result != null; moves $0 (descriptor) to $0, result.~ if result != null"
    )
    assert rows["call", "strlen"].effect == "borrows"
    assert rows["resource", "descriptor"].origin == "c/descriptors.toml"
    assert rows["exempt", "java.io.StringReader"].effect.startswith("holds memory only")
    assert list(describe(library)) == sorted(describe(library))


def _model(library: SpecLibrary, name: str) -> Effects:
    effects = library.model((name,), ())
    assert effects is not None
    return effects


def test_what_is_scoped_is_acquired_only_where_that_is_asked_for() -> None:
    own = """
language = "c"
[[resource]]
name = "gate"
scoped = true
failure = "non-zero"
acquire = [{ call = "gate_lock", into = "$0.*" }]
release = [{ call = "gate_unlock", argument = "$0.*", text = "" }]
"""
    library = load(LANGUAGES, [("own.toml", own)])
    made = {name: [each for each in _model(library, name).transfers if not each.entry] for name in ("gate_lock", "gate_lock!", "gate_lock!!")}
    assert not made["gate_lock"]
    assert made["gate_lock!"][0].outcomes[0].when and not made["gate_lock!!"][0].outcomes[0].when
    assert {each.resource for each in _model(library, "gate_unlock!").transfers} == {"gate"}
