"""What a small Java may do on its way, told twice: by the language's rules on a tree, and by the paths of an IR graph.

Every call may return or throw X or Y. A run is the tuple of its events, up to a limit, and how it ends. A tree is
nested tuples, its first part naming the statement; `source` writes it as Java.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers import ir

Tree = tuple  # type: ignore[type-arg]
Run = tuple[tuple[str, ...], str]

THROWN = ("X", "Y")


# --- as Java


def source(body: list[Tree]) -> str:
    """A class whose method `m` has this body."""
    return f"class G {{ int m() {{ {_block(body)} return f0(); }} }}"


def _block(body: list[Tree]) -> str:
    return " ".join(_statement(each) for each in body)


def _statement(tree: Tree) -> str:
    match tree:
        case ("call", n):
            return f"f{n}();"
        case ("if", n, then, other):
            return f"if (c{n}()) {{ {_block(then)} }} else {{ {_block(other)} }}"
        case ("both", n, m, then):
            return f"if (c{n}() && !c{m}()) {{ {_block(then)} }}"
        case ("while", label, n, body):
            return f"{label}: while (c{n}()) {{ {_block(body)} }}"
        case ("do", label, n, body):
            return f"{label}: do {{ {_block(body)} }} while (c{n}());"
        case ("for", label, n, m, body):
            return f"{label}: for (int i = 0; c{n}(); f{m}()) {{ {_block(body)} }}"
        case ("each", label, n, body):
            return f"{label}: for (Object o : f{n}()) {{ {_block(body)} }}"
        case ("block", label, body):
            return f"{label}: {{ {_block(body)} }}"
        case ("sync", body):
            return f"synchronized (this) {{ {_block(body)} }}"
        case ("try", resource, body, catches, last):
            head = f"(Object r = f{resource}()) " if resource else ""
            text = f"try {head}{{ {_block(body)} }}"
            for types, caught in catches:
                text += f" catch ({' | '.join(types)} e) {{ {_block(caught)} }}"
            if last is not None or (not catches and not resource):
                text += f" finally {{ {_block(last or [])} }}"
            return text
        case ("switch", n, groups, default):
            text = f"switch (f{n}()) {{"
            for number, group in enumerate(groups):
                label = "default" if number == default else f"case {number}"
                text += f" {label}: {_block(group)}"
            return text + " }"
        case ("yield", n, first, a, second, b):
            return (
                f"use(switch (f{n}()) {{ case 0 -> {{ {_block(first)} yield f{a}(); }} "
                f"default -> {{ {_block(second)} yield f{b}(); }} }});"
            )
        case ("return", n):
            return f"return f{n}();"
        case ("throw", n):
            return f"throw f{n}();"
        case ("rethrow",):
            return "throw e;"
        case ("break" | "continue" as word, label):
            return f"{word} {label};"
    raise AssertionError(tree)


# --- by the rules of the language


class Rules:
    """Runs trees; ways to end: "normal", "return v", "throw T", "break L", "continue L", "yield v", "cut"."""

    def __init__(self, most: int) -> None:
        self._most = most

    def runs(self, body: list[Tree]) -> set[Run]:
        """All runs of a method with this body, which then returns `f0()`."""
        return {
            (events, end)
            for events, end in self._sequence([*body, ("return", 0)], (), "")
            if end.startswith(("return", "throw", "cut"))
        }

    def _sequence(self, body: list[Tree], events: tuple[str, ...], caught: str) -> Iterator[Run]:
        if not body:
            yield events, "normal"
            return
        for after, end in self._one(body[0], events, caught):
            if end == "normal":
                yield from self._sequence(body[1:], after, caught)
            else:
                yield after, end

    def _event(self, events: tuple[str, ...], event: str) -> Run:
        events = (*events, event)
        return events, "cut" if len(events) >= self._most else "normal"

    def _call(self, name: str, events: tuple[str, ...]) -> Iterator[Run]:
        events, end = self._event(events, name)
        yield events, end
        if end != "cut":
            yield from self._throw(events)

    def _throw(self, events: tuple[str, ...]) -> Iterator[Run]:
        for thrown in THROWN:
            after, end = self._event(events, f"!{thrown}")
            yield after, end if end == "cut" else f"throw {thrown}"

    def _test(self, n: int, events: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str, bool]]:
        for after, end in self._call(f"c{n}", events):
            if end != "normal":
                yield after, end, False
                continue
            for is_true in (True, False):
                decided, end = self._event(after, "T" if is_true else "F")
                yield decided, end, is_true

    def _one(self, tree: Tree, events: tuple[str, ...], caught: str) -> Iterator[Run]:
        match tree:
            case ("call", n):
                yield from self._call(f"f{n}", events)
            case ("if", n, then, other):
                for after, end, is_true in self._test(n, events):
                    if end == "normal":
                        yield from self._sequence(then if is_true else other, after, caught)
                    else:
                        yield after, end
            case ("both", n, m, then):
                yield from self._both(n, m, then, events, caught)
            case ("while", label, n, body):
                yield from self._loop(label, n, body, [], events, caught)
            case ("for", label, n, m, body):
                yield from self._loop(label, n, body, [("call", m)], events, caught)
            case ("do", label, n, body):
                for after, end in self._turn(label, body, events, caught):
                    if end == "normal":
                        yield from self._loop(label, n, body, [], after, caught)
                    else:
                        yield after, "normal" if end == "left" else end
            case ("each", label, n, body):
                for after, end in self._calls((f"f{n}", "iterator"), events):
                    if end == "normal":
                        yield from self._iterate(label, body, after, caught)
                    else:
                        yield after, end
            case ("block", label, body):
                for after, end in self._sequence(body, events, caught):
                    yield after, "normal" if end == f"break {label}" else end
            case ("sync", body):
                yield from self._sequence(body, events, caught)
            case ("try", resource, body, catches, last):
                yield from self._try(resource, body, catches, last, events, caught)
            case ("switch", n, groups, default):
                yield from self._switch(n, groups, default, events, caught)
            case ("yield", n, first, a, second, b):
                yield from self._yield(n, (first, a), (second, b), events, caught)
            case ("return", n):
                for after, end in self._call(f"f{n}", events):
                    yield after, f"return f{n}" if end == "normal" else end
            case ("throw", n):
                for after, end in self._call(f"f{n}", events):
                    if end == "normal":
                        yield from self._throw(after)
                    else:
                        yield after, end
            case ("rethrow",):
                yield events, f"throw {caught}"
            case ("break" | "continue" as word, label):
                yield events, f"{word} {label}"

    def _both(self, n: int, m: int, then: list[Tree], events: tuple[str, ...], caught: str) -> Iterator[Run]:
        for after, end, is_first in self._test(n, events):
            if end != "normal" or not is_first:
                yield after, end
                continue
            for later, last, is_second in self._test(m, after):
                if last == "normal" and not is_second:
                    yield from self._sequence(then, later, caught)
                else:
                    yield later, last

    def _calls(self, names: tuple[str, ...], events: tuple[str, ...]) -> Iterator[Run]:
        for after, end in self._call(names[0], events):
            if end == "normal" and names[1:]:
                yield from self._calls(names[1:], after)
            else:
                yield after, end

    def _turn(self, label: str, body: list[Tree], events: tuple[str, ...], caught: str) -> Iterator[Run]:
        """One turn of a loop: "normal" goes on, "left" is behind the loop."""
        for after, end in self._sequence(body, events, caught):
            if end == f"continue {label}":
                yield after, "normal"
            elif end == f"break {label}":
                yield after, "left"
            else:
                yield after, end

    def _loop(
        self, label: str, n: int, body: list[Tree], step: list[Tree], events: tuple[str, ...], caught: str
    ) -> Iterator[Run]:
        for after, end, is_true in self._test(n, events):
            if end != "normal" or not is_true:
                yield after, end
                continue
            for later, turned in self._turn(label, body, after, caught):
                if turned != "normal":
                    yield later, "normal" if turned == "left" else turned
                    continue
                for stepped, last in self._sequence(step, later, caught):
                    if last == "normal":
                        yield from self._loop(label, n, body, step, stepped, caught)
                    else:
                        yield stepped, last

    def _iterate(self, label: str, body: list[Tree], events: tuple[str, ...], caught: str) -> Iterator[Run]:
        for after, end in self._call("hasNext", events):
            if end != "normal":
                yield after, end
                continue
            yield self._event(after, "F")
            decided, end = self._event(after, "T")
            if end != "normal":
                yield decided, end
                continue
            for given, last in self._call("next", decided):
                if last != "normal":
                    yield given, last
                    continue
                for later, turned in self._turn(label, body, given, caught):
                    if turned == "normal":
                        yield from self._iterate(label, body, later, caught)
                    else:
                        yield later, "normal" if turned == "left" else turned

    def _switch(
        self, n: int, groups: list[list[Tree]], default: int, events: tuple[str, ...], caught: str
    ) -> Iterator[Run]:
        for after, end in self._call(f"f{n}", events):
            if end != "normal":
                yield after, end
                continue
            rest = default if 0 <= default < len(groups) else len(groups)
            starts = [(number, f"={number}") for number in range(len(groups)) if number != default]
            for number, event in [*starts, (rest, "")]:
                begun, last = self._event(after, event) if event else (after, "normal")
                if last != "normal":
                    yield begun, last
                    continue
                body = [each for group in groups[number:] for each in group]
                for later, left in self._sequence(body, begun, caught):
                    yield later, "normal" if left == "break " else left

    def _yield(
        self,
        n: int,
        first: tuple[list[Tree], int],
        second: tuple[list[Tree], int],
        events: tuple[str, ...],
        caught: str,
    ) -> Iterator[Run]:
        for after, end in self._call(f"f{n}", events):
            if end != "normal":
                yield after, end
                continue
            for event, (body, value) in (("=0", first), ("", second)):
                begun, last = self._event(after, event) if event else (after, "normal")
                if last != "normal":
                    yield begun, last
                    continue
                for later, left in self._sequence([*body, ("call", value)], begun, caught):
                    if left == "normal":
                        yield from self._call(f"use(f{value})", later)
                    else:
                        yield later, left

    def _try(
        self,
        resource: int,
        body: list[Tree],
        catches: list[tuple[tuple[str, ...], list[Tree]]],
        last: list[Tree] | None,
        events: tuple[str, ...],
        caught: str,
    ) -> Iterator[Run]:
        for after, end in self._caught(resource, body, catches, events, caught):
            if end == "cut" or last is None:
                yield after, end
                continue
            for later, left in self._sequence(last, after, caught):
                yield later, end if left == "normal" else left

    def _caught(
        self,
        resource: int,
        body: list[Tree],
        catches: list[tuple[tuple[str, ...], list[Tree]]],
        events: tuple[str, ...],
        caught: str,
    ) -> Iterator[Run]:
        inside = (
            self._closed(resource, body, events, caught) if resource else self._sequence(body, events, caught)
        )
        for after, end in inside:
            word, _, thrown = end.partition(" ")
            clause = next((each for each in catches if word == "throw" and thrown in each[0]), None)
            if clause is None:
                yield after, end
            else:
                yield from self._sequence(clause[1], after, thrown)

    def _closed(self, resource: int, body: list[Tree], events: tuple[str, ...], caught: str) -> Iterator[Run]:
        for opened, end in self._call(f"f{resource}", events):
            if end != "normal":
                yield opened, end
                continue
            for after, left in self._sequence(body, opened, caught):
                if left == "cut":
                    yield after, left
                    continue
                missing, cut = self._event(after, "null")
                yield missing, cut if cut == "cut" else left
                there, cut = self._event(after, "open")
                if cut == "cut":
                    yield there, cut
                    continue
                for closed, thrown in self._call(f"close(f{resource})", there):
                    keeps = thrown == "normal" or (left.startswith("throw") and thrown != "cut")
                    yield closed, left if keeps else thrown


# --- by the paths of the graph


class Paths:
    """Runs the paths of a procedure."""

    def __init__(self, procedure: ir.Procedure, most: int) -> None:
        self._procedure = procedure
        self._most = most
        self._found: set[Run] = set()

    def runs(self) -> set[Run]:
        """All runs, as `Rules.runs` has them."""
        work: list[tuple[int, tuple[str, ...], dict[str, str]]] = [(ir.ENTRY, (), {})]
        while work:
            number, events, values = work.pop()
            work.extend(self._step(number, events, values))
        return self._found

    def _step(
        self, number: int, events: tuple[str, ...], values: dict[str, str]
    ) -> Iterator[tuple[int, tuple[str, ...], dict[str, str]]]:
        node = self._procedure.nodes[number]
        following = self._procedure.next[number]
        match node:
            case ir.Call():
                name = _call_name(node, values)
                events = (*events, name)
                if len(events) >= self._most:
                    self._found.add((events, "cut"))
                    return
                yield following[0], events, {**values, node.dst: name}
                yield from self._raise(number, THROWN, events, values)
            case ir.Copy():
                yield following[0], events, {**values, node.dst: values.get(node.src, node.src)}
            case ir.Branch():
                yield from self._branch(node, following, events, values)
            case ir.Return():
                self._found.add((events, f"return {values.get(node.src, node.src)}"))
            case ir.Throw():
                held = values.get(node.src, "")
                yield from self._raise(number, (held,) if held in THROWN else THROWN, events, values)
            case _:
                yield following[0], events, values

    def _branch(
        self, node: ir.Branch, following: tuple[int, ...], events: tuple[str, ...], values: dict[str, str]
    ) -> Iterator[tuple[int, tuple[str, ...], dict[str, str]]]:
        if node.operator == "*":  # a check of the run time, which the small Java has none of
            yield following[1], events, values
            return
        names = {"true": ("T", "F"), "!=": ("open", "null"), "==": (node.right, "")}[node.operator]
        for target, name in zip(following, names, strict=True):
            after = (*events, name) if name else events
            if len(after) >= self._most and name:
                self._found.add((after, "cut"))
            else:
                yield target, after, values

    def _raise(
        self, number: int, thrown: tuple[str, ...], events: tuple[str, ...], values: dict[str, str]
    ) -> Iterator[tuple[int, tuple[str, ...], dict[str, str]]]:
        before = events
        for each in thrown:
            events = (*before, f"!{each}") if len(thrown) > 1 else before
            if len(events) >= self._most and len(thrown) > 1:
                self._found.add((events, "cut"))
                continue
            for handler in self._procedure.raises[number]:
                node = self._procedure.nodes[handler]
                if isinstance(node, ir.Exit):
                    self._found.add((events, f"throw {each}"))
                elif isinstance(node, ir.Catch) and ({each, "*"} & set(node.types)):
                    target = self._procedure.next[handler][0]
                    yield target, events, {**values, node.dst: each}
                    break


def _call_name(node: ir.Call, values: dict[str, str]) -> str:
    if node.name == "close":
        return f"close({values.get(node.receiver, node.receiver)})"
    if node.name == "use":
        return f"use({values.get(node.args[0], node.args[0])})"
    return node.name
