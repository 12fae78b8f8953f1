"""What each rule says of itself: the one source of `docs/rules`, of SARIF's rule metadata, and of help texts."""

from __future__ import annotations

import msgspec

from analyzers.finding import Rule


class Example(msgspec.Struct, frozen=True):
    """The same few lines with the leak and without it."""

    language: str
    bad: str
    good: str


class RuleText(msgspec.Struct, frozen=True, kw_only=True):
    """A rule in words.

    what      what is wrong, one sentence
    why       what it costs the program that does it
    decides   how leakmend decides, and where it errs
    silence   how to tell leakmend that a place is fine
    """

    rule: Rule
    what: str
    why: str
    decides: str
    silence: str
    examples: tuple[Example, ...]


UNCLOSED_RESOURCE = Rule("unclosed-resource", 772, "Resource is not released on every path")
UNRELEASED_MEMORY = Rule("unreleased-memory", 401, "Memory is not released on every path")
UNRELEASED_LOCK = Rule("unreleased-lock", 667, "Lock is not released on every path")
CONTRADICTED_ANNOTATION = Rule("contradicted-annotation", 573, "Ownership annotation does not hold")
RETAINED_BY_LOOP = Rule("retained-by-loop", 401, "Object is kept by a loop that never reads it again")

_COMMENT = (
    "Write `// leakmend: ignore[{rule}] reason` on the line of the acquisition or above it; the reason is required. "
    "To live with a finding without touching the code: `leakmend ignore ID --reason …`."
)

RULES = (
    RuleText(
        rule=CONTRADICTED_ANNOTATION,
        what="An ownership annotation (`@Owning`, `@MustCallAlias`, `@EnsuresCalledMethods`, `@CreatesMustCallFor` and "
        "their kin) promises what the code, or another annotation, does not keep.",
        why=(
            "Callers rely on the annotation: who is told that a method closes its argument does not close it himself. "
            "A promise that is not kept hides a leak where nobody looks."
        ),
        decides=(
            "leakmend checks each annotation against the body that it stands on, and against the methods that it "
            "overrides. The finding's detail holds the key of the Resource Leak Checker (`mustcallalias.out.of.scope`, "
            "`missing.creates.mustcall.for`, `contracts.postcondition` …). Always *assumed*: the code may be right "
            "and the annotation too narrow. It errs where two conditions of the body correlate."
        ),
        silence=_COMMENT.format(rule="contradicted-annotation"),
        examples=(
            Example(
                "java",
                """\
@EnsuresCalledMethods(value = "#1", methods = "close")
static void finish(Socket socket) throws IOException {
    if (socket.isBound()) {
        socket.close();       // otherwise it stays open
    }
}
""",
                """\
@EnsuresCalledMethods(value = "#1", methods = "close")
static void finish(Socket socket) throws IOException {
    socket.close();
}
""",
            ),
        ),
    ),
    RuleText(
        rule=RETAINED_BY_LOOP,
        what="Each turn of a loop stores an object somewhere that outlives the turn, and no later turn reads it back.",
        why=(
            "The garbage collector cannot free what is still referenced. A server that keeps one small object per "
            "request runs out of memory after days, far from the line that did it."
        ),
        decides=(
            "leakmend picks loops that go on for long (those that wait for work, handlers that a framework calls again "
            "and again, and those named in `[java.loops]`), and follows each object made in a turn: where it is "
            "stored, and whether a later turn can load it from there. Stores without such a load are reported, with "
            "the field that keeps the object; so are fields that nobody reads, values that stay with threads, listeners "
            "that are never taken back, and threads without end that a loop starts. Structures that replace, remove, or "
            "bound their elements are no finding. It errs where the reader is reached only by reflection.\n\n"
            "To examine a loop or a region that is not picked, name it in `.leakmend.toml`: "
            "`[java.loops]` with `check = [\"com.acme.Server.serve\", \"com.acme.Plugin.run#loop1\"]` (all loops of a "
            "method, or its first) and `regions = [\"com.acme.Compare.run\"]` (a method that something outside calls again "
            "and again). A name that does not exist is an error that says the nearest."
        ),
        silence=_COMMENT.format(rule="retained-by-loop"),
        examples=(
            Example(
                "java",
                """\
while (true) {
    Order order = queue.take();
    ship(order);
    done.add(order);          // nobody ever reads `done`
}
""",
                """\
while (true) {
    Order order = queue.take();
    ship(order);
}
""",
            ),
        ),
    ),
    RuleText(
        rule=UNCLOSED_RESOURCE,
        what="Something that must be given back (a stream, a connection, a `FILE *`, a descriptor) is still open on "
        "some path when the last variable that names it goes away.",
        why=(
            "Descriptors and connections run out long before memory does, and no garbage collector closes them in "
            "time. The program works in every test and fails under load with «too many open files»."
        ),
        decides=(
            "leakmend follows every acquisition along the paths of the code, through calls, wrappers, exceptions and "
            "conditions, with the set of expressions that must still name the handle. When the set becomes empty "
            "before a release, the path is the report. It is *witnessed* when every step of that path was followed "
            "exactly, and *assumed* when something unknown took part: a callee without source, a limit of the "
            "analysis. Handing the resource to somebody who keeps it (a field, a collection, the caller) is no finding."
        ),
        silence=_COMMENT.format(rule="unclosed-resource")
        + " `@SuppressWarnings(\"resource\")` on the variable, method or class is honoured too, and so is a `NOLINT` "
        "that names a leak check.",
        examples=(
            Example(
                "java",
                """\
Properties load(File file) throws IOException {
    InputStream in = new FileInputStream(file);
    Properties properties = new Properties();
    properties.load(in);      // throws: `in` stays open
    in.close();
    return properties;
}
""",
                """\
Properties load(File file) throws IOException {
    try (InputStream in = new FileInputStream(file)) {
        Properties properties = new Properties();
        properties.load(in);
        return properties;
    }
}
""",
            ),
            Example(
                "c",
                """\
int first_byte(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return -1;
    int byte = fgetc(file);
    if (byte == EOF)
        return -1;            /* `file` stays open */
    fclose(file);
    return byte;
}
""",
                """\
int first_byte(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return -1;
    int byte = fgetc(file);
    fclose(file);
    return byte == EOF ? -1 : byte;
}
""",
            ),
        ),
    ),
    RuleText(
        rule=UNRELEASED_LOCK,
        what="A lock that a procedure takes and gives back is still held on some path when the procedure is left.",
        why=(
            "Whoever wants the lock next waits for ever. The path is mostly one that tests do not take: an early return, "
            "an input that is refused."
        ),
        decides=(
            "leakmend looks at procedures that take a lock and give the same one back: the place has to be named in a way that "
            "stays the same (`&queue->lock`, `this.lock`, `lock.readLock()`), and each lock of the procedure has to be both taken and "
            "given back there. A path on which it is not given back is the report, unless the procedure seems to take "
            "the lock for its callers: by its name, since it gives the lock back only where it fails or on a way that ends "
            "earlier, or since a caller or callee gives back what it has not taken. Exceptions of callees are not "
            "followed, only those that the procedure throws itself. It errs where somebody whose code is not there gives the lock back."
        ),
        silence=_COMMENT.format(rule="unreleased-lock"),
        examples=(
            Example(
                "c",
                """\
int take(struct queue *queue) {
    pthread_mutex_lock(&queue->lock);
    if (queue->length == 0)
        return -1;            /* still held */
    int first = queue->items[--queue->length];
    pthread_mutex_unlock(&queue->lock);
    return first;
}
""",
                """\
int take(struct queue *queue) {
    pthread_mutex_lock(&queue->lock);
    if (queue->length == 0) {
        pthread_mutex_unlock(&queue->lock);
        return -1;
    }
    int first = queue->items[--queue->length];
    pthread_mutex_unlock(&queue->lock);
    return first;
}
""",
            ),
            Example(
                "java",
                """\
static boolean add(Lock lock, Set<String> orders, String order) {
    lock.lock();
    if (orders.contains(order)) {
        return false;         // still held
    }
    orders.add(order);
    lock.unlock();
    return true;
}
""",
                """\
static boolean add(Lock lock, Set<String> orders, String order) {
    lock.lock();
    try {
        if (orders.contains(order)) {
            return false;
        }
        orders.add(order);
        return true;
    } finally {
        lock.unlock();
    }
}
""",
            ),
        ),
    ),
    RuleText(
        rule=UNRELEASED_MEMORY,
        what="A block of memory is still allocated on some path when the last pointer to it goes away.",
        why=(
            "Nobody can free it any more. In a long-running program each pass through that path makes the process "
            "grow, until it is killed."
        ),
        decides=(
            "leakmend finds the allocators of the code (`malloc` and its kin, wrappers around them, families such as "
            "`x_new` and `x_free`), and follows each block along the paths, through structs, out-parameters and calls. "
            "When no pointer is left before a release, the path is the report: *witnessed* when every step was "
            "followed exactly, *assumed* when a callee without source or a limit of the analysis took part. Blocks "
            "that are handed to a caller, a global, a container, or an arena are no finding; those still live when "
            "`main` returns are *assumed* and left out of reviews."
        ),
        silence=_COMMENT.format(rule="unreleased-memory") + " A `NOLINT` that names a leak check is honoured too.",
        examples=(
            Example(
                "c",
                """\
char *read_name(FILE *in) {
    char *name = malloc(64);
    if (name == NULL)
        return NULL;
    if (fread(name, 64, 1, in) != 1)
        return NULL;          /* `name` is lost */
    return name;
}
""",
                """\
char *read_name(FILE *in) {
    char *name = malloc(64);
    if (name == NULL)
        return NULL;
    if (fread(name, 64, 1, in) != 1) {
        free(name);
        return NULL;
    }
    return name;
}
""",
            ),
        ),
    ),
)
"""All rules, by id."""


def rule_text(rule_id: str) -> RuleText | None:
    """The text of a rule; None for an id that no rule has."""
    return next((text for text in RULES if text.rule.id == rule_id), None)
