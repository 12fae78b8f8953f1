"""What calls do, by the built-in models: worked examples of each key of the vocabulary."""

from __future__ import annotations

import pathlib
import tomllib

import pytest

from analyzers import specs
from analyzers.specs import SpecLibrary, load
from analyzers.summaries import Certainty, Condition, Effects, Outcome, Transfer, emptied

RET = ("$ret",)
NOT_NULL = (Condition(RET, "!=", "=null"),)
NULL = (Condition(RET, "==", "=null"),)
OPEN = (Condition(RET, ">=", "=0"),)
ZERO = (Condition(RET, "==", "=0"),)
FIRST = ("$0",)
THIS = ("this",)


@pytest.fixture(scope="module")
def library() -> SpecLibrary:
    return load(["c", "java"])


def model(library: SpecLibrary, name: str, *parameters: str) -> Effects:
    effects = library.model((name,), parameters)
    assert effects is not None
    return effects


def acquired(effects: Effects) -> list[tuple[str, tuple[Outcome, ...]]]:
    return [(each.resource, each.outcomes) for each in effects.transfers if not each.entry]


def moved(effects: Effects, *entry: str) -> Transfer:
    (transfer,) = (each for each in effects.transfers if each.entry == entry)
    return transfer


# --- C


def test_what_has_a_librarys_prefix_and_no_entry_may_keep_what_its_name_says(library: SpecLibrary) -> None:
    read, kept = model(library, "event_size_of", "void *", "char *"), model(library, "event_post", "void *", "char *")
    assert not read.retains and not read.transfers
    assert kept != read


def test_malloc_gives_heap_memory_unless_null(library: SpecLibrary) -> None:
    effects = model(library, "malloc", "size_t")
    assert acquired(effects) == [("heap-memory", (Outcome("return", NOT_NULL, "held", (RET,)),))]


def test_xmalloc_never_fails(library: SpecLibrary) -> None:
    effects = model(library, "xmalloc")
    assert acquired(effects) == [("heap-memory", (Outcome("return", (), "held", (RET,)),))]
    assert effects.result == NOT_NULL


def test_free_releases_memory_only(library: SpecLibrary) -> None:
    released = {transfer.resource: transfer.outcomes for transfer in model(library, "free").transfers}
    assert released["heap-memory"] == (Outcome("return", (), "released"),)
    assert "file" not in released


def test_realloc_keeps_the_old_block_when_it_fails(library: SpecLibrary) -> None:
    effects = model(library, "realloc", "void *", "size_t")
    assert moved(effects, "$0").outcomes == (
        Outcome("return", NOT_NULL, "released"),
        Outcome("return", NULL, "held", (FIRST,)),
    )
    assert acquired(effects)[0][1][0].when == NOT_NULL
    assert effects.aliases == ("$0",)


def test_for_no_size_realloc_releases_and_acquires_nothing(library: SpecLibrary) -> None:
    effects = model(library, "realloc", "void *", "size_t")
    assert effects.sizes == ("$1",)
    assert not acquired(emptied(effects))
    assert moved(emptied(effects), "$0").outcomes == (Outcome("return", (), "released"),)


def test_reallocf_releases_the_old_block_in_any_case(library: SpecLibrary) -> None:
    assert moved(model(library, "reallocf"), "$0").outcomes == (Outcome("return", (), "released"),)


def test_fdopen_takes_the_descriptor_on_success_only(library: SpecLibrary) -> None:
    effects = model(library, "fdopen", "int", "const char *")
    transfer = moved(effects, "$0")
    assert transfer.resource == "descriptor"
    assert transfer.outcomes == (
        Outcome("return", NOT_NULL, "held", (FIRST, ("$ret", "~"))),
        Outcome("return", NULL, "held", (FIRST,)),
    )
    assert [resource for resource, _ in acquired(effects)] == ["file"]


def test_freopen_returns_its_stream_and_closes_it_on_failure(library: SpecLibrary) -> None:
    effects = model(library, "freopen")
    assert moved(effects, "$2").outcomes == (
        Outcome("return", NOT_NULL, "held", (("$2",), RET)),
        Outcome("return", NULL, "released"),
    )
    assert not acquired(effects)


def test_getline_leaves_a_buffer_and_its_size_whatever_it_returns(library: SpecLibrary) -> None:
    effects = model(library, "getline")
    told = (Condition(("$1", "*"), ">", "=0"),)
    assert acquired(effects) == [("heap-memory", (Outcome("return", (), "held", (("$0", "*"),), left=told),))]
    assert moved(effects, "$0", "*").outcomes == (Outcome("return", (), "released"),)


@pytest.mark.parametrize(
    ("name", "path", "when"),
    [
        ("open", RET, OPEN),
        ("pipe", ("$0", "[]"), ZERO),
        ("socketpair", ("$3", "[]"), ZERO),
        ("getaddrinfo", ("$3", "*"), ZERO),
        ("posix_memalign", ("$0", "*"), ZERO),
        ("asprintf", ("$0", "*"), OPEN),
        ("mmap", RET, (Condition(RET, ">=", "=0"),)),
        ("regcomp", ("$0", "*"), ZERO),
    ],
)
def test_failure_values_and_out_parameters(
    library: SpecLibrary, name: str, path: tuple[str, ...], when: tuple[Condition, ...]
) -> None:
    effects = model(library, name)
    assert [outcome for _, outcomes in acquired(effects) for outcome in outcomes] == [
        Outcome("return", when, "held", (path,))
    ]


def test_scandir_gives_an_array_and_its_entries(library: SpecLibrary) -> None:
    paths = [outcomes[0].paths for _, outcomes in acquired(model(library, "scandir"))]
    assert paths == [(("$1", "*"),), (("$1", "*", "[]"),)]


def test_getcwd_allocates_for_a_null_buffer_only(library: SpecLibrary) -> None:
    ((_, (outcome,)),) = acquired(model(library, "getcwd"))
    assert outcome.when == (*NOT_NULL, Condition(FIRST, "==", "=null"))


def test_copies_return_their_destination(library: SpecLibrary) -> None:
    effects = model(library, "strcpy")
    assert moved(effects, "$0").outcomes == (Outcome("return", (), "held", (FIRST, RET)),)
    assert effects.aliases == ("$0",)


def test_what_never_returns(library: SpecLibrary) -> None:
    assert model(library, "exit").returns == "never"
    assert model(library, "error").returns == "sometimes"
    execv = model(library, "execv")
    assert (execv.returns, execv.result) == ("sometimes", (Condition(RET, "==", "=-1"),))


def test_a_thread_has_its_argument_once_it_runs(library: SpecLibrary) -> None:
    effects = model(library, "pthread_create")
    assert [outcome.fate for outcome in moved(effects, "$3").outcomes] == ["retained", "held"]
    assert effects.retains == (("$3",),)


def test_borrowers_are_known_and_do_nothing(library: SpecLibrary) -> None:
    for name in ("strlen", "printf", "read", "connect", "qsort", "memcmp", "fgets"):
        effects = model(library, name)
        assert effects.is_known
        assert not effects.transfers


def test_other_spellings_and_endings_of_a_name(library: SpecLibrary) -> None:
    assert model(library, "rpl_fopen") == model(library, "__builtin_fopen") == model(library, "fopen")
    assert model(library, "sessions_RB_INSERT").retains == (("$1",),)
    assert library.model(("rpl_",), ()) is None


def test_constants_of_system_headers(library: SpecLibrary) -> None:
    assert library.constant("MAP_FAILED") == "=-1"
    assert library.constant("NULL") == "=null"
    assert library.constant("SOME_MACRO") == ""


# --- Java


def test_a_constructor_acquires_its_receiver_unless_it_throws(library: SpecLibrary) -> None:
    effects = model(library, "java.io.FileInputStream.<init>", "java.lang.String")
    (transfer,) = effects.transfers
    assert (transfer.resource, transfer.type) == ("closeable", "java.io.FileInputStream")
    assert transfer.outcomes == (Outcome("return", (), "held", (THIS,)),)


def test_a_wrapper_holds_its_delegate_and_leaves_it_when_it_throws(library: SpecLibrary) -> None:
    effects = model(library, "java.util.zip.GZIPInputStream.<init>", "java.io.InputStream")
    (transfer,) = effects.transfers
    assert transfer.entry == FIRST
    assert transfer.outcomes == (
        Outcome("return", (), "held", (FIRST, ("this", "~"))),
        Outcome("throw", (), "held", (FIRST,)),
    )
    assert effects.throws == ("java.io.IOException",)
    assert library.is_wrapper_type("java.util.zip.GZIPInputStream")
    assert not library.is_wrapper_type("java.io.RandomAccessFile")


def test_overloads_are_told_apart_by_parameter_types(library: SpecLibrary) -> None:
    name = "java.io.PrintStream.<init>"
    assert acquired(model(library, name, "java.io.File"))
    assert not acquired(model(library, name, "java.io.OutputStream"))
    assert moved(model(library, name, "java.io.OutputStream"), "$0")
    assert not acquired(model(library, name, "")), "an unknown type is not taken for a file"


def test_close_releases_on_both_exits(library: SpecLibrary) -> None:
    effects = model(library, "java.lang.AutoCloseable.close")
    outcomes = moved(effects, "this").outcomes
    assert [(each.exit, each.fate) for each in outcomes] == [("return", "released"), ("throw", "released")]


def test_the_first_name_with_an_entry_speaks(library: SpecLibrary) -> None:
    names = ("com.acme.Pool.close", "java.io.Closeable.close", "?.close")
    assert library.model(names, ()) == library.model(("java.io.Closeable.close",), ())


def test_a_result_set_goes_with_its_statement(library: SpecLibrary) -> None:
    effects = model(library, "java.sql.PreparedStatement.executeQuery")
    ((_, (outcome,)),) = acquired(effects)
    assert outcome.paths == (RET, ("this", "^"))


def test_a_socket_without_an_address_holds_nothing_yet(library: SpecLibrary) -> None:
    name = "java.net.Socket.<init>"
    assert not acquired(model(library, name))
    assert acquired(model(library, name, "java.lang.String", "int"))
    assert acquired(model(library, "java.net.Socket.connect", "java.net.SocketAddress"))[0][1][0].paths == (THIS,)


def test_the_streams_of_a_socket_are_the_socket(library: SpecLibrary) -> None:
    effects = model(library, "java.net.Socket.getInputStream")
    assert not acquired(effects)
    assert moved(effects, "this").outcomes[0].paths == (THIS, ("$ret", "~"))


def test_containers_hold_and_give_their_elements(library: SpecLibrary) -> None:
    added = model(library, "java.util.Collection.add", "java.lang.Object")
    assert moved(added, "$0").outcomes[0].paths == (FIRST, ("this", "[]"))
    assert added.retains == (FIRST,)
    assert added.writes == (("this", "[]"),)
    given = model(library, "java.util.List.get", "int")
    assert moved(given, "this", "[]").outcomes[0].paths == (("this", "[]"), RET)
    assert given.reads == (("this", "[]"),)
    cleared = model(library, "java.util.Collection.clear")
    assert moved(cleared, "this", "[]").outcomes[0] == Outcome("return", (), "held", ())


def test_variable_arguments_end_with_the_pattern(library: SpecLibrary) -> None:
    assert len(model(library, "?.closeQuietly", "").transfers) == 1
    assert len(model(library, "java.util.Arrays.asList", "java.lang.Object[]").transfers) == 8


def test_a_helper_known_by_its_name_only_is_assumed(library: SpecLibrary) -> None:
    effects = model(library, "?.closeQuietly", "")
    assert not effects.is_known
    assert moved(effects, "$0").outcomes[0].fate == "released"


def test_the_jdk_borrows_by_default_but_not_what_it_may_keep(library: SpecLibrary) -> None:
    assert library.model(("java.util.Currency.format",), ("java.lang.Object",)) == Effects()
    kept = model(library, "javax.acme.Bus.addListener", "java.lang.Object")
    assert kept.is_known
    assert {outcome.certainty for outcome in moved(kept, "$0").outcomes} == {Certainty.MAY}
    assert kept.retains == (FIRST,)
    assert library.model(("javax.acme.Bus.<init>",), ("java.lang.Object",)) is None
    assert library.model(("javax.acme.Bus.createStream",), ("java.lang.Object",)) is None
    assert model(library, "java.math.BigInteger.<init>", "byte[]") == Effects()
    assert library.model(("com.acme.Bus.send",), ()) is None


def test_constructors_of_exempt_types_acquire_nothing(library: SpecLibrary) -> None:
    assert model(library, "org.apache.commons.io.output.ByteArrayOutputStream.<init>", "int") == Effects()


def test_types(library: SpecLibrary) -> None:
    assert library.is_closeable("java.io.FileInputStream") is True
    assert library.is_closeable("java.io.ByteArrayInputStream") is False
    assert library.is_closeable("com.acme.Pool") is None
    assert library.is_closeable("java.util.concurrent.ExecutorService") is None, "released by shutdown"
    assert library.resource_of_type("java.util.concurrent.ExecutorService") == "executor"


def test_resources_that_are_off_are_not_acquired_unless_asked_for(library: SpecLibrary) -> None:
    name = "java.util.concurrent.locks.Lock.lock"
    assert not model(library, name).transfers
    own = 'language = "java"\n[[resource]]\nname = "lock"\nenabled = true\n'
    asked = load(["java"], [("own.toml", own)])
    assert acquired(model(asked, name)) == [("lock", (Outcome("return", (), "held", (THIS,)),))]


def test_a_resource_is_described_in_one_table() -> None:
    lists = {"name", "acquire", "release", "types"}
    described: dict[str, list[str]] = {}
    for path in sorted(pathlib.Path(specs.__file__).parent.glob("*/*.toml")):
        for table in tomllib.loads(path.read_text(encoding="utf-8")).get("resource", []):
            if set(table) - lists:
                described.setdefault(table["name"], []).append(path.name)
    assert {name: files for name, files in described.items() if len(files) > 1} == {}
