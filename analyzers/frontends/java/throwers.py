"""What each call of a procedure is known to throw, as `exceptions` wants it told."""

from __future__ import annotations

from collections.abc import Mapping

from analyzers import ir
from analyzers.frontends.java.body_types import BodyTypes
from analyzers.frontends.java.declarations import raised_by_name
from analyzers.frontends.java.exceptions import (
    ACCESSOR,
    BODY,
    BROAD,
    LIBRARY,
    NOTHING,
    RUNTIME_EXCEPTION,
    THROWABLE,
    Chains,
    Thrower,
)
from analyzers.frontends.java.overloads import LAMBDA
from analyzers.frontends.java.type_members import CONSTRUCTOR, JDK
from analyzers.frontends.java.type_text import PRIMITIVES, erase
from analyzers.queries import Callee, ProcedureKey
from analyzers.summaries import Effects

QUIET_TYPES = frozenset(
    (
        "junit.framework.Assert",
        "junit.framework.TestCase",
        "org.apache.commons.logging.Log",
        "org.apache.log4j.Category",
        "org.apache.log4j.Logger",
        "org.apache.logging.log4j.Logger",
        "org.assertj.core.api.Assertions",
        "org.hamcrest.MatcherAssert",
        "org.junit.Assert",
        "org.junit.Assume",
        "org.junit.jupiter.api.Assertions",
        "org.slf4j.Logger",
        "org.testng.Assert",
    )
)
"""Types of libraries that are not there, none of whose methods throws what a handler means: logs, assertions."""

LOGS = ("Log", "Logger", "Timber")
"""Ends of the names of types that write a log."""

LEVELS = frozenset(
    (
        "d", "debug", "e", "error", "fatal", "fine", "finer", "finest", "i", "info", "log", "severe", "trace", "v", "verbose", "w", "warn", "warning",
        "wtf",
    )
)  # fmt: skip
"""What such types are asked to write."""

ACCESSOR_WORDS = ("add", "builder", "contains", "get", "has", "is", "of", "put", "set", "size", "with")
"""Words that the names of methods begin with that seldom throw checked exceptions."""

ASKING_WORDS = ("can", "is", "supports")
"""Beginnings of the names of methods that tell what an object can do."""

QUIET_WORDS = (
    "quietly", "silently", "quiet", "ignoreexception", "ignoringexception", "noexception", "nothrow", "safeclose", "closesafe", "attemptclose",
    "closeorlog", "closelogged", "closelogexception", "closewithwarning", "closeandignore", "closewhilehandling",
)  # fmt: skip
"""Parts of the names of methods that promise to throw nothing."""

STANDARD_CHARSETS = frozenset(
    ("US-ASCII", "ASCII", "ISO-8859-1", "ISO8859_1", "ISO8859-1", "8859_1", "LATIN1", "UTF-8", "UTF8", "UTF-16BE", "UTF-16LE", "UTF-16")
)
"""Names that every Java platform knows, with their old spellings: a call that passes one throws no `UnsupportedEncodingException`."""

STANDARD_ALGORITHMS = frozenset(
    (
        "MD5", "SHA", "SHA1", "SHA-1", "SHA-224", "SHA-256", "SHA-384", "SHA-512", "HMACMD5", "HMACSHA1", "HMACSHA256", "HMACSHA512", "RSA", "DSA",
        "EC", "AES", "DES", "DESEDE", "DH", "SHA1PRNG", "SSL", "TLS", "TLSV1.2", "PBKDF2WITHHMACSHA1", "PBKDF2WITHHMACSHA256", "SHA256WITHRSA",
        "SHA1WITHRSA",
    )
)  # fmt: skip
"""Names, in capitals, of algorithms that the platforms in use know: who asks for one by its name is told of none that is missing."""

NO_SUCH_ALGORITHM = "java.security.NoSuchAlgorithmException"

IDLE_STREAMS = frozenset(("java.io.InputStream", "java.io.OutputStream"))
"""Classes whose own `close` and `flush` do nothing: `super.close()` fails in none that is right above."""

NOTHING_AT_ALL = "nothing"
"""How specs say that a method declares no exception."""

CHARSET = "java.nio.charset.Charset"
"""What has a name is there."""

CLOSEABLE = "java.io.Closeable"
"""What stands for input and output, also where there is nothing that must be closed."""

_DEEPEST = 4
"""Constructors that call one another that are looked into."""

CLOSE = "close"
OPENING = ("open", "connect", "start", "init", "initialize", "register")
"""Methods that begin what `close` ends, or say what it ends, too."""

MALFORMED_URL = "java.net.MalformedURLException"
UNSUPPORTED_ENCODING = "java.io.UnsupportedEncodingException"

XML_FACTORIES = ("javax.xml.parsers.DocumentBuilderFactory", "javax.xml.parsers.SAXParserFactory", "javax.xml.transform.TransformerFactory")
XML_PARSERS = (
    "javax.xml.parsers.DocumentBuilder", "javax.xml.parsers.SAXParser", "javax.xml.transform.Transformer", "org.xml.sax.XMLReader",
)  # fmt: skip
"""What factories of XML make, and of what."""


class Throwers:
    """Reads the throwers off a body whose calls are resolved."""

    def __init__(
        self,
        body: BodyTypes,
        handlers: Mapping[int, tuple[str, ...]],
        rethrows: Mapping[int, tuple[int, ...]],
    ) -> None:
        self._body = body
        self._chains = Chains(body.procedure.raises, handlers, rethrows)
        self._handlers = handlers
        self._closed = closed_by(body.procedure)
        self._bodies: dict[ProcedureKey, tuple[tuple[str, ...], bool]] = {}
        self._expected: dict[tuple[int, ...], bool] = {}
        self._closeable: dict[str, bool] = {}

    def all(self) -> dict[int, Thrower]:
        """Per call what is known of it."""
        nodes, raises = self._body.procedure.nodes, self._body.procedure.raises
        found = {}
        for position, callee in self._body.callees.items():
            node = nodes[position]
            if raises[position] and isinstance(node, ir.Call) and (callee.methods or not self._is_logging(node)):
                is_expected = self._is_expected(self._chains.of(position))
                found[position] = self._thrower(node, callee, is_expected)
        return found

    def _is_expected(self, handlers: tuple[int, ...]) -> bool:
        """Whether some handler expects unchecked exceptions."""
        found = self._expected.get(handlers)
        if found is None:
            found = self._expected[handlers] = any(
                name in BROAD or self._body.queries.is_subtype(name, RUNTIME_EXCEPTION) is True
                for handler in handlers
                for name in self._handlers.get(handler, ())
            )
        return found

    def _raised(self, callee: Callee) -> tuple[str, ...]:
        """The unchecked exceptions that the method a call names throws by name; not those of overriders."""
        keys = [method.procedure for method in callee.methods if method.procedure is not None]
        return tuple(dict.fromkeys(name for key in keys for name in self._told(key)[0]))

    def _is_quiet(self, callee: Callee) -> bool:
        """Whether all bodies of a call neither throw nor call anything."""
        return all(self._told(key)[1] for key in callee.target.procedures)

    def _told(self, key: ProcedureKey) -> tuple[tuple[str, ...], bool]:
        found = self._bodies.get(key)
        if found is None:
            found = self._bodies[key] = self._read(key)
        return found

    def _read(self, key: ProcedureKey) -> tuple[tuple[str, ...], bool]:
        queries = self._body.queries
        procedure = queries.procedure(key)
        if procedure is None:
            return (), False
        names = [queries.resolve_type(key.path, procedure.owner, each) for each in raised_by_name(procedure)]
        raised = tuple(name for name in names if name and queries.is_subtype(name, RUNTIME_EXCEPTION) is True)
        return raised, not any(procedure.raises)

    def _thrower(self, node: ir.Call, callee: Callee, is_expected: bool) -> Thrower:
        declared: dict[str, None] = {}
        rank = BODY if callee.methods else NOTHING
        for method in callee.methods:
            declared.update(dict.fromkeys(name for name in method.throws if name))
            if JDK in method.attributes:
                rank = LIBRARY
        if callee.model is not None and callee.model.throws:
            if callee.model.throws == (NOTHING_AT_ALL,):
                declared.clear()
            declared.update(dict.fromkeys(each for each in callee.model.throws if each != NOTHING_AT_ALL))
            rank = LIBRARY
        if rank == NOTHING and (callee.target.is_exact or not QUIET_TYPES.isdisjoint(self._types_of(callee))):
            rank = LIBRARY
        if rank == NOTHING and self._is_overridden(node):
            names = [self._body.written.name(each) or each for each in self._body.procedure.throws]
            return Thrower(tuple(names), (), LIBRARY)
        if rank == NOTHING and (any(word in node.name.lower() for word in QUIET_WORDS) or _is_closing_helper(node)):
            rank = LIBRARY
        is_plain = node.kind == "new" and not node.args
        if rank == NOTHING and (is_plain or is_accessor(node.name) or (callee.model is not None and _is_view(callee.model))):
            rank = ACCESSOR
        if rank == BODY and is_expected and self._is_quiet(callee):
            rank = LIBRARY
        if THROWABLE in declared and rank == LIBRARY:
            self._narrow(node, declared)
        told = tuple(declared)
        if declared and node.kind == "new" and self._is_handed(node) and self._only_asks(callee):
            declared.clear()
        if declared and rank == BODY and node.kind in ("new", "special") and self._only_stores(callee):
            declared.clear()
        if node.kind == "special" and node.name in ("close", "flush") and {method.owner for method in callee.methods} <= IDLE_STREAMS:
            declared.clear()
        if UNSUPPORTED_ENCODING in declared and any(self._is_standard_charset(each) for each in node.args):
            del declared[UNSUPPORTED_ENCODING]
        if NO_SUCH_ALGORITHM in declared and node.name == "getInstance" and any(self._is_standard_algorithm(each) for each in node.args[:1]):
            del declared[NO_SUCH_ALGORITHM]
        if MALFORMED_URL in declared and node.name == "toURL" and self._is_of_file(node.receiver):
            del declared[MALFORMED_URL]
        if declared and (self._is_making_parser(node, callee) or (callee.target.type in XML_FACTORIES and self._is_configuring(node))):
            declared.clear()
        raised = self._raised(callee) if is_expected else ()
        is_handed = rank >= ACCESSOR and self._is_handed(node) and (callee.model is None or not _is_view(callee.model))
        is_wrapping = rank == LIBRARY and node.kind == "new" and not declared and self._is_handed(node)
        ruled_out = tuple(each for each in told if each not in declared)
        return Thrower(tuple(declared), raised, rank, is_handed, self._is_at_work(node, rank), is_wrapping, ruled_out)

    def _is_logging(self, node: ir.Call) -> bool:
        """Whether a call writes a log, by the names of the type and of the method: nobody expects that to fail."""
        written = node.qualifier if node.kind == "static" else erase(self._body.type_of(node.receiver))
        return node.name in LEVELS and written.endswith(LOGS)

    def _is_at_work(self, node: ir.Call, rank: int) -> bool:
        """Whether an unknown callee works on a variable that the procedure closes: one that it is called on, or that it is
        passed unless it is an accessor of something else. Before it is opened there is nothing to close."""
        if rank < ACCESSOR or node.name == CLOSE or node.name in OPENING:
            return False
        if not node.args and node.name.startswith("is") and node.name[2:3].isupper():  # `isClosed()` is asked in order to close.
            return False
        return node.receiver in self._closed or (rank == NOTHING and not self._closed.isdisjoint(node.args))

    def _is_overridden(self, node: ir.Call) -> bool:
        """Whether a call is the one of the method that the procedure overrides: that declares no less than the override."""
        head, _, parameters = self._body.procedure.name.partition("(")
        arity = len(parameters[:-1].split(",")) if parameters[:-1] else 0
        is_super = node.kind == "special" and node.receiver == "this"
        return is_super and node.name == head.rpartition(".")[2] and len(node.args) == arity and node.name != CONSTRUCTOR

    def _only_asks(self, callee: Callee) -> bool:
        """Whether a constructor throws only where what it wraps says that it cannot be wrapped: who made that knows better."""
        procedures = [self._body.queries.procedure(key) for key in callee.target.procedures]
        return bool(procedures) and all(each is not None and _is_asking(each) for each in procedures)

    def _only_stores(self, callee: Callee) -> bool:
        """Whether a constructor, whatever it declares, does nothing that throws: it passes on what it gets, and keeps it."""
        procedures = callee.target.procedures
        return callee.target.is_exact and bool(procedures) and all(self._is_silent(key, 0) for key in procedures)

    def _is_silent(self, key: ProcedureKey, depth: int) -> bool:
        """Whether nothing in a constructor can throw but the calls of others of its class, or above it, in which nothing can either."""
        procedure = self._body.queries.procedure(key)
        if procedure is None or depth > _DEEPEST or procedure.kind != "constructor":
            return False
        calls = [node for node, raises in zip(procedure.nodes, procedure.raises, strict=True) if raises]
        return all(isinstance(each, ir.Call) and (self._is_silent_chain(each, procedure, depth) or self._is_tame(each, key, procedure)) for each in calls)

    def _is_tame(self, call: ir.Call, key: ProcedureKey, procedure: ir.Procedure) -> bool:
        """Whether a call in a constructor is one of a known method that declares no exception but for unknown charsets: on a parameter, of
        the object itself, of a static method, or of a constructor with so many parameters."""
        queries = self._body.queries
        declared = next((each.type for each in procedure.variables if each.name == call.receiver and each.kind == "parameter"), "")
        written = {"new": call.qualifier, "static": call.qualifier, "virtual": declared}.get(call.kind, "")
        is_here = (call.kind == "static" and not written) or (call.kind == "virtual" and call.receiver == "this")
        owner = procedure.owner if is_here else queries.resolve_type(key.path, procedure.owner, erase(written)) if written else ""
        meant = [each for each in queries.methods(owner, call.name) if len(each.parameters) == len(call.args)] if owner else []
        return bool(meant) and all(set(each.throws) <= {UNSUPPORTED_ENCODING} for each in meant)

    def _is_silent_chain(self, call: ir.Call, procedure: ir.Procedure, depth: int) -> bool:
        """Whether a call is that of another constructor of the same object, none of which can throw that it may mean."""
        if call.kind != "special" or call.name != CONSTRUCTOR or call.receiver != "this":
            return False
        queries = self._body.queries
        above = queries.supertypes(procedure.owner)[:1] if call.qualifier == "super" else (procedure.owner,)
        meant = [each for owner in above for each in queries.methods(owner, CONSTRUCTOR) if len(each.parameters) == len(call.args)]
        return bool(meant) and all(
            self._is_silent(each.procedure, depth + 1) if each.procedure is not None else JDK in each.attributes and not each.throws
            for each in meant
        )  # fmt: skip

    def _is_standard_charset(self, argument: str) -> bool:
        """Whether an argument is the name of such a charset, or a constant: nobody writes down one that is not there."""
        if ir.is_literal(argument):
            return argument[2:-1].upper() in STANDARD_CHARSETS
        made = [node for node in self._body.procedure.nodes if isinstance(node, ir.Call) and node.dst == argument]
        if made and all(node.name == "name" and erase(self._body.type_of(node.receiver)) == CHARSET for node in made):
            return True
        loads = [node for node in self._body.procedure.nodes if isinstance(node, ir.Load) and node.dst == argument]
        return bool(loads) and all(self._is_of_no_object(load) and self._is_charset_constant(load.field) for load in loads)

    def _is_of_no_object(self, load: ir.Load) -> bool:
        """Whether a field is static, or comes from a class above that nobody has seen: one of the class itself is known."""
        return not load.base or (load.base == "this" and not self._body.queries.field_type(self._body.procedure.owner, load.field))

    def _is_standard_algorithm(self, argument: str) -> bool:
        """Whether an argument is the name of such an algorithm, or a constant of that value."""
        if ir.is_literal(argument):
            return argument[2:-1].upper() in STANDARD_ALGORITHMS
        loads = [node for node in self._body.procedure.nodes if isinstance(node, ir.Load) and node.dst == argument]
        named = [self._body.queries.constant(self._body.key.path, each.field) for each in loads if not each.base]
        return bool(named) and len(named) == len(loads) and all(each[2:-1].upper() in STANDARD_ALGORITHMS for each in named)

    def _is_charset_constant(self, field: str) -> bool:
        literal = self._body.queries.constant(self._body.key.path, field)
        return field.rpartition(".")[2].isupper() or (literal[:2] == '="' and literal[2:-1].upper() in STANDARD_CHARSETS)

    def _is_of_file(self, uri: str) -> bool:
        """Whether a URI is that of a file (`file.toURI()`), which always is a URL too."""
        made = [node for node in self._body.procedure.nodes if isinstance(node, ir.Call) and node.dst == uri]
        return bool(made) and all(node.name in ("toURI", "toUri") for node in made)

    def _is_making_parser(self, node: ir.Call, callee: Callee) -> bool:
        """Whether a call makes a parser of nothing: what a platform cannot do fails with every file, and is seen at once."""
        return not node.args and node.kind != "new" and callee.target.result in XML_PARSERS

    def _is_configuring(self, node: ir.Call) -> bool:
        """Whether a factory for XML is told of a feature by name, which it has or has not, whatever is read."""
        if node.name != "setFeature" or not node.args:
            return False
        loads = [each for each in self._body.procedure.nodes if isinstance(each, ir.Load) and each.dst == node.args[0]]
        is_constant = bool(loads) and all(not each.base and each.field.rpartition(".")[2].isupper() for each in loads)
        return ir.is_literal(node.args[0]) or is_constant

    def _types_of(self, callee: Callee) -> tuple[str, ...]:
        name = callee.target.type
        return (name, *self._body.queries.supertypes(name)) if name else ()

    def _narrow(self, node: ir.Call, declared: dict[str, None]) -> None:
        """What a supplier of an exception (`orElseThrow(() -> new X())`) makes stands for Throwable."""
        for each in node.args:
            made = self._body.lambda_result(each)
            if made is not None:
                del declared[THROWABLE]
                if made:
                    declared[made] = None
                return

    def _is_handed(self, node: ir.Call) -> bool:
        operands = node.args if node.kind == "new" else (node.receiver, *node.args)
        return any(self._is_closeable(self._body.type_of(each)) for each in operands if each)

    def _is_closeable(self, text: str) -> bool:
        name = erase(text)
        if not name or name in PRIMITIVES or name.startswith(("java.lang.", LAMBDA)):
            return False
        found = self._closeable.get(name)
        if found is None:
            queries = self._body.queries
            found = queries.is_closeable(name) is True or queries.is_subtype(name, CLOSEABLE) is True
            self._closeable[name] = found
        return found


def closed_by(procedure: ir.Procedure) -> frozenset[str]:
    """The local variables on which a procedure calls `close()`."""
    closed = {node.receiver for node in procedure.nodes if isinstance(node, ir.Call) and node.name == CLOSE and not node.args}
    return frozenset(each.name for each in procedure.variables if each.kind == "local" and each.name in closed)


def _is_closing_helper(node: ir.Call) -> bool:
    """Whether a method without an object says by its name what it closes (`closeStatement(stmt)`, `DbUtils.close(rows, stmt)`): such
    helpers are there to test for null, and to keep to themselves what fails."""
    is_named = node.name == CLOSE or (node.name.startswith(CLOSE) and node.name[len(CLOSE)].isupper())
    return is_named and node.receiver in ("", "this") and node.kind in ("static", "virtual") and bool(node.args)


def _is_asking(procedure: ir.Procedure) -> bool:
    """Whether all that a body calls are questions to its parameters (`in.canRead()`), and constructors."""
    calls = [
        node for node in procedure.nodes
        if isinstance(node, ir.Call) and node.kind != "new" and (node.kind != "special" or node.args)
    ]  # fmt: skip
    return bool(calls) and all(
        node.receiver in procedure.parameters and not node.args and any(node.name.startswith(word) for word in ASKING_WORDS) for node in calls
    )


def _is_view(model: Effects) -> bool:
    """Whether a call does nothing but to give another view of its receiver (the body of a response)."""
    return bool(model.transfers) and all(
        transfer.entry == ("this",) and all(each.fate == "held" for each in transfer.outcomes) for transfer in model.transfers
    )


def is_accessor(name: str) -> bool:
    """Whether a method's name says that it gets, sets or tells something."""
    for word in ACCESSOR_WORDS:
        rest = name.removeprefix(word)
        if rest != name and (not rest or not rest[0].islower()):
            return True
    return False


def explicit_throws(body: BodyTypes) -> tuple[dict[int, str], dict[int, tuple[int, ...]]]:
    """Per Throw the type that it throws by name, or the Catches whose exception it throws again."""
    caught: dict[str, list[int]] = {}
    for position, node in body.catches.items():
        caught.setdefault(node.dst, []).append(position)
    explicit: dict[int, str] = {}
    rethrows: dict[int, tuple[int, ...]] = {}
    for position, throw in body.throws.items():
        catches = caught.get(throw.src)
        if catches and body.is_assigned_by(throw.src, len(catches)):
            rethrows[position] = tuple(catches)
        else:
            explicit[position] = body.written.name(throw.type) or erase(body.type_of(throw.src)) or THROWABLE
    return explicit, rethrows


def handlers_of(body: BodyTypes) -> Mapping[int, tuple[str, ...]]:
    """Per Catch the resolved types; as written where a name is not known."""
    return {
        position: tuple(
            each if each == ir.ANY_EXCEPTION else body.written.name(each) or each for each in node.types
        )
        for position, node in body.catches.items()
    }
