package harness;

import java.io.IOException;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.Map;

/** Counts what is opened and closed, and makes one chosen step fail. */
public final class Faults {
    /** What a failing step throws. */
    public static final class Injected extends IOException {
        Injected(int step) {
            super("step " + step);
        }
    }

    private static final Map<Object, Integer> CLOSED = new IdentityHashMap<>();
    private static int failing;
    private static int step;
    private static String complaint;
    private static Injected thrown;

    private Faults() {
    }

    /** Begin a run in which step number `number` fails (from 1; 0: none does). */
    public static void begin(int number) {
        CLOSED.clear();
        failing = number;
        step = 0;
        complaint = null;
        thrown = null;
    }

    /** One call that may fail. */
    public static void step() throws IOException {
        step++;
        if (step == failing) {
            thrown = new Injected(step);
            throw thrown;
        }
    }

    /** A resource is open from now on. */
    public static void opened(Object resource) {
        CLOSED.put(resource, 0);
    }

    /** A resource is used. */
    public static void used(Object resource) throws IOException {
        if (CLOSED.getOrDefault(resource, 0) > 0) {
            complaint = "used after close";
        }
        step();
    }

    /** A resource is closed; that counts even where closing fails. */
    public static void closed(Object resource) throws IOException {
        CLOSED.merge(resource, 1, Integer::sum);
        step();
    }

    /** Whether the failing step was reached. */
    public static boolean reached() {
        return thrown != null;
    }

    /** What was wrong with the run, given what came out of it; null for nothing. */
    public static String verdict(Throwable outcome) {
        if (complaint != null) {
            return complaint;
        }
        for (int times : CLOSED.values()) {
            if (times != 1) {
                return "closed " + times + " times";
            }
        }
        if (outcome != null && thrown != null && outcome != thrown && !Arrays.asList(outcome.getSuppressed()).contains(thrown)) {
            return "masked by " + outcome;
        }
        return null;
    }
}
