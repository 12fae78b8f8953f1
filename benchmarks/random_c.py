"""Random C functions that acquire, pass on, keep, release and forget: input for `benchmarks.generated`.

The same seed gives the same text. A function may also be wrong in other ways on some inputs (who runs it leaves those
inputs out), but mostly it looks before it uses, as people do.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from benchmarks.random_c_helpers import HELPERS, split_head

TEXT, ITEM, BOX = "char *", "struct item *", "struct box *"
INPUTS = ("a", "b", "c")
RELEASE = {TEXT: "free", ITEM: "item_free", BOX: "box_free"}

Maker = Callable[[], None]


class Writer:
    """Writes one function. What a variable holds is tracked roughly: `unset`, `null`, `owned`, `maybe`, `gone`, `lent`."""

    def __init__(self, name: str, seed: int, helpers: Sequence[Writer] = (), is_split: bool = False) -> None:
        self.name = name
        self.random = random.Random(seed)
        self.splits = random.Random(seed + 1) if is_split else None
        self.kind = self.random.choices(("int", "text", "out", "item"), (6, 2, 2, 1))[0]
        self.contract = ""
        if seed % 4 == 0:
            self.contract = self.random.choice(("consume", "borrow", "take", "make"))
            self.kind = "text" if self.contract == "make" else "int"
        self.helpers = [each for each in helpers if each.contract]
        self.called: list[str] = []
        self.rows = self.random.random() < 0.25
        self.are_made = False
        self.lines: list[str] = []
        self.depth = 1
        self.loops = self.nested = 0
        self.state: dict[str, str] = {}
        self.types: dict[str, str] = {}
        self.aliases: dict[str, str] = {}
        self.has_label = self.random.random() < 0.45
        self.box = self.random.random() < 0.3

    def text(self) -> str:
        """The whole definition."""
        chance = self.random
        names = chance.sample(("p", "q", "r", "s"), chance.randint(1, 3))
        self.types = {name: TEXT for name in names}
        if chance.random() < 0.5:
            self.types.update({name: ITEM for name in chance.sample(("m", "n"), chance.randint(1, 2))})
        if chance.random() < 0.25:
            self.types["w"] = BOX
        for name, written in self.types.items():
            is_null = self.has_label or chance.random() < 0.6
            self.state[name] = "null" if is_null else "unset"
            self.line(f"{written}{name}{' = NULL' if is_null else ''};")
        if self.contract in ("consume", "borrow", "take"):
            self.types["t"] = TEXT
            self.state["t"] = "owned" if self.contract == "consume" else "lent"
        if self.box:
            self.line("struct box box;")
        if self.rows:
            self.line("char **rows = NULL;")
            self.line("int k;")
        self.line("int i, j, sum = 0, result = -1;")
        self.line()
        self.line("i = j = 0;")
        if self.box:
            self.line("box_init(&box);")
        for _ in range(chance.randint(2, 7)):
            self.statement()
        self.ending()
        more = ", char **out" if self.kind == "out" else ", char *t" if "t" in self.types else ""
        parameters = f"int a, int b, int c{more}"
        result = {"int": "int ", "out": "int ", "text": TEXT, "item": ITEM}[self.kind]
        return f"{result}{self.name}({parameters})\n{{\n" + "\n".join(self.lines) + "\n}\n"

    def line(self, words: str = "") -> None:
        """Add a line at the depth of today's block."""
        is_label = words.endswith(":") and not words.startswith(("case", "default"))
        self.lines.append("" if not words else words if is_label else "    " * self.depth + words)

    def block(self, head: str, inside: Maker, tail: str = "}") -> None:
        """A block with what `inside` writes."""
        self.line(head)
        self.depth += 1
        inside()
        self.depth -= 1
        if tail:
            self.line(tail)

    # --- what there is

    def names(self, *states: str, written: str = "") -> list[str]:
        """The variables in one of some states."""
        return [n for n, each in self.state.items() if each in states and (not written or self.types[n] == written)]

    def one(self, names: Sequence[str]) -> str:
        """One of some names, empty for none."""
        return self.random.choice(names) if names else ""

    def condition(self) -> str:
        """Something that the inputs decide."""
        chance = self.random
        known = self.names("owned", "maybe", "null")
        kinds = ["input", "input", "input", "sum"] + (["pointer"] if known else [])
        match chance.choice(kinds):
            case "input":
                return f"{chance.choice(INPUTS)} {chance.choice(('==', '!=', '>', '<'))} {chance.randint(0, 1)}"
            case "sum":
                return f"sum {chance.choice(('>', '<'))} {chance.randint(0, 2)}"
            case _:
                return f"{chance.choice(known)} {chance.choice(('==', '!='))} NULL"

    # --- statements

    def statement(self) -> None:
        """One statement, or a compound one."""
        weights: dict[Maker, int] = {
            self.help: 4 if self.helpers else 0, self.fill_rows: 5 if self.rows and not self.are_made and self.depth == 1 else 0,
            self.acquire: 10, self.release: 5, self.use: 4, self.pass_on: 5, self.alias: 2, self.grow: 2, self.in_box: 3 if self.box else 0,
        }
        if self.depth < 4:
            weights |= {self.choice: 6, self.loop: 3, self.switch: 1}
        if self.depth > 1:
            weights |= {self.leave: 2}
        self.random.choices(list(weights), list(weights.values()))[0]()

    def bail(self) -> None:
        """Leave where something failed."""
        before = dict(self.state)
        for name in self.names("owned"):
            if self.random.random() < 0.55:
                self.line(f"{RELEASE[self.types[name]]}({name});")
                if self.has_label:
                    self.line(f"{name} = NULL;")
        self.go()
        self.state = before

    def go(self) -> None:
        """A way out."""
        chance = self.random
        if self.loops and chance.random() < 0.25:
            self.line("break;")
        elif self.has_label and chance.random() < 0.75:
            self.line("goto out;")
        else:
            if self.box and chance.random() < 0.6:
                self.line("box_clear(&box);")
            failures = (-1, -2) if self.contract == "take" else (-1, -2, 0)
            self.line("return NULL;" if self.kind in ("text", "item") else f"return {chance.choice(failures)};")

    def leave(self) -> None:
        """A way out under a condition."""
        self.block(f"if ({self.condition()}) {{", self.bail)

    def acquire(self) -> None:
        """A variable gets something of its own."""
        chance = self.random
        free = [each for each in self.names("unset", "null", "gone", "lent") if each != "t"] or (self.names("maybe") if chance.random() < 0.3 else [])
        if chance.random() < 0.06:
            free = list(self.state)
        name = self.one([each for each in free if each != "t"])
        if not name:
            return
        match self.types[name]:
            case "char *":
                self.acquire_text(name)
            case "struct item *":
                self.line(f'{name} = item_new("{chance.choice(("one", "two"))}");')
                self.tested(name)
            case _:
                self.line(f"{name} = box_new();")
                self.tested(name)
        self.state[name] = "owned"

    def acquire_text(self, name: str) -> None:
        """The same for a text."""
        chance = self.random
        match chance.choice(("malloc", "strdup", "make", "fill", "calloc", "same", "inline", "chain")):
            case "malloc":
                self.line(f"{name} = malloc({chance.choice((4, 8, 16))});")
                self.block(f"if ({name} == NULL) {{", self.bail)
                self.line(f"{name}[0] = 'x';")
                self.line(f"{name}[1] = 0;")
            case "strdup":
                self.line(f'{name} = strdup("text");')
                self.tested(name)
            case "make":
                self.line(f"{name} = make({chance.choice(INPUTS)});")
                self.tested(name)
            case "fill":
                self.state[name] = "unset" if self.state[name] == "unset" else self.state[name]
                self.block(f"if (fill(&{name}, {chance.choice(INPUTS)}) {chance.choice(('!= 0', '< 0', '== -1'))}) {{", self.bail)
            case "chain":
                self.chain(name)
            case "calloc":
                self.line(f"{name} = calloc(1, 8);")
                self.tested(name)
            case "same":
                self.line(f'{name} = same(strdup("same"));')
                self.tested(name)
            case _:
                self.block(f"if (({name} = make({chance.choice(INPUTS)})) == NULL) {{", self.bail)

    def chain(self, name: str) -> None:
        """A number says first whether a text is there, and then something else."""
        chance = self.random
        makers = ("fill", "fill_null", "fill_many") + (() if self.has_label else ("fill_apart",))
        first = f"(sum = {chance.choice(makers)}(&{name}, {chance.choice(INPUTS)})) != 0"
        second = f"(sum = ask({chance.choice(INPUTS)})) != 0"
        if chance.random() < 0.6:
            self.state[name], before = "lent", self.state[name]
            self.block(f"if ({first} || {second}) {{", self.bail)
            self.state[name] = before
            return
        self.block(f"if ({first}) {{", self.bail)
        self.state[name] = "owned"
        self.block(f"if ({second}) {{", self.bail)

    def tested(self, name: str) -> None:
        """Mostly what was acquired is looked at."""
        if self.random.random() < 0.75:
            self.state[name], before = "null", self.state[name]
            self.block(f"if ({self.random.choice((f'{name} == NULL', f'!{name}'))}) {{", self.bail)
            self.state[name] = before

    def help(self) -> None:
        """A random function of the same file is called."""
        chance = self.random
        helper = chance.choice(self.helpers)
        words = ", ".join(chance.choice(("a", "b", "c", "0", "1")) for _ in INPUTS)
        if helper.contract == "make":
            name = self.one([n for n in self.names("unset", "null", "gone", "lent", written=TEXT) if n != "t"])
            if name:
                self.line(f"{name} = {helper.name}({words});")
                self.tested(name)
                self.state[name] = "owned"
                self.called.append(helper.name)
            return
        name = self.one(self.names("owned", written=TEXT))
        if not name:
            return
        self.called.append(helper.name)
        call = f"{helper.name}({words}, {name})"
        if helper.contract == "borrow":
            self.line(f"sum += {call};")
            return
        if helper.contract == "consume":
            self.line(f"{call};" if chance.random() < 0.5 else f"sum += {call};")
        elif chance.random() < 0.5:
            self.line(f"if ({call} != 0)")
            self.line(f"    free({name});")
        else:
            self.block(f"if ({call} != 0) {{", self.bail)
        self.state[name] = "gone"
        if self.has_label:
            self.line(f"{name} = NULL;")
            self.state[name] = "null"

    def release(self) -> None:
        """What is owned goes."""
        chance = self.random
        name = self.one(self.names("owned", "maybe"))
        if not name:
            return
        call = RELEASE[self.types[name]]
        form = chance.choice(("plain", "plain", "null", "test", "drop"))
        if form == "drop" and self.types[name] == TEXT:
            self.line(f"drop(&{name});")
            self.state[name] = "null"
            return
        self.line(f"if ({name} != NULL)" if form == "test" else f"{call}({name});")
        if form == "test":
            self.line(f"    {call}({name});")
        self.state[name] = "gone"
        if form == "null" or self.has_label:
            self.line(f"{name} = NULL;")
            self.state[name] = "null"

    def use(self) -> None:
        """Something is read."""
        name = self.one(self.names("owned", "maybe", "lent"))
        if not name:
            self.line(f"sum += {self.random.choice(INPUTS)};")
            return
        match self.types[name]:
            case "char *":
                self.line(f"sum += look({name});")
            case "struct item *":
                self.line(f"if ({name} != NULL)")
                self.line(f"    sum += look({name}->name) + {name}->count++;")
            case _:
                self.line(f"if ({name} != NULL)")
                self.line(f"    sum += {name}->size + look({name}->first);")

    def fill_rows(self) -> None:
        """An array whose elements a loop makes, or some of them."""
        chance = self.random
        count = chance.choice(("2", "3"))
        self.are_made = True
        self.line(f"rows = {chance.choice((f'calloc({count}, sizeof *rows)', f'malloc({count} * sizeof *rows)'))};")
        self.block("if (rows == NULL) {", self.bail)
        is_zeroed = "calloc" in "".join(self.lines[-8:])
        self.line(f"for (k = 0; k < {count}; k++) {{")
        self.depth += 1
        self.line(f"rows[k] = {chance.choice(('make(a)', 'make(b)', 'malloc(4)'))};")
        if chance.random() < 0.8 or not is_zeroed:
            self.block("if (rows[k] == NULL) {", self.bail_rows)
        if "malloc(4)" in "".join(self.lines[-8:]):
            self.line("if (rows[k] != NULL)")
            self.line("    rows[k][0] = 0;")
        self.depth -= 1
        self.line("}")
        if chance.random() < 0.5:
            self.line("sum += look(rows[1]);")
        for _ in range(chance.randint(0, 2)):
            self.statement()
        match chance.choice(("loop", "call", "call", "part", "none")):
            case "loop":
                self.line(f"for (k = 0; k < {count}; k++)")
                self.line("    free(rows[k]);")
                self.line("free(rows);")
            case "call":
                self.line(f"texts_free(rows, {count});")
            case "part":
                self.line("free(rows);")
            case _:
                pass

    def bail_rows(self) -> None:
        """Leave in the middle of filling."""
        match self.random.choice(("none", "rows", "all")):
            case "rows":
                self.line("free(rows);")
            case "all":
                self.line("while (k > 0)")
                self.line("    free(rows[--k]);")
                self.line("free(rows);")
            case _:
                pass
        loops, self.loops = self.loops, 0
        self.bail()
        self.loops = loops

    def alias(self) -> None:
        """A second name, or a place inside."""
        source = self.one(self.names("owned", "maybe", written=TEXT))
        target = self.one([n for n in self.names("unset", "null", "gone", "lent", written=TEXT) if n not in (source, "t")])
        if source and target:
            self.line(f"{target} = {self.random.choice((source, f'rest({source})', f'same({source})'))};")
            self.line(f"sum += look({target});")
            self.state[target] = "lent"
            if self.random.random() < 0.2:
                self.state[source], self.state[target] = "lent", "owned" if self.lines[-2].endswith(f"= {source};") else "lent"

    def grow(self) -> None:
        """More room."""
        name = self.one(self.names("owned", written=TEXT))
        other = self.one([n for n in self.names("unset", "null", "gone", "lent", written=TEXT) if n not in (name, "t")])
        if not name:
            return
        if other and self.random.random() < 0.5:
            self.line(f"{other} = realloc({name}, 64);")
            self.block(f"if ({other} == NULL) {{", self.bail)
            self.line(f"{name} = {other};")
            self.line(f"{other} = NULL;")
            self.state[other] = "null"
        elif self.random.random() < 0.4:
            self.line(f"{name} = realloc({name}, 64);")
            self.block(f"if ({name} == NULL) {{", self.without(name))
            self.state[name] = "owned"
        else:
            self.line(f"{name} = grown({name});")
            self.block(f"if ({name} == NULL) {{", self.without(name))

    def without(self, name: str) -> Maker:
        """A way out on which a name holds nothing."""
        def inside() -> None:
            before, self.state[name] = self.state[name], "null"
            self.bail()
            self.state[name] = before

        return inside

    def pass_on(self) -> None:
        """Somebody else gets what is owned."""
        chance = self.random
        name = self.one(self.names("owned", "maybe"))
        if not name:
            return
        done = "gone"
        match self.types[name]:
            case "char *":
                done = self.pass_text(name)
            case "struct item *":
                match chance.choice(("keep", "maybe", "name", "chain")):
                    case "keep":
                        self.line(f"if ({name} != NULL)")
                        self.line(f"    keep_item({name});")
                    case "maybe":
                        call = f"keep_maybe({name}, {chance.choice(INPUTS)})"
                        if chance.random() < 0.6:
                            self.block(f"if ({call} < 0) {{", self.bail)
                        else:
                            self.line(f"if ({call} < 0)")
                            self.line(f"    item_free({name});")
                    case "name":
                        text = self.one(self.names("owned", written=TEXT))
                        if not text:
                            return
                        self.line(f"if ({name} != NULL) {{")
                        self.line(f"    free({name}->name);")
                        self.line(f"    {name}->name = {text};")
                        self.line(f"    {text} = NULL;")
                        self.line("}")
                        self.state[text] = "maybe"
                        return
                    case _:
                        other = self.one([n for n in self.names("owned", written=ITEM) if n != name])
                        if not other:
                            return
                        self.line(f"if ({name} != NULL && {name}->next == NULL)")
                        self.line(f"    {name}->next = {other};")
                        self.state[other] = "lent"
                        return
            case _:
                text = self.one(self.names("owned", written=TEXT))
                if text:
                    self.line(f"if ({name} != NULL)")
                    self.line(f"    box_take({name}, {text});")
                    self.state[text] = "gone"
                    if self.has_label:
                        self.line(f"{text} = NULL;")
                        self.state[text] = "null"
                return
        self.state[name] = done
        if self.has_label:
            self.line(f"{name} = NULL;")
            self.state[name] = "null"

    def pass_text(self, name: str) -> str:
        """The same for a text; says what the variable holds then."""
        chance = self.random
        kinds = ["slot", "table", "table"] + (["box"] if self.box else []) + (["out"] if self.kind == "out" else [])
        match chance.choice(kinds):
            case "slot":
                self.line(f"put_slot({name});")
            case "table":
                call = f"put_table({chance.choice(('a', 'b', 'c', 'i'))}, {name})"
                if chance.random() < 0.7:
                    self.line(f"if (!{call})")
                    self.line(f"    free({name});")
                else:
                    self.block(f"if (!{call}) {{", self.bail)
            case "box":
                self.line(f"box_take(&box, {name});")
            case _:
                self.line("free(*out);")
                self.line(f"*out = {name};")
        return "lent" if chance.random() < 0.3 else "gone"

    def in_box(self) -> None:
        """Something happens to the box on the stack."""
        chance = self.random
        call = chance.choice(('box_set(&box, "set")', 'box_add(&box, "add")'))
        if chance.random() < 0.6:
            self.block(f"if ({call} < 0) {{", self.bail)
        else:
            self.line(f"{call};")
        if chance.random() < 0.3:
            self.line("sum += box.size + look(box.first);")
        if chance.random() < 0.2:
            self.line("box_clear(&box);")

    # --- compound ones

    def choice(self) -> None:
        """`if`, with or without `else`."""
        before = dict(self.state)
        self.head_of_choice()
        self.depth += 1
        self.some()
        self.depth -= 1
        there = self.state
        if self.splits is not None and self.splits.random() < 0.2:
            self.state = dict(before)
            self.lines.append("#ifdef WIDE")
            self.block(f"}} else if ({self.condition()}) {{", self.some, tail="")
            self.lines.append("#endif")
            there = {name: joined(here, there[name]) for name, here in self.state.items()}
        self.state = dict(before)
        if self.random.random() < 0.45:
            self.block("} else {", self.some)
        else:
            self.line("}")
        self.state = {name: joined(here, there[name]) for name, here in self.state.items()}

    def head_of_choice(self) -> None:
        """The head of an `if`, which conditions of the preprocessor may split."""
        asked = self.condition()
        for words in split_head(self.splits, asked, self.condition) if self.splits is not None else [f"if ({asked}) {{"]:
            self.lines.append(words if words.startswith("#") else "    " * self.depth + words)

    def some(self) -> None:
        """One to three statements."""
        start = len(self.lines)
        for _ in range(self.random.randint(1, 3)):
            self.statement()
        if len(self.lines) == start:
            self.line("sum++;")

    def loop(self) -> None:
        """A loop of up to two turns."""
        chance = self.random
        if self.nested > 1:
            return
        counter = "ij"[self.nested]
        before = dict(self.state)
        bound = chance.choice(INPUTS)
        head = chance.choice((f"for ({counter} = 0; {counter} < {bound}; {counter}++) {{", f"while ({counter} < {bound}) {{", "do {"))
        self.loops += 1
        self.nested += 1

        def inside() -> None:
            self.some()
            for name in self.names("owned"):
                if before[name] not in ("owned", "maybe") and chance.random() < 0.6:
                    self.line(f"{RELEASE[self.types[name]]}({name});")
                    self.line(f"{name} = NULL;")
                    self.state[name] = "null"
            if not head.startswith("for"):
                self.line(f"{counter}++;")

        self.block(head, inside, tail=f"}} while ({counter} < {bound});" if head == "do {" else "}")
        self.loops -= 1
        self.nested -= 1
        self.state = {name: joined(here, before[name]) for name, here in self.state.items()}

    def switch(self) -> None:
        """Three ways."""
        before, found = dict(self.state), []
        loops, self.loops = self.loops, 0
        self.line(f"switch ({self.random.choice(INPUTS)}) {{")
        for label in ("case 0:", "case 1:", "default:"):
            self.state = dict(before)
            self.line(label)
            self.depth += 1
            self.some()
            self.line("break;")
            self.depth -= 1
            found.append(self.state)
        self.line("}")
        self.loops = loops
        self.state = {name: joined(*(each[name] for each in found)) for name in before}

    def ending(self) -> None:
        """The end of the function: what is left goes, mostly."""
        chance = self.random
        wanted = {"text": TEXT, "item": ITEM}.get(self.kind)
        given = self.one(self.names("owned", "maybe", "null", written=wanted)) if wanted else ""
        if self.kind == "out" and (name := self.one(self.names("owned", written=TEXT))):
            self.line("free(*out);")
            self.line(f"*out = {name};")
            self.line(f"{name} = NULL;")
            self.state[name] = "null"
        if self.contract == "take":
            self.line("put_slot(t);")
        self.line("result = 0;" if self.contract == "take" else "result = sum;")
        if self.has_label:
            if chance.random() < 0.5 and given:
                self.line(f"/* `{given}` goes to the caller */")
            self.line("out:")
        left = [n for n in self.state if n != given and (n != "t" or self.contract == "consume") and (self.state[n] in ("owned", "maybe") or (self.has_label and self.state[n] != "unset"))]
        for name in left:
            if chance.random() < 0.75:
                self.line(f"{RELEASE[self.types[name]]}({name});")
        if self.box and chance.random() < 0.8:
            self.line("box_clear(&box);")
        self.line(f"return {given or 'NULL'};" if wanted else "return result;")


def joined(*states: str) -> str:
    """What is known where ways meet: the first of these that one of them says."""
    if len(set(states)) == 1:
        return states[0]
    return next((each for each in ("unset", "gone", "lent") if each in states), "maybe")


def source(names: Sequence[str], seeds: Sequence[int], is_split: bool = False) -> tuple[str, list[Writer]]:
    """A file with one function per name, and their writers: `kind` and `contract` say how each is called, `called` which
    others it calls. With `is_split` conditions of the preprocessor (`WIDE`, `DEEP`) split some of their statements."""
    texts, writers = [HELPERS], list[Writer]()
    for name, seed in zip(names, seeds, strict=True):
        writer = Writer(name, seed, writers, is_split)
        texts.append(writer.text())
        writers.append(writer)
    return "\n".join(texts), writers
