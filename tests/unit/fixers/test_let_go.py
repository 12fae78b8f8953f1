"""What is kept for nobody is let go of by one field, one registration or one bound: or there is a reason why not."""

from __future__ import annotations

import pytest

from analyzers import MemoryTree, Program, analyze, load, specs
from analyzers.rules import RETAINED_BY_LOOP
from fixers import Applicability, Declined, Fix, fix
from fixers.edits import apply


def program(source: str) -> Program:
    return load(MemoryTree({"A.java": source.encode()}), specs.load(("java",)))


def answer(source: str) -> Fix | Declined:
    """The answer to the one finding; a patched text has none."""
    subject = program(source)
    [found] = [each for each in analyze(subject).findings if each.rule == RETAINED_BY_LOOP.id]
    given = fix(found, subject)
    if isinstance(given, Fix):
        assert given.applicability is Applicability.UNSAFE
        after = apply(source.encode(), given.edits).decode()
        assert not [each for each in analyze(program(after)).findings if each.rule == RETAINED_BY_LOOP.id]
    return given


def patched(source: str) -> str:
    given = answer(source)
    assert isinstance(given, Fix)
    return apply(source.encode(), given.edits).decode()


def reason(source: str) -> str:
    given = answer(source)
    assert isinstance(given, Declined)
    return given.reason


STATIC = """\
class Entry {
    Entry(Object owner) {
        owner.hashCode();
    }
}
class Words {
    static MODIFIERS last;
    Entry find() {
        Entry found = last;
        TEST
            last = new Entry(this);
        }
        return last;
    }
    void stop() {
        BODY
    }
}
"""


def static(modifiers: str = "Entry", test: str = "if (found == null) {", body: str = 'System.out.println("over");') -> str:
    return STATIC.replace("MODIFIERS", modifiers).replace("TEST", test).replace("BODY", body)


def test_a_static_is_emptied_where_its_object_ends() -> None:
    assert "    void stop() {\n        last = null;\n" in patched(static())


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (static(test="synchronized (Words.class) {"), "`find` does not expect `last` to be empty"),
        (static(body="System.out.println(last == null);"), "the object still asks for it while it ends"),
    ],
)
def test_a_static_stays_where_somebody_counts_on_it(source: str, why: str) -> None:
    assert reason(source) == why


FINALISED = """\
class Pages {
    void release() THROWS {
    }
}
class Results {
    MODIFIERS Pages pages = new Pages();
    void close() {
        System.out.println("closed");
    }
    protected void finalize() throws Throwable {
        TEST pages.release();
    }
}
"""


def finalised(throws: str = "", modifiers: str = "private", test: str = "if (pages != null)") -> str:
    return FINALISED.replace("THROWS", throws).replace("MODIFIERS", modifiers).replace("TEST", test)


def test_what_the_finaliser_gives_back_is_given_back_at_the_end() -> None:
    assert "if (pages != null) {\n            pages.release();\n            pages = null;\n        }\n" in patched(finalised())


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (finalised(throws="throws java.io.IOException"), "`release` may throw what `pages`'s owner does not when it ends"),
        (finalised(modifiers="private final"), "the field cannot be emptied"),
        (finalised(test=""), "the finaliser does not expect it to be empty"),
    ],
)
def test_what_the_finaliser_gives_back_stays(source: str, why: str) -> None:
    assert reason(source) == why


THREAD = """\
class Worker extends Thread {
    MODIFIERS byte[] beginning;
    int length;
    Worker(byte[] beginning) {
        this.beginning = beginning;
    }
    public void run() {
        FIRST
        while (true) {
            THEN
        }
    }
    REST
}
class Starter {
    public static void main(String[] arguments) {
        for (String each : arguments) {
            byte[][] made = new byte[1][];
            made[0] = new byte[10];
            Worker worker = new Worker(made[0]);
            worker.start();
        }
    }
}
"""


def thread(
    first: str = "length = beginning.length;", then: str = "Thread.yield();", modifiers: str = "private final", rest: str = ""
) -> str:
    return THREAD.replace("MODIFIERS", modifiers).replace("FIRST", first).replace("THEN", then).replace("REST", rest)


def test_a_thread_lets_go_before_its_loop() -> None:
    after = patched(thread())
    assert "private byte[] beginning;" in after
    assert "length = beginning.length;\n        beginning = null;\n        while" in after


def test_a_field_that_a_thread_never_reads_goes() -> None:
    assert "beginning;" not in patched(thread(first="length = 1;"))


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (thread(then="length += beginning.length;"), "the thread needs it for as long as it runs"),
        (thread(first="byte[] own = beginning;", then="length += own.length;"), "a variable of the thread holds it, too"),
        (thread(modifiers="final"), "who else reads the field is not known"),
        (
            thread(rest="int size() { return beginning.length; }"),
            "the thread reads it elsewhere, too: who should end the thread, and when, is not known",
        ),
    ],
)
def test_a_thread_keeps_what_it_needs(source: str, why: str) -> None:
    assert reason(source) == why


CACHE = """\
import java.util.HashMap;
import java.util.Map;
class Plan {
    Plan(Object of) {
        of.hashCode();
    }
}
class Query {
    private static final Map<Query, Plan> PLANS = new HashMap<>();
    Plan plan(Plan given) {
        BODY
    }
    REST
}
class Asking {
    static Plan ask() {
        return new Query().plan(null);
    }
}
"""
MEMO = """Plan plan = PLANS.get(this);
        if (plan == null) {
            plan = new Plan(this);
            PLANS.put(this, plan);
        }
        return plan;"""


def cache(body: str = MEMO, rest: str = "") -> str:
    return CACHE.replace("BODY", body).replace("REST", rest)


def test_a_cache_forgets_its_eldest_entries() -> None:
    after = patched(cache())
    assert "new LinkedHashMap<Query, Plan>() {" in after and "return size() > 1000;" in after
    assert "import java.util.LinkedHashMap;\nimport java.util.Map;" in after.replace("import java.util.HashMap;\n", "")


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (
            cache(body="given = new Plan(this);\n        PLANS.put(this, given);\n        return PLANS.get(this);"),
            "what it holds is handed to it, and cannot be made again",
        ),
        (cache(rest="Plan known() { return PLANS.get(this); }"), "who asks it does not make what is missing"),
        (cache(rest="int count() { return PLANS.values().size(); }"), "its other calls are not those of a cache"),
    ],
)
def test_a_map_that_is_no_cache_has_no_bound(source: str, why: str) -> None:
    assert reason(source) == why


LISTENER = """\
interface ChangeListener {
    void changed();
}
class Model {
    void addChangeListener(ChangeListener listener) {
        listener.changed();
    }
    void removeChangeListener(ChangeListener listener) THROWS {
        listener.changed();
    }
}
class View implements ChangeListener {
    private final Model model;
    View(Model model) {
        this.model = model;
        model.addChangeListener(this);
    }
    public void changed() {
    }
    void close() {
        System.out.println("closed");
    }
}
class Panel implements ChangeListener {
    private final Model model;
    Panel(Model model) {
        this.model = model;
        model.addChangeListener(this);
    }
    public void changed() {
    }
    void close() throws java.io.IOException {
        model.removeChangeListener(this);
    }
}
class Opening {
    static void open(Model model) {
        new View(model);
    }
}
"""


def test_a_registration_is_taken_back() -> None:
    source = LISTENER.replace("THROWS", "")
    assert "    void close() {\n        model.removeChangeListener(this);\n        System.out" in patched(source)
    later = source.replace("private final Model model;", "private Model model;")
    assert "if (model != null) {\n            model.removeChangeListener(this);\n        }\n        System.out" in patched(later)


def test_all_registrations_of_an_object_are_taken_back() -> None:
    more = LISTENER.replace("THROWS", "").replace("this.model = model;", "this.model = model;\n        model.addEndListener(this);", 1)
    more = more.replace("class Model {", "class Model {\n    void addEndListener(ChangeListener each) {\n    }\n    void removeEndListener(ChangeListener each) {\n    }")
    assert "        model.removeEndListener(this);\n        model.removeChangeListener(this);\n        System.out" in patched(more)


def test_a_registration_whose_undoing_throws_stays() -> None:
    assert reason(LISTENER.replace("THROWS", "throws java.io.IOException")) == "`removeChangeListener` may throw what `close` does not"
