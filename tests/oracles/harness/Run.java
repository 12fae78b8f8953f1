package harness;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Comparator;

/** Runs every public static method of some classes once for each step that can fail, and prints what went wrong. */
public final class Run {
    private Run() {
    }

    public static void main(String[] names) throws Exception {
        for (String name : names) {
            Method[] methods = Class.forName(name).getDeclaredMethods();
            Arrays.sort(methods, Comparator.comparing(Method::getName));
            for (Method method : methods) {
                if (Modifier.isStatic(method.getModifiers()) && Modifier.isPublic(method.getModifiers())
                        && !java.io.Closeable.class.isAssignableFrom(method.getReturnType())) {
                    examine(name, method);
                }
            }
        }
    }

    private static void examine(String name, Method method) throws Exception {
        attempt(name, method, 0);
        for (int step = 1; attempt(name, method, step); step++) {
            // until the method ends before the step that would fail
        }
    }

    private static boolean attempt(String name, Method method, int step) throws Exception {
        Faults.begin(step);
        Throwable outcome = null;
        try {
            method.invoke(null, arguments(method));
        } catch (InvocationTargetException e) {
            outcome = e.getCause();
        }
        String verdict = Faults.verdict(outcome);
        if (verdict != null) {
            System.err.println(name + "." + method.getName() + " step " + step + ": " + verdict);
        }
        return Faults.reached();
    }

    private static Object[] arguments(Method method) {
        return Arrays.stream(method.getParameterTypes()).map(type -> {
            if (type == String.class) {
                return (Object) "a";
            }
            if (type == String[].class) {
                return new String[] {"a", "b"};
            }
            return Boolean.FALSE;
        }).toArray();
    }
}
