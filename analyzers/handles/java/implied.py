"""What the types of a Java call, and its own procedure, say about it where no spec entry and no body does.

Of the JDK and of types that are known to be closeable: a constructor makes a handle, or wraps the
closeable that it is given; a method whose name says that it opens something hands one out. Outside the JDK
that is a guess; so is that what a procedure closes on one path it has to close on all (belief).
Reports too much when a closeable needs no closing and no spec exempts it.
"""

from __future__ import annotations

import msgspec

from analyzers import ir
from analyzers.domains.access_path import CLOSED_WITH
from analyzers.graphs.closings import is_used_when_closed
from analyzers.handles.java.made_around import model_of_inner
from analyzers.handles.moves import identity
from analyzers.handles.scene import PLAIN_JAVA, Scene
from analyzers.handles.sites import Move
from analyzers.handles.unknown import words_of
from analyzers.queries import Queries, Target
from analyzers.summaries import Certainty, Effects, Outcome, Transfer

RESOURCE = "closeable"
"""The spec resource of all that is closed by `close()`."""

CLOSEABLE = "java.io.Closeable"
"""What all streams are, also those that hold nothing that has to be released."""
_CLOSING_ONLY = (CLOSEABLE, "java.lang.AutoCloseable")

_OPENING = ("accept", "build", "connect", "create", "execute", "make", "new", "obtain", "open", "prepare", "proceed")
_FACTORIES = ("connect", "create", "new", "open")
"""Words that the names of static methods begin with that make an object of their own class."""
_FETCHING = ("as", "download", "fetch", "find", "get", "load", "lookup", "read", "resolve", "retrieve", "stream", "to")
"""Words that the names of methods begin with that may hand out a new stream, or one that is theirs."""
_ANSWERS = ("Cursor", "ResultSet")
"""How the names of types end of what a query gives."""
_MANAGED = "managed"
"""The word for a query whose answer the asker's framework closes (`managedQuery` of Android)."""
_LENDING = ("getOutputStream", "getReader", "getWriter", "getResponseBody")
"""Methods that seldom hand out what is the caller's to close, as those of requests and responses."""
_STREAMS = (
    "InputStream", "OutputStream", "Reader", "Writer", "Connection", "Channel", "Cursor", "ResultSet", "Socket", "Scanner",
)
"""How the names of types end that are closeable by convention."""
_MEMORY = ("Array", "Buf", "Byte", "Char", "Count", "Fast", "Memory", "Mock", "Null", "String", "Fake", "Test", "Xml", "XML", "Stub")
"""Parts of the names of such types that say that they hold nothing but memory, or need no closing."""
_JDK_STREAMS = (
    "java.io.InputStream", "java.io.OutputStream", "java.io.Reader", "java.io.Writer", "java.io.BufferedReader",
    "java.io.InputStreamReader", "java.io.BufferedInputStream", "java.io.FileInputStream", "java.io.FileOutputStream",
    "java.io.RandomAccessFile", "java.io.DataInputStream", "java.nio.channels.FileChannel",
)
"""What `get…` of a class without source is taken to open, if nobody closes it."""
_STREAM = "java.io.InputStream"
_PASSED = frozenset(("arg", "args", "argument", "arguments", "param", "parameter", "parameters"))
"""Words in the names of methods that give what somebody else has passed, and ends (`call.getArgument(1)` of a test double)."""
_OF_OTHERS = ("exchange", "request", "socket")
"""Words for what somebody else opened and ends, and whose streams go with it."""


def implied_effects(call: ir.Call, target: Target, scene: Scene) -> Effects | None:
    """The Effects that types suggest; None where they say nothing."""
    is_new = call.kind == "new"
    made = target.type if is_new else target.result or _declared(call, scene)
    if not made or not (scene.queries.is_closeable(made) or is_closeable_by_name(made, scene.queries)):
        return None
    if is_new:
        return _constructor(call, made, scene)
    is_other = _gets_stream(call, scene) or _is_for_another(call, made, scene) or _is_over_memory(call, scene) or _is_of_request(call, target, scene)
    is_other = is_other or not _PASSED.isdisjoint(words_of(call.name))
    is_own = made == target.type and not _is_opened_by_its_class(call, made, scene)
    if is_own or not _may_open(call, made, scene) or is_other or _is_kept_by_thread(call, scene):
        return None
    return Effects(transfers=(_handed_out(call, made),), is_known=_is_jdk(made) and bool(target.result))


def _is_opened_by_its_class(call: ir.Call, made: str, scene: Scene) -> bool:
    """Whether a static method of a class outside the JDK opens an object of it at some place (`TableReader.open(path)`), where others
    only go on with one that is there."""
    is_factory = call.kind == "static" and words_of(call.name)[:1] in [(word,) for word in _FACTORIES]
    return is_factory and not _is_jdk(made) and not _is_repository(made, scene) and _opens_something(call, made, scene)


def _is_for_another(call: ir.Call, made: str, scene: Scene) -> bool:
    """Whether something of no type of the JDK is made for an argument that the procedure closes: that one has it."""
    if _is_jdk(made):
        return False
    closed = {node.receiver for node in scene.nodes if isinstance(node, ir.Call) and node.name == "close" and not node.args}
    return not closed.isdisjoint(each for each in call.args if each and not ir.is_literal(each))


def _is_over_memory(call: ir.Call, scene: Scene) -> bool:
    """Whether a method gets a stream of the kind that holds nothing but memory, which it may make its result over."""
    passed = [each for each in call.args if each and not ir.is_literal(each)]
    copied = [identity(scene.nodes[node]) for each in passed for node in scene.definitions.get(each, ())]
    types = [scene.type_of(each) for each in (*passed, *copied) if each]
    return any(scene.queries.is_closeable(each) is False and scene.queries.is_subtype(each, CLOSEABLE) for each in types if each)


def _handed_out(call: ir.Call, made: str) -> Transfer:
    """What a method opens is closed with the object that opened it, for all that is known."""
    inside = (("this", CLOSED_WITH),) if call.kind == "virtual" and call.receiver not in ("", "this") else ()
    return Transfer((), RESOURCE, made, (Outcome("return", (), "held", (("$ret",), *inside)),))


def lent_by_owner(model: Effects | None, call: ir.Call, target: Target, scene: Scene) -> Effects | None:
    """What a library says of a call, but of a type of the tree that gives by the contract of one without `close` and has a `close`
    itself (a lease, which is a `DataSource`, too): what it gives may well be what it holds, and is closed with it.
    Reports too little where it opens another each time."""
    model = model_of_inner(model, call, target, scene)
    if model is None or not scene.is_java or call.kind != "virtual" or call.receiver in ("", "this"):
        return model
    queries, owner = scene.queries, scene.type_of(call.receiver)
    if not owner or not queries.declaring_file(owner) or not queries.is_closeable(owner):
        return model
    above = [each.rpartition(".")[0] for each in target.models]
    if any(queries.is_closeable(each) for each in above if each not in _CLOSING_ONLY and not queries.declaring_file(each)):
        return model
    return msgspec.structs.replace(model, transfers=tuple(_with_owner(each) for each in model.transfers))


def _with_owner(transfer: Transfer) -> Transfer:
    inside = ("this", CLOSED_WITH)
    outcomes = tuple(
        msgspec.structs.replace(each, paths=(*each.paths, inside), certainty=Certainty.MAY) if each.paths == (("$ret",),) and each.fate == "held" else each
        for each in transfer.outcomes
    )
    return transfer if transfer.entry else msgspec.structs.replace(transfer, outcomes=outcomes)


def is_part(call: ir.Call, target: Target, scene: Scene) -> bool:
    """Whether what an unknown method hands out may be another end of the object that it is called on."""
    if call.kind != "virtual" or not call.dst or not call.receiver:
        return False
    made = target.result or _declared(call, scene)
    return bool(made) and (scene.queries.is_closeable(made) is True or made in _JDK_STREAMS)


def is_closeable_by_name(type_name: str, queries: Queries) -> bool:
    """Whether a type that nobody declares is named as streams, readers and connections are."""
    simple = type_name.rpartition(".")[2].rpartition("$")[2]
    if not simple.endswith(_STREAMS) or any(word in simple for word in _MEMORY):
        return False
    return (simple != type_name or simple[:1].isupper()) and queries.is_closeable(type_name) is None


def _may_open(call: ir.Call, made: str, scene: Scene) -> bool:
    words = words_of(call.name)
    if not words or words[0] in _OPENING:
        return bool(words)
    if "query" in words and made.endswith(_ANSWERS) and scene.queries.is_closeable(made):
        return _MANAGED not in words
    return words[0] in _FETCHING and made in _JDK_STREAMS and call.name not in _LENDING


def _gets_stream(call: ir.Call, scene: Scene) -> bool:
    """Whether a method gets what it may make its result over."""
    return any(
        scene.queries.is_closeable(scene.type_of(each)) for each in call.args if each and not ir.is_literal(each)
    )


def _declared(call: ir.Call, scene: Scene) -> str:
    """The type of the local variable that takes the result of a call, or of what else takes it."""
    names = _taking(call.dst, scene)
    for name in names:
        variable = scene.variables.get(name)
        if variable is not None and variable.kind == "local" and not ir.is_made_up(name):
            return scene.type_of(name)
    if not ir.is_made_up(call.dst):
        return ""
    return _wrapped_as(call.dst, scene) or _returned_as(names, scene) or _passed_as(call, scene)


def _taking(name: str, scene: Scene) -> tuple[str, ...]:
    """A variable, and those that its value is copied to, also by way of a choice (`c ? open(x) : null`)."""
    found = dict.fromkeys((name,) if name else ())
    waiting = list(found)
    while waiting:
        copied = [node.dst for node in scene.copies.get(waiting.pop(), ()) if node.dst not in found]
        found |= dict.fromkeys(copied)
        waiting += [each for each in copied if ir.is_made_up(each)]
    return tuple(found)


def _returned_as(names: tuple[str, ...], scene: Scene) -> str:
    """The type that a method declares to return, if it returns one of these, or of what they are cast to."""
    body = scene.body
    cast = [node.dst for node in scene.nodes if isinstance(node, ir.Op) and node.operator == "cast" and node.operands[0] in names]
    for each in cast:
        if each in scene.linked.types:
            return scene.linked.types[each]
    if body.kind != "method" or not any(isinstance(node, ir.Return) and node.src in names for node in scene.nodes):
        return ""
    return scene.queries.resolve_type(scene.linked.key.path, body.owner, body.result)


def _wrapped_as(name: str, scene: Scene) -> str:
    """The type that a stream of the JDK asks for which is made over a temporary, and nothing else."""
    for node, each in enumerate(scene.nodes):
        if isinstance(each, ir.Call) and each.kind == "new" and name in each.args:
            target = scene.linked.targets.get(node)
            position = each.args.index(name)
            if target is not None and _is_jdk(target.type) and position < len(target.parameters):
                return target.parameters[position]
    return ""


def _passed_as(call: ir.Call, scene: Scene) -> str:
    """The type of a stream that a method asks for which is passed a temporary: declared there, or told by the name of what
    hands it out where a library takes it that keeps nothing (`IOUtils.copy(parts.openStream(name), out)`)."""
    for node, each in enumerate(scene.nodes):
        target = scene.linked.targets.get(node) if isinstance(each, ir.Call) and each.kind != "new" and call.dst in each.args else None
        if target is None or not isinstance(each, ir.Call):
            continue
        position = each.args.index(call.dst)
        declared = target.parameters[position] if position < len(target.parameters) else ""
        if declared in _JDK_STREAMS:
            return declared
        if not declared and _is_named_as_stream(call.name) and not target.procedures:
            model = scene.queries.model(target.models, target.parameters)
            return _STREAM if model is not None and not model.retains else ""
    return ""


def _is_named_as_stream(name: str) -> bool:
    """Whether the name of a method says that it hands out something to read from, whatever its type is called."""
    words = words_of(name)
    return words[-2:] in (("as", "stream"), ("input", "stream"), ("open", "stream"))


def _is_of_request(call: ir.Call, target: Target, scene: Scene) -> bool:
    """Whether a method gives what belongs to a request or a connection that others end: `exchange.getRequestBody()`."""
    words = words_of(call.name)
    asked = [scene.nodes[node] for node in scene.definitions.get(call.receiver, ())]
    words += tuple(word for each in asked if isinstance(each, ir.Call) for word in words_of(each.name))
    is_getter = words_of(call.name)[:1] == ("get",)
    others = (*_OF_OTHERS, "context") if call.name == "getInputStream" else _OF_OTHERS
    return is_getter and (target.type.lower().endswith(others) or any(word in words for word in _OF_OTHERS))


_PLACES = ("java.lang.String", "java.io.File", "java.nio.file.Path", "java.net.URL", "java.net.URI", "java.net.Socket")
"""Types of what names a file or a peer."""


_ENDS = ("close", "shutdown")
_QUIET_CLOSES = (("close", "quietly"), ("close", "silently"), ("quiet", "close"), ("safe", "close"), ("close", "safely"))
"""Methods that end their receiver, and how those are named that close what they are passed, and throw nothing."""

_STEPS = 4
"""Instructions back from a call of `close` to the test that it stands under: `if (!done && in != null)` has two."""


class Closed:
    """The local variables that a procedure of Java closes somewhere, itself or by what it wraps them in."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._wrappers: dict[str, list[tuple[int, ir.Call]]] = {}
        self._casts: dict[str, list[str]] = {}
        self._at: dict[str, list[int]] = {}
        self._before: dict[str, frozenset[int]] = {}
        self._failing: dict[str, frozenset[int]] = {}
        for node in scene.cfg.order:
            call = scene.nodes[node]
            if isinstance(call, ir.Op) and call.operator == "cast" and call.operands:
                self._casts.setdefault(call.operands[0], []).append(call.dst)
            elif isinstance(call, ir.Call) and call.kind == "new":
                self._wrappers.setdefault(call.receiver, []).append((node, call))
            elif isinstance(call, ir.Call):
                name = ended_by_name(call)
                variable = scene.variables.get(name) if name else None
                if variable is not None and variable.kind == "local":
                    self._at.setdefault(name, []).append(node)
        self._names = self._inward()

    def _inward(self) -> dict[str, list[int]]:
        """Per variable the nodes that close it."""
        found = {name: list(nodes) for name, nodes in self._at.items()}
        waiting = list(found)
        while waiting:
            name = waiting.pop()
            sources = [identity(self._scene.nodes[node]) for node in self._scene.definitions.get(name, ())]
            for node, call in self._wrappers.get(name, ()):
                if self._scene.queries.is_closeable(self._scene.type_of(name)):
                    sources += self._wrapped_by(node, call)
            for source in sources:
                if source and source not in found and source not in self._scene.formals:
                    found[source] = found[name]
                    waiting.append(source)
        return found

    def _wrapped_by(self, node: int, call: ir.Call) -> list[str]:
        """The arguments that an object is made over, without those that it is known to leave open (the repository of a walk)."""
        arguments = [each for each in call.args if each and not ir.is_literal(each)]
        target = self._scene.linked.targets.get(node)
        model = self._scene.queries.model(target.models, target.parameters) if target is not None and target.models else None
        if model is None or not model.is_known:
            return arguments
        taken = {path[0] for path in (*(move.entry for move in model.transfers), *model.retains) if path}
        return [each for position, each in enumerate(call.args) if each in arguments and f"${position}" in taken]

    def __bool__(self) -> bool:
        return bool(self._names)

    @property
    def names(self) -> frozenset[str]:
        """The variables of which that is said themselves."""
        return frozenset(self._at)

    def cast_to(self, name: str) -> list[str]:
        """What a value is cast to."""
        return self._casts.get(name, [])

    def is_closed(self, name: str) -> bool:
        """Whether some path closes what the variable holds."""
        return name in self._names

    def is_closed_itself(self, name: str) -> bool:
        """Whether that is said of the variable, or what it is copied to, and not of a wrapper."""
        return name in self._at

    def is_closed_after(self, name: str, node: int) -> bool:
        """Whether the procedure closes the variable some time after a node when nothing throws."""
        if name not in self._names:
            return False
        found = self._before.get(name)
        if found is None:
            found = self._before[name] = self._reaching([each for each in self._names[name] if not self._is_flagged(each)])
        return node in found

    def is_closed_on_failure(self, name: str, node: int) -> bool:
        """Whether the procedure closes the variable after a node only if something fails: then it has given it away."""
        if name not in self._at or self.is_closed_after(name, node):
            return False
        found = self._failing.get(name)
        if found is None:
            found = self._failing[name] = self._reaching(self._names[name]) | frozenset(self._names[name])
        return node in found or any(each in found for each in self._scene.cfg.raised[node])

    def _is_flagged(self, node: int) -> bool:
        """Whether a flag decides that the procedure sets along its way (`if (!done) in.close()`)."""
        scene = self._scene
        for _ in range(_STEPS):
            before = scene.cfg.predecessors[node]
            if len(before) != 1:
                return False
            node = before[0]
            branch = scene.nodes[node]
            if isinstance(branch, ir.Branch) and branch.right != "=null":
                definitions = [scene.nodes[each] for each in scene.definitions.get(branch.left, ())]
                return len(definitions) > 1 and all(
                    isinstance(each, ir.Copy) and each.src in ("=true", "=false") for each in definitions
                )
        return False

    def _reaching(self, ends: list[int]) -> frozenset[int]:
        before: dict[int, list[int]] = {}
        for node in self._scene.cfg.order:
            for successor in self._scene.cfg.normal[node]:
                before.setdefault(successor, []).append(node)
        found: set[int] = set()
        waiting = list(ends)
        while waiting:
            for node in before.get(waiting.pop(), ()):
                if node not in found:
                    found.add(node)
                    waiting.append(node)
        return frozenset(found)


def ended_by_name(call: ir.Call) -> str:
    """What a call closes by its name: its receiver, or what a helper is passed alone (`closeQuietly(in)`)."""
    if not call.args:
        return call.receiver if call.name in _ENDS else ""
    words = words_of(call.name)
    is_helper = call.kind != "new" and (words == ("close",) or words in _QUIET_CLOSES)
    return call.args[0] if is_helper and len(call.args) == 1 else ""


def believed_acquisition(call: ir.Call, target: Target, scene: Scene, closed: Closed) -> Transfer | None:
    """What an unknown callee hands out, if the procedure closes the variable that takes it."""
    made = call.receiver if call.kind == "new" else call.dst
    cast = closed.cast_to(made) if made and not target.type.startswith(("java.", "javax.")) else []
    names = {made, *cast, *(node.dst for each in (made, *cast) for node in scene.copies.get(each, ()))}
    known = [name for name in sorted(names) if closed.is_closed(name)] if made else []
    if not known or _is_kept_by_thread(call, scene) or (call.kind != "new" and _is_over_memory(call, scene)):
        return None
    type_name = target.type if call.kind == "new" else next((scene.type_of(each) for each in cast), target.result) or scene.type_of(made)
    is_closeable = scene.queries.is_closeable(type_name)
    if type_name in PLAIN_JAVA or is_closeable is False:
        return None
    if not is_closeable and not any(closed.is_closed_itself(name) for name in known) and not call.name.endswith(_STREAMS):
        return None
    if not is_closeable and any(is_used_when_closed(scene.body, name) for name in known):
        return None
    if call.kind != "new":
        return _handed_out(call, type_name)
    return Transfer((), RESOURCE, type_name, (Outcome("return", (), "held", (("this",),)),))


def _is_kept_by_thread(call: ir.Call, scene: Scene) -> bool:
    """Whether a thread's own variable, whatever library it is of, is asked for what it keeps."""
    return call.name == "get" and not call.args and scene.type_of(call.receiver).partition("<")[0].endswith("ThreadLocal")


def _constructor(call: ir.Call, made: str, scene: Scene) -> Effects | None:
    closeable = [
        position for position, argument in enumerate(call.args)
        if argument and not ir.is_literal(argument) and scene.queries.is_closeable(scene.type_of(argument))
    ]
    if closeable:
        if not _is_jdk(made) and not made.endswith(_STREAMS):
            return None
        wrapped = [Transfer((f"${position}",), "", "", _wrapped(position, made)) for position in closeable]
        return Effects(transfers=tuple(wrapped), is_known=_is_jdk(made))
    if scene.type_of(call.receiver) not in ("", made) and not scene.queries.methods(made, "<init>"):
        return None  # An interface, implemented on the spot.
    if _is_repository(made, scene) or not _opens_something(call, made, scene):
        return None
    held = Outcome("return", (), "held", (("this",),))
    return Effects(transfers=(Transfer((), RESOURCE, made, (held,)),), is_known=_is_jdk(made))


def _wrapped(position: int, made: str) -> tuple[Outcome, ...]:
    """What becomes of an argument that is wrapped; outside the JDK that is a guess, and failure may close it."""
    is_sure = _is_jdk(made)
    certainty = Certainty.MUST if is_sure else Certainty.MAY
    held = Outcome("return", (), "held", ((f"${position}",), ("this", "~")), certainty)
    return (held,) if is_sure else (held, Outcome("throw", (), "retained"))


def spared(call: ir.Call, moves: tuple[Move, ...], node: int, closed: Closed, known: Effects) -> tuple[Move, ...]:
    """The moves of a constructor outside the JDK, which closes nothing when it fails that the procedure closes itself afterwards; and
    those of a call behind which anything may be (`method.invoke(target, in)`), which then keeps nothing of that."""
    if call.kind != "new":
        is_open = any(each.fate == "retained" for move in moves for each in move.outcomes) and not known.is_known
        return tuple(_left_to(move) if is_open and _is_ended_here(move, node, closed) else move for move in moves)
    return tuple(
        msgspec.structs.replace(move, outcomes=tuple(_left(each, move.outcomes[0]) for each in move.outcomes))
        if _is_guess(move) and _is_ended_here(move, node, closed) else move
        for move in moves
    )


def _is_ended_here(move: Move, node: int, closed: Closed) -> bool:
    return closed.is_closed_itself(move.entry[0]) and closed.is_closed_after(move.entry[0], node)


def _left_to(move: Move) -> Move:
    """What is said to be kept, still its owner's for all that is known."""
    outcomes = (
        msgspec.structs.replace(each, fate="held", paths=(move.entry,), certainty=Certainty.MAY) if each.fate == "retained" else each
        for each in move.outcomes
    )
    return msgspec.structs.replace(move, outcomes=tuple(outcomes)) if len(move.entry) == 1 else move


def _is_guess(move: Move) -> bool:
    return len(move.entry) == 1 and bool(move.outcomes) and move.outcomes[0].certainty is Certainty.MAY


def _left(outcome: Outcome, held: Outcome) -> Outcome:
    is_kept = outcome.exit == "throw" and outcome.fate == "retained"
    return Outcome("throw", (), "held", held.paths[:1]) if is_kept else outcome


def _opens_something(call: ir.Call, made: str, scene: Scene) -> bool:
    """Whether a class without source is made of a name or place, if it is closeable by its name only."""
    types = [scene.type_of(argument) for argument in call.args if argument]
    if not _is_jdk(made) and any(scene.queries.is_subtype(each, CLOSEABLE) for each in types if each):
        return False
    if scene.queries.is_closeable(made):
        return True
    return any(each in _PLACES for each in types) or any(argument[:2] == '="' for argument in call.args)


def _is_jdk(type_name: str) -> bool:
    return type_name.startswith(("java.", "javax."))


def _is_repository(type_name: str, scene: Scene) -> bool:
    """Whether the repository has the type's source: then its own constructors and fields say what it holds."""
    methods = scene.queries.methods(type_name, "close")
    return any(method.owner == type_name and method.procedure is not None for method in methods)
