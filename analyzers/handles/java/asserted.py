"""What a test asserts to be null: behind the assertion there is nothing to close.

    assertThat(store.find(name)).as("removed").isNull();
    assertThat(found, is(nullValue()));
    assertEquals(null, found);

Read from the names that AssertJ, Truth, Hamcrest and JUnit share. Misses what is left open where such a test fails.
"""

from __future__ import annotations

from analyzers import ir
from analyzers.handles.scene import Scene
from analyzers.queries import Target
from analyzers.summaries import Condition

_SUBJECTS = frozenset(("assertThat", "assertThatObject", "then", "that"))
_TOLD = frozenset(("as", "describedAs", "withFailMessage", "overridingErrorMessage", "named", "withRepresentation"))
"""What says something of an assertion, and returns it."""

_EQUAL = frozenset(("assertEquals", "assertSame"))
_NULL = "=null"


def asserted_null(scene: Scene, call: ir.Call, target: Target) -> tuple[Condition, ...]:
    """That an argument is null behind a call of a library, if it asserts that."""
    if not scene.is_java or target.procedures:
        return ()
    position = _position(scene, call)
    return () if position is None else (Condition((f"${position}",), "==", _NULL),)


def _position(scene: Scene, call: ir.Call) -> int | None:
    if call.name in _EQUAL and _NULL in call.args:
        return next((place for place, each in enumerate(call.args) if each != _NULL and each[:2] != '="'), None)
    if call.name not in _SUBJECTS:
        return None
    if len(call.args) == 1:
        return 0 if call.dst and _ends_in_null(scene, call.dst) else None
    is_matched = call.name == "assertThat" and len(call.args) in (2, 3) and _is_null_matcher(scene, call.args[-1])
    return len(call.args) - 2 if is_matched else None


def _ends_in_null(scene: Scene, subject: str) -> bool:
    """Whether an assertion goes on to ask for null, whatever is said of it between."""
    following = next((each for each in scene.nodes if isinstance(each, ir.Call) and each.receiver == subject), None)
    if following is None or following.name not in _TOLD:
        return following is not None and following.name == "isNull"
    return bool(following.dst) and following.dst != subject and _ends_in_null(scene, following.dst)


def _is_null_matcher(scene: Scene, matcher: str) -> bool:
    """Whether a matcher is that of null (`nullValue()`, `is(nullValue())`)."""
    made = next((each for each in scene.nodes if isinstance(each, ir.Call) and each.dst == matcher), None)
    if made is None or not ir.is_temporary(matcher):
        return False
    return made.name == "nullValue" or (made.name == "is" and len(made.args) == 1 and _is_null_matcher(scene, made.args[0]))
