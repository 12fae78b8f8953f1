"""Names of methods by which the path checker doubts what Effects say, and of fields that the front end makes."""

from __future__ import annotations

RELEASING = frozenset(["close", "release", "free", "destroy", "dispose", "shutdown", "shutdownNow", "stop", "terminate", "disconnect", "recycle", "end"])
"""Names of methods that may release the object that they are called on."""

REGISTERING = ("add", "set", "register", "subscribe", "schedule", "submit", "on", "attach", "bind", "install", "listen", "handler", "post", "enqueue")
"""How methods begin that keep a listener, a handler, a task."""

PARSING = "parse"
"""How methods begin that read what they are given, and perhaps close it: none keeps it."""

EMPTYING = ("clear", "remove", "removeAll", "size", "isEmpty")
"""Methods of collections that use no element."""

WAITING = frozenset(("awaitTermination", "isTerminated", "isShutdown"))
"""What a pool of threads is asked after its end was ordered."""

CAPTURED = "val$"
"""How the fields of a lambda or an anonymous class begin that hold captured variables."""

COPYING = frozenset(("dup2", "dup3", "_dup2"))
"""Functions of C that make a descriptor of a given number of another one."""

COPYING_TEXT = frozenset((
    "append", "assert", "cat", "check", "cmp", "compare", "concat", "copy", "debug", "die", "dump", "dup", "echo", "emit", "eq", "equal", "err", "error",
    "eval", "exec", "execute", "exists", "fatal", "find", "format", "get", "has", "hash", "info", "is", "len", "length", "log", "lookup", "match", "message",
    "msg", "note", "notice", "output", "print", "printf", "put", "puts", "query", "report", "run", "say", "search", "send", "show", "size", "stat", "strlen",
    "test", "trace", "verify", "warn", "warning", "write",
))
"""Words in names of functions of C that have no more to do with a text that they were only lent once they are through with it."""

RUNNING = frozenset((
    "dispatch", "exec", "foreach", "iterate", "iteration", "join", "loop", "main", "pause", "perform", "poll", "pselect", "ppoll", "pump", "run",
    "select", "sigsuspend", "sigwait", "sleep", "usleep", "nanosleep", "wait", "waitpid",
))
"""Words in names of functions of libraries of C during which other functions of the program may run: loops of events, and what waits for signals
or threads."""
