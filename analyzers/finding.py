"""What a detector says: a Finding with its witness, or a Note about what was not analysed."""

from __future__ import annotations

import enum
import hashlib

import msgspec

from analyzers.source import Span


class Confidence(enum.StrEnum):
    """WITNESSED: a path was followed to the place where the last handle goes. ASSUMED: anything less."""

    WITNESSED = "witnessed"
    ASSUMED = "assumed"


class Role(enum.StrEnum):
    """What a step of a witness path is."""

    ACQUIRE = "acquire"
    ALIAS = "alias"
    CALL = "call"
    BRANCH = "branch"
    THROW = "throw"
    EXIT = "exit"


class Rule(msgspec.Struct, frozen=True):
    """What is wrong, in kebab case, with its CWE number and the sentence that names it."""

    id: str
    cwe: int
    title: str


LIVE_AT_EXIT = "live-at-exit"
"""Detail of a finding about something still held when `main` returns: no business of a review."""

LEFT_TO_POOL = "left-to-pool"
"""Detail of a finding about a statement whose connection is closed: a pool may keep both open."""


NOT_CALLED = "required.method.not.called"
"""Detail of a finding about a method that had to be called, whatever its name is."""

KEPT_OPEN = "contracts.exceptional.postcondition"
"""Detail of a finding about a field that a method which ends its owner's life leaves open when it throws."""

FORGOTTEN = "unreleased.field"
"""Detail of a finding about a field that its class fills and the method which ends its objects does not release."""

NOT_GROWN = "lost.where.it.cannot.grow"
"""Detail of a finding about a member whose block is lost because the null of the call that could not make it larger takes its place."""

DROPPED = "dropped.from.its.list"
"""Detail of a finding about an element that a procedure takes out of a list and does nothing with."""

OVERRIDDEN = "unreleased.inherited.field"
"""Detail of a finding about an inherited field that a method leaves open which overrides the one that releases it."""

HALF_BEGUN = "unreleased.field.of.a.failed.start"
"""Detail of a finding about a field that a method has filled when it fails, and that the end of its object passes over then."""

LEFT_OPEN = "owned.parameter.exceptional"
"""Detail of a finding about a parameter that a method closes when it returns, and leaves open when it throws, or that it says it closes."""

WITHDRAWN = "withdrawn.release"
"""Detail of a finding about what a change does not release any more that was released where it is lost."""

PROVED = "proved"
"""Detail of what a detector hands to `combine` to say that there is no leak: annotations of the code settle it."""

INFERRED = "proved by inference"
"""The same where the annotations were inferred: then it settles only what another detector assumes."""


class Step(msgspec.Struct, frozen=True):
    """One place on a witness path. `note` says what happens there («taken when `n == 0`»)."""

    role: Role
    span: Span
    note: str


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One leak.

    rule        id of a Rule
    language    "java" or "c"
    detectors   the names of the analyses that found it, sorted
    path        the file of the procedure that should have released it
    procedure   its name in the contract's form
    resource    type of the resource (`java.io.FileInputStream`, `heap-memory`, `FILE`)
    variable    source text of the best handle, for prose and fixers («in»); may be empty
    message     one sentence: what, and when it is lost
    witness     never empty; first an ACQUIRE (one per level, innermost first), last where it is lost
    acquired    the acquisition as seen in `procedure`
    lost        where the last handle goes
    exits       every place in `procedure` where this resource is lost, `lost` among them
    text        normalised text of the acquiring expression of the cluster's root resource
    ordinal     which of the equal acquisitions in the procedure it is, from 0
    cluster     fingerprint-like id shared by the wrappers of one resource
    detail      machine-readable extra of the rule (`required.method.not.called`), may be empty
    methods     what has to be called on the resource, where the finding knows better than specs; may be empty
    maker       C, where `procedure` releases it on no way: the name of the function of the tree that hands it out; may be empty
    passed      C, likewise: the names of the functions of the tree that it is passed to on the way of the witness, sorted
    """

    rule: str
    cwe: int
    language: str
    detectors: tuple[str, ...]
    confidence: Confidence
    path: str
    procedure: str
    resource: str
    variable: str
    message: str
    witness: tuple[Step, ...]
    acquired: Span
    lost: Span
    exits: tuple[Span, ...] = ()
    text: str = ""
    ordinal: int = 0
    cluster: str = ""
    detail: str = ""
    methods: tuple[str, ...] = ()
    maker: str = ""
    passed: tuple[str, ...] = ()

    @property
    def fingerprint(self) -> str:
        """Names the finding inside one tree: 16 hex digits; no line, no detector."""
        parts = (self.rule, self.path, self.procedure, self.text, str(self.ordinal))
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


class NoteKind(enum.StrEnum):
    """Why something was left out."""

    SYNTAX_ERROR = "syntax-error"
    UNREADABLE = "unreadable"
    TOO_LARGE = "too-large"
    NOT_TEXT = "not-text"
    BUDGET = "budget"
    UNKNOWN_CALLEE = "unknown-callee"
    NOT_MODELLED = "not-modelled"
    CONFIG = "config"
    CACHE = "cache"
    SYMLINK = "symlink"
    SUBMODULE = "submodule"
    SUPPRESSION = "suppression"


class Note(msgspec.Struct, frozen=True):
    """What was not analysed, and why; always shown. `span` is empty where a whole file is meant."""

    kind: NoteKind
    span: Span
    text: str
