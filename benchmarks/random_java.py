"""Random Java methods that open, wrap, pass on, keep, close and forget: input for `benchmarks.generated_java`.

The same seed gives the same text, and javac takes every one: what cannot be reached is not written, a checked exception
that is caught can be thrown, and what a lambda names is never assigned again.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from benchmarks.random_java_types import (
    BAG,
    CONNECTION,
    FILE,
    FITTING,
    GATE,
    IN,
    INPUTS,
    NEW,
    OUT,
    READER,
    RESULTS,
    ROWS,
    SOCKET,
    STATEMENT,
    STEMS,
    USES,
    WRITER,
    joined,
)

Maker = Callable[[], bool]
"""Writes something; whether what follows is reached."""


class Writer:
    """Writes one method. What a variable holds is tracked roughly: `null`, `owned`, `maybe`, `gone`, `lent`."""

    def __init__(self, name: str, seed: int) -> None:
        self.name = name
        self.random = random.Random(seed)
        self.kind = self.random.choices(list(RESULTS), (7, 2, 1, 1, 2))[0]
        self.is_throwing = self.random.random() < 0.75
        self.lines: list[str] = []
        self.depth = 1
        self.loops = self.made = 0
        self.state: dict[str, str] = {}
        self.types: dict[str, str] = {}
        self.fixed: set[str] = set()
        self.in_try = 0
        self.budget = 26

    def text(self) -> str:
        """The whole declaration."""
        chance = self.random
        throws = " throws IOException, SQLException" if self.is_throwing else ""
        head = f"    static {RESULTS[self.kind]} {self.name}(int a, int b, int c){throws} {{"
        self.depth = 2
        self.line("int sum = a;")
        for _ in range(chance.randint(0, 2)):
            written = chance.choice((IN, IN, FILE, READER, OUT, SOCKET, GATE))
            name = self.new_name(written)
            self.line(f"{written} {name} = null;")
            self.state[name] = "null"
        if self.is_throwing:
            is_reached = self.several(chance.randint(2, 6))
        else:
            is_reached = self.attempt_all(chance.randint(2, 6))
        if is_reached:
            self.ending()
        return head + "\n" + "\n".join(self.lines) + "\n    }\n"

    def attempt_all(self, count: int) -> bool:
        """The body of a method that throws nothing checked."""
        self.line("try {")
        self.depth += 1
        self.line("check(a);")
        self.line("ask(a);")
        outer = self.enter()
        is_reached = self.several(count)
        self.depth -= 1
        self.leave_scope(outer)
        self.line("} catch (IOException | SQLException e) {")
        self.depth += 1
        caught = True
        if self.random.random() < 0.5:
            self.line("log(e);")
        else:
            self.line({"int": "return -9;", "void": "return;"}.get(self.kind, "return null;"))
            caught = False
        self.depth -= 1
        self.line("}")
        return is_reached or caught

    def line(self, words: str = "") -> None:
        """Add a line at the depth of today's block."""
        self.lines.append("    " * self.depth + words if words else "")

    def enter(self) -> list[str]:
        """The names before a block."""
        return list(self.state)

    def leave_scope(self, outer: Sequence[str]) -> None:
        """The names of a block are gone behind it."""
        self.state = {name: each for name, each in self.state.items() if name in outer}

    def block(self, head: str, inside: Maker, tail: str = "}") -> bool:
        """A block with what `inside` writes; whether its end is reached."""
        self.line(head)
        self.depth += 1
        outer = self.enter()
        is_reached = inside()
        self.leave_scope(outer)
        self.depth -= 1
        if tail:
            self.line(tail)
        return is_reached

    def new_name(self, written: str) -> str:
        """A name that nothing had."""
        self.made += 1
        stem = STEMS[written]
        name = stem if stem not in self.types else f"{stem}{self.made}"
        self.types[name] = written
        return name

    def names(self, *states: str, of: Sequence[str] = ()) -> list[str]:
        """The variables in one of some states."""
        return [n for n, each in self.state.items() if each in states and (not of or self.types[n] in of)]

    def one(self, names: Sequence[str]) -> str:
        """One of some names, empty for none."""
        return self.random.choice(names) if names else ""

    def condition(self) -> str:
        """Something that the inputs decide."""
        chance = self.random
        known = self.names("owned", "maybe", "null")
        match chance.choice(["input", "input", "sum", *(["null"] if known else [])]):
            case "input":
                return f"{chance.choice(INPUTS)} {chance.choice(('==', '!=', '>', '<'))} {chance.randint(0, 1)}"
            case "sum":
                return f"sum {chance.choice(('>', '<'))} {chance.choice((0, 1, 100))}"
            case _:
                return f"{chance.choice(known)} {chance.choice(('==', '!='))} null"

    # --- statements

    def several(self, count: int) -> bool:
        """Some statements, as long as they are reached."""
        return all(self.statement() for _ in range(count))

    def some(self) -> bool:
        """The inside of a block."""
        return self.several(self.random.randint(1, 3))

    def statement(self) -> bool:
        """One statement; whether what follows is reached."""
        self.budget -= 1
        weights: dict[Maker, int] = {
            self.acquire: 10, self.assign: 4, self.release: 5, self.use: 6, self.pass_on: 4, self.wrap: 5, self.check: 3, self.inline: 1,
            self.remark: 1,
        }
        if self.depth < 5 and self.budget > 0:
            weights |= {self.choice: 5, self.loop: 3, self.attempt: 5, self.resources: 3, self.guard: 2, self.switch: 1, self.synchronized: 1, self.lambda_: 1}
        if self.depth > 2:
            weights |= {self.go: 2}
        weights |= {self.leave: 3}
        return self.random.choices(list(weights), list(weights.values()))[0]()

    def expression(self, written: str) -> str:
        """Something new."""
        text = self.random.choice(NEW[written]).format(self.random.choice(INPUTS))
        if self.random.random() < 0.35:
            for path in ("in", "file", "out", "text", "written", "lines"):
                text = text.replace(f'"{path}"', '"shared"')
        return text

    def acquire(self) -> bool:
        """A new variable gets something of its own."""
        chance = self.random
        written = chance.choices((IN, FILE, READER, OUT, WRITER, GATE, BAG, SOCKET, CONNECTION), (5, 3, 4, 3, 2, 2, 1, 2, 2))[0]
        name = self.new_name(written)
        expression = self.expression(written)
        shown = chance.choices((written, f"final {written}", "var"), (8, 1, 1))[0]
        self.line(f"{shown} {name} = {expression};")
        self.fixed.add(name)
        self.state[name] = "owned"
        if "open(" in expression and chance.random() < 0.7:
            self.block(f"if ({name} == null) {{", self.bail)
        return True

    def assign(self) -> bool:
        """A variable that is there gets something."""
        chance = self.random
        free = [n for n in self.names("null", "gone", "lent") if n not in self.fixed]
        if chance.random() < 0.1:
            free = [n for n in self.state if n not in self.fixed]
        name = self.one(free)
        if name:
            self.line(f"{name} = {self.expression(self.types[name])};")
            self.state[name] = "owned"
        return True

    def release(self) -> bool:
        """What is owned is closed."""
        chance = self.random
        name = self.one(self.names("owned", "maybe"))
        if not name:
            return True
        forms = ("plain", "plain", "quiet") if self.state[name] == "owned" else ()
        match chance.choice(("drop", "test", *forms)):
            case "plain":
                self.line(f"{name}.close();")
            case "drop":
                self.line(f"closeIt({name});")
            case "test":
                self.line(f"if ({name} != null) {{")
                self.line(f"    {name}.close();")
                self.line("}")
            case _:
                self.line("try {")
                self.line(f"    {name}.close();")
                if self.types[name] == WRITER:
                    self.line("    check(b);")
                is_asked = self.types[name] in (CONNECTION, STATEMENT, ROWS)
                self.line(f"}} catch ({'SQLException' if is_asked else 'IOException'} e) {{")
                self.line("    log(e);")
                self.line("}")
        self.state[name] = "gone"
        return True

    def use(self) -> bool:
        """Something is read or written."""
        name = self.one(self.names("owned", "lent"))
        if name:
            self.line(self.random.choice(USES[self.types[name]]).format(name))
        else:
            self.line(f"sum += {self.random.choice(INPUTS)};")
        return True

    def check(self) -> bool:
        """Something else that may fail."""
        self.line(self.random.choice(("check(a);", "check(sum);", "sum = sum * 3;", 'sum += stored("shared");', 'sum += stored("shared");', 'sum += new File("shared").delete() ? 1 : 0;', 'System.setProperty("last", "" + a);')))
        return True

    def remark(self) -> bool:
        """A comment, or a line without anything."""
        self.line(self.random.choice(("", "// what comes next needs the sum", "/* see above */")))
        return True

    def inline(self) -> bool:
        """Something new without a name."""
        self.line(self.random.choice((
            'sum += new FileInputStream("unnamed").read();', 'sum += look(new FileInputStream("unnamed"));', 'sum += worth(lines("unnamed").readLine());',
            'sum += consume(new FileInputStream("unnamed"));', 'sum += new Gate("unnamed").read();',
            'sum += worth(new BufferedReader(new InputStreamReader(new FileInputStream("unnamed"))).readLine());',
        )))
        return True

    def wrap(self) -> bool:
        """A layer around what is owned."""
        chance = self.random
        inner = self.one(self.names("owned", of=(IN, FILE, OUT, SOCKET, CONNECTION, CONNECTION, STATEMENT)))
        if not inner:
            return True
        match self.types[inner]:
            case "Connection":
                written, expression = STATEMENT, '{0}.prepareStatement("select")'
            case "PreparedStatement":
                written, expression = ROWS, "{0}.executeQuery()"
            case "OutputStream":
                written, expression = chance.choice(((WRITER, "new PrintWriter(new OutputStreamWriter({0}))"), (OUT, "new BufferedOutputStream({0})")))
            case "Socket":
                written, expression = chance.choice(((IN, "{0}.getInputStream()"), (OUT, "{0}.getOutputStream()"),
                                                     (READER, "new BufferedReader(new InputStreamReader({0}.getInputStream()))")))
            case _:
                written, expression = chance.choice(((READER, "new BufferedReader(new InputStreamReader({0}))"), (IN, "new BufferedInputStream({0})"),
                                                     (IN, "wrapped({0})"), (GATE, "new Gate({0})"), (IN, "same({0})"), (IN, "new PushbackInputStream({0})")))
        name = self.new_name(written)
        self.line(f"{written} {name} = {expression.format(inner)};")
        self.fixed.add(name)
        if self.types[inner] == SOCKET:
            self.state[name] = "lent"
        elif self.types[inner] in (CONNECTION, STATEMENT):
            self.state[name] = "owned"
        elif chance.random() < 0.75:
            self.state[name], self.state[inner] = "owned", "lent"
        else:
            self.state[name] = "lent"
        return True

    def pass_on(self) -> bool:
        """Somebody else gets what is owned."""
        chance = self.random
        name = self.one(self.names("owned", of=(IN, FILE, READER)))
        if not name:
            return True
        if self.types[name] == READER:
            self.line(f"{'Kept.reader = ' + name if chance.random() < 0.3 else 'closeIt(' + name + ')'};")
            self.state[name] = "gone"
            return True
        bag = self.one(self.names("owned", of=(BAG,)))
        match chance.choice(("keep", "maybe", "consume", "field", *(("bag", "bag") if bag else ()))):
            case "keep":
                self.line(f"keep({name});")
            case "maybe":
                call = f"keepMaybe({name}, {chance.choice(INPUTS)})"
                if chance.random() < 0.6:
                    self.line(f"if (!{call}) {{")
                    self.line(f"    {name}.close();")
                    self.line("}")
                else:
                    self.line(f"sum += {call} ? 1 : 0;")
            case "consume":
                self.line(f"sum += consume({name});")
            case "field":
                self.line("closeIt(Kept.in);")
                self.line(f"Kept.in = {name};")
            case _:
                self.line(f"{bag}.add({name});")
        self.state[name] = "gone" if chance.random() < 0.7 else "lent"
        return True

    def bail(self) -> bool:
        """Leave where something failed."""
        before = dict(self.state)
        for name in self.names("owned"):
            if self.random.random() < 0.5:
                self.line(f"closeIt({name});")
        self.go()
        self.state = before
        return False

    def go(self) -> bool:
        """A way out."""
        chance = self.random
        if self.loops and chance.random() < 0.4:
            self.line(chance.choice(("break;", "continue;")))
            return False
        match chance.choice(("return", "return", "throw", "checked")):
            case "throw":
                self.line(f"throw new IllegalStateException({chance.choice(('', '' + chr(34) + 'no' + chr(34)))});")
            case "checked" if self.is_throwing or self.in_try:
                self.line('throw new IOException("no");')
            case _:
                self.returned()
        return False

    def returned(self) -> None:
        """`return`, of what fits."""
        chance = self.random
        match self.kind:
            case "int":
                self.line(f"return {chance.choice(('sum', '-1', '0'))};")
            case "void":
                self.line("return;")
            case _:
                name = self.one(self.names("owned", "maybe", of=FITTING[self.kind]))
                if name and chance.random() < 0.7:
                    self.line(f"return {name};")
                elif chance.random() < 0.3:
                    self.line(f"return {self.expression(RESULTS[self.kind])};")
                else:
                    self.line("return null;")

    def leave(self) -> bool:
        """A way out under a condition."""
        if self.kind in ("int", "void") and self.random.random() < 0.3:
            self.line(f"if ({self.condition()}) return{' -4' if self.kind == 'int' else ''};")
        elif self.loops and self.random.random() < 0.3:
            self.line(f"if ({self.condition()})")
            self.line("    break;")
        else:
            self.block(f"if ({self.condition()}) {{", self.bail)
        return True

    def ending(self) -> None:
        """Close what is left, mostly, and return."""
        chance = self.random
        kept = ""
        if self.kind in ("in", "reader", "gate"):
            kept = self.one(self.names("owned", "maybe", of=FITTING[self.kind]))
        for name in reversed(self.names("owned", "maybe")):
            if name != kept and chance.random() < 0.55:
                self.line(f"{name}.close();" if self.is_throwing and self.state[name] == "owned" else f"closeIt({name});")
        if self.kind == "void":
            self.line("Kept.sum = sum;")
        elif self.kind == "int":
            self.line("return sum;")
        else:
            self.line(f"return {kept or 'null'};")

    # --- compound ones

    def choice(self) -> bool:
        """`if`, with or without `else`."""
        before = dict(self.state)
        first = self.block(f"if ({self.condition()}) {{", self.some, tail="")
        there = self.state
        self.state = dict(before)
        second = True
        if self.random.random() < 0.4:
            second = self.block("} else {", self.some)
        else:
            self.line("}")
        if first and second:
            self.state = {name: joined(here, there[name]) for name, here in self.state.items()}
        elif first:
            self.state = there
        return first or second

    def loop(self) -> bool:
        """A loop of some turns."""
        if self.loops > 1:
            return True
        chance = self.random
        before = dict(self.state)
        counter = "ij"[self.loops]
        bound = chance.choice(INPUTS)
        self.loops += 1

        def inside() -> bool:
            outer = self.enter()
            is_reached = self.some()
            if is_reached:
                for name in self.names("owned"):
                    if name not in outer and chance.random() < 0.5:
                        self.line(f"{name}.close();" if chance.random() < 0.6 and (self.is_throwing or self.in_try) else f"closeIt({name});")
            return is_reached

        if chance.random() < 0.7:
            self.block(f"for (int {counter} = 0; {counter} < {bound}; {counter}++) {{", inside)
        else:
            downwards = f"for (int {counter} = {bound}; {counter} > 0; {counter}--) {{"
            self.block('for (String each : new String[] { "x", "y" }) {' if counter == "i" else downwards, inside)
        self.loops -= 1
        self.state = {name: joined(each, before[name]) for name, each in self.state.items() if name in before}
        return True

    def attempt(self) -> bool:
        """`try` with `catch`, `finally` or both."""
        chance = self.random
        loops, before = self.loops, dict(self.state)
        form = chance.choice(("catch", "finally", "both"))
        self.in_try += form != "finally"

        def inside() -> bool:
            if form != "finally":
                self.line("check(c);")
            return self.some()

        is_reached = self.block("try {", inside, tail="")
        self.in_try -= form != "finally"
        done = self.state
        self.state = {name: joined(before[name], each) for name, each in done.items()}
        caught = False
        if form != "finally":
            caught = self.block(f"}} catch ({chance.choice(('IOException', 'IOException', 'IOException | RuntimeException', 'Exception'))} e) {{", self.handler, tail="")
        if form != "catch":
            self.block("} finally {", self.cleanup)
        else:
            self.line("}")
        self.loops = loops
        if is_reached and not caught:
            self.state = {name: self.state.get(name, each) if self.state.get(name) == "gone" else each for name, each in done.items()}
        return is_reached or caught

    def handler(self) -> bool:
        """What a `catch` does."""
        chance = self.random
        match chance.choice(("log", "log", "bail", "throw", "rethrow")):
            case "bail":
                return self.bail()
            case "throw":
                for name in self.names("maybe", "owned"):
                    if chance.random() < 0.4:
                        self.line(f"closeIt({name});")
                self.line("throw new IllegalStateException(e);")
                return False
            case "rethrow" if self.is_throwing:
                self.line("throw new IOException(e);")
                return False
            case _:
                self.line("log(e);")
                return True

    def cleanup(self) -> bool:
        """What a `finally` does."""
        chance = self.random
        names = self.names("owned", "maybe")
        for name in names:
            if chance.random() < 0.6:
                self.line(f"closeIt({name});" if chance.random() < 0.7 or not (self.is_throwing or self.in_try) else f"{name}.close();")
                self.state[name] = "gone"
        self.line("sum++;" if chance.random() < 0.5 else "Kept.sum++;")
        return True

    def guard(self) -> bool:
        """Acquired, then `try` and `finally` that closes it, as people write it."""
        chance = self.random
        self.acquire()
        name = list(self.state)[-1]
        if chance.random() < 0.4:
            self.use()
        is_reached = self.block("try {", self.some, tail="")

        def inside() -> bool:
            self.line(f"closeIt({name});" if chance.random() < 0.5 or not (self.is_throwing or self.in_try) else f"{name}.close();")
            return True

        self.block("} finally {", inside)
        self.state[name] = "gone"
        return is_reached

    def resources(self) -> bool:
        """`try` with resources."""
        chance = self.random
        heads, names = [], []
        for _ in range(chance.choice((1, 1, 2))):
            written = chance.choice((IN, READER, OUT, GATE, SOCKET, CONNECTION))
            name = self.new_name(written)
            heads.append(f"{written} {name} = {self.expression(written)}")
            self.fixed.add(name)
            names.append(name)
        form = chance.choice(("", "", "catch", "finally"))
        self.in_try += form == "catch"

        def inside() -> bool:
            for name in names:
                self.state[name] = "lent"
            if form == "catch":
                self.line("check(b);")
            self.use()
            return self.some()

        before = dict(self.state)
        is_reached = self.block(f"try ({'; '.join(heads)}) {{", inside, tail="" if form else "}")
        self.in_try -= form == "catch"
        caught = False
        done = self.state
        self.state = {name: joined(before[name], each) for name, each in done.items()}
        if form == "catch":
            caught = self.block("} catch (IOException e) {", self.handler)
        elif form == "finally":
            self.block("} finally {", self.cleanup)
        if is_reached and not caught and form != "finally":
            self.state = done
        return is_reached or caught

    def switch(self) -> bool:
        """A `switch` over an input, whose cases fall through or not."""
        chance = self.random
        before, loops = dict(self.state), self.loops
        states = []
        has_default = has_break = is_last_reached = False
        self.line(f"switch ({chance.choice(INPUTS)}) {{")
        self.loops = 0
        for label in ("case 0:", "case 1:", "default:"):
            if chance.random() < 0.25:
                continue
            self.state = dict(before)
            self.line(label)
            self.depth += 1
            outer = self.enter()
            is_reached = self.block("{", self.some)
            self.leave_scope(outer)
            is_last_reached, has_default = is_reached, label == "default:"
            if is_reached and chance.random() < 0.8:
                self.line("break;")
                has_break = True
            self.depth -= 1
            states.append(dict(self.state))
        self.line("}")
        self.loops = loops
        self.state = dict(before)
        for state in states:
            self.state = {name: joined(each, state[name]) for name, each in self.state.items()}
        is_reached = has_break or is_last_reached or not has_default
        if is_reached:
            self.line("sum += 2;")
        return is_reached

    def synchronized(self) -> bool:
        """A block with a lock."""
        return self.block("synchronized (Kept.class) {", self.some)

    def lambda_(self) -> bool:
        """Something that runs at once and names a variable."""
        name = self.one([n for n in self.names("owned", "lent", of=(IN, FILE, GATE)) if n in self.fixed])
        if name:
            self.line(f"sum += run(() -> {name}.read());")
        return True


def source(names: Sequence[str], seeds: Sequence[int], name: str, helpers: str) -> str:
    """A class with these methods behind the helpers."""
    methods = "\n".join(Writer(each, seed).text() for each, seed in zip(names, seeds, strict=True))
    return helpers.replace("NAME", name).replace("    // METHODS\n", methods)
