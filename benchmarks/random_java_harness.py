"""What stands for files, sockets and databases where random Java methods are run, and what runs them."""

REPLACED = (
    "java.io.File", "java.io.FileInputStream", "java.io.FileOutputStream", "java.io.FileReader", "java.io.FileWriter", "java.net.Socket",
    "java.sql.Connection", "java.sql.DriverManager", "java.sql.PreparedStatement", "java.sql.ResultSet",
)
"""The classes for which the harness has its own."""

FAULTS = r'''package harness;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.Writer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Counts what is open, and makes one named step fail, and every close if asked. */
public final class Faults {
    static final List<int[]> OPEN = new ArrayList<>();
    static final Set<String> STEPS = new LinkedHashSet<>();
    static final Map<String, StringBuilder> FILES = new LinkedHashMap<>();
    static final Map<String, Integer> TIMES = new LinkedHashMap<>();
    static String failing = "";
    static boolean areClosesFailing;
    static String complaint = "";
    static boolean isReached;

    static void begin(String step, boolean closes) {
        OPEN.clear();
        STEPS.clear();
        TIMES.clear();
        FILES.clear();
        failing = step;
        areClosesFailing = closes;
        complaint = "";
        isReached = false;
    }

    public static void step(String what) throws IOException {
        String key = what + "#" + TIMES.merge(what, 1, Integer::sum);
        STEPS.add(key);
        if (key.equals(failing)) {
            isReached = true;
            throw new IOException("fault");
        }
    }

    static int[] opened(String path) throws IOException {
        step("open " + path);
        int[] state = {OPEN.size(), 0};
        OPEN.add(state);
        return state;
    }

    static void used(int[] state, String what) throws IOException {
        if (state[1] > 0) {
            complaint = "used after close";
            throw new IOException("closed");
        }
        step(what + " " + state[0]);
    }

    static void closed(int[] state) throws IOException {
        state[1]++;
        if (areClosesFailing && state[1] == 1) {
            throw new IOException("close");
        }
    }

    static int lost() {
        int count = 0;
        for (int[] each : OPEN) {
            count += each[1] == 0 ? 1 : 0;
        }
        return count;
    }

    static int twice() {
        int count = 0;
        for (int[] each : OPEN) {
            count += each[1] > 1 ? 1 : 0;
        }
        return count;
    }
}
'''

STANDING = {
    "File": r'''package harness;

public class File {
    private final String path;

    public File(String path) {
        this.path = path;
    }

    public String getName() {
        return path;
    }

    public long length() {
        return Faults.FILES.containsKey(path) ? Faults.FILES.get(path).length() : -1;
    }

    public boolean delete() {
        return Faults.FILES.remove(path) != null;
    }
}
''',
    "FileInputStream": r'''package harness;

public class FileInputStream extends java.io.InputStream {
    final int[] state;
    final String path;
    int at;

    public FileInputStream(String path) throws java.io.IOException {
        state = Faults.opened(path);
        this.path = Faults.FILES.containsKey(path) ? Faults.FILES.get(path).toString() : path;
    }

    public FileInputStream(File path) throws java.io.IOException {
        this(path.getName());
    }

    @Override
    public int read() throws java.io.IOException {
        Faults.used(state, "read");
        return at < path.length() ? path.charAt(at++) : -1;
    }

    @Override
    public int read(byte[] into, int from, int count) throws java.io.IOException {
        int got = read();
        if (got < 0) {
            return -1;
        }
        into[from] = (byte) got;
        return 1;
    }

    @Override
    public long skip(long count) throws java.io.IOException {
        Faults.used(state, "skip");
        return 0;
    }

    @Override
    public void close() throws java.io.IOException {
        Faults.closed(state);
    }
}
''',
    "FileOutputStream": r'''package harness;

public class FileOutputStream extends java.io.OutputStream {
    final int[] state;
    final StringBuilder written = new StringBuilder();

    public FileOutputStream(String path) throws java.io.IOException {
        state = Faults.opened(path);
        Faults.FILES.put(path, written);
    }

    @Override
    public void write(int value) throws java.io.IOException {
        Faults.used(state, "write");
        written.append((char) ('a' + (value & 15)));
    }

    @Override
    public void close() throws java.io.IOException {
        Faults.closed(state);
    }
}
''',
    "FileReader": r'''package harness;

public class FileReader extends java.io.InputStreamReader {
    public FileReader(String path) throws java.io.IOException {
        super(new FileInputStream(path));
    }
}
''',
    "FileWriter": r'''package harness;

public class FileWriter extends java.io.OutputStreamWriter {
    public FileWriter(String path) throws java.io.IOException {
        super(new FileOutputStream(path));
    }
}
''',
    "Socket": r'''package harness;

public class Socket implements java.io.Closeable {
    final int[] state;

    public Socket(String host, int port) throws java.io.IOException {
        state = Faults.opened(host);
    }

    public java.io.InputStream getInputStream() throws java.io.IOException {
        Faults.used(state, "in");
        return new java.io.InputStream() {
            int left = 5;

            @Override
            public int read() throws java.io.IOException {
                Faults.used(state, "receive");
                return left-- > 0 ? 'h' : -1;
            }

            @Override
            public int read(byte[] into, int from, int count) throws java.io.IOException {
                int got = read();
                into[from] = (byte) got;
                return got < 0 ? -1 : 1;
            }

            @Override
            public void close() throws java.io.IOException {
                Socket.this.close();
            }
        };
    }

    public java.io.OutputStream getOutputStream() throws java.io.IOException {
        Faults.used(state, "out");
        return new java.io.OutputStream() {
            @Override
            public void write(int value) throws java.io.IOException {
                Faults.used(state, "send");
            }

            @Override
            public void close() throws java.io.IOException {
                Socket.this.close();
            }
        };
    }

    @Override
    public void close() throws java.io.IOException {
        Faults.closed(state);
    }
}
''',
    "DriverManager": r'''package harness;

public class DriverManager {
    public static Connection getConnection(String url) throws java.sql.SQLException {
        return new Connection(url);
    }
}
''',
    "Asked": r'''package harness;

import java.sql.SQLException;

/** What a database gives: everything that was asked of it is closed with it. */
public class Asked implements AutoCloseable {
    final int[] state;
    final java.util.List<Asked> given = new java.util.ArrayList<>();

    Asked(String what, Asked from) throws SQLException {
        try {
            if (from != null) {
                Faults.used(from.state, "ask");
            }
            state = Faults.opened(what);
        } catch (java.io.IOException e) {
            throw new SQLException(e.getMessage());
        }
        if (from != null) {
            from.given.add(this);
        }
    }

    int used() throws SQLException {
        try {
            Faults.used(state, "get");
        } catch (java.io.IOException e) {
            throw new SQLException(e.getMessage());
        }
        return 3;
    }

    @Override
    public void close() throws SQLException {
        for (Asked each : given) {
            if (each.state[1] == 0) {
                each.close();
            }
        }
        try {
            Faults.closed(state);
        } catch (java.io.IOException e) {
            throw new SQLException(e.getMessage());
        }
    }
}
''',
    "Connection": r'''package harness;

public class Connection extends Asked {
    Connection(String url) throws java.sql.SQLException {
        super(url, null);
    }

    public PreparedStatement prepareStatement(String text) throws java.sql.SQLException {
        return new PreparedStatement(text, this);
    }

    public void commit() throws java.sql.SQLException {
        used();
    }
}
''',
    "PreparedStatement": r'''package harness;

public class PreparedStatement extends Asked {
    PreparedStatement(String text, Asked from) throws java.sql.SQLException {
        super(text, from);
    }

    public ResultSet executeQuery() throws java.sql.SQLException {
        return new ResultSet("rows", this);
    }

    public int executeUpdate() throws java.sql.SQLException {
        return used();
    }
}
''',
    "ResultSet": r'''package harness;

public class ResultSet extends Asked {
    int at;

    ResultSet(String text, Asked from) throws java.sql.SQLException {
        super(text, from);
    }

    public boolean next() throws java.sql.SQLException {
        used();
        return at++ < 2;
    }

    public int getInt(int column) throws java.sql.SQLException {
        return used() + column;
    }
}
''',
}

CALLER = r'''package generated;

import harness.Runs;

public class Calls {
    public static void main(String[] names) throws Exception {
        Runs.all(NAME.class, names, Calls::use);
    }

    private static String use(Object result) throws java.io.IOException {
        String said = "";
        if (result instanceof java.io.InputStream) {
            said = "in " + ((java.io.InputStream) result).read();
        } else if (result instanceof java.io.BufferedReader) {
            said = "reader " + ((java.io.BufferedReader) result).readLine();
        } else if (result instanceof Gate) {
            said = "gate " + ((Gate) result).read();
        } else {
            said = String.valueOf(result);
        }
        if (result instanceof java.io.Closeable) {
            ((java.io.Closeable) result).close();
        }
        return said;
    }

    static {
        Runs.after = () -> {
            String said = " " + Kept.sum;
            Kept.sum = 0;
            java.io.Closeable[] kept = {Kept.in, Kept.reader};
            Kept.in = null;
            Kept.reader = null;
            for (java.io.Closeable each : kept) {
                said += each == null ? " -" : " " + use(each);
            }
            return said;
        };
    }
}
'''

RUNS = r'''package harness;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/** Calls the methods with every input, and with every step failing in turn. */
public final class Runs {
    /** What is done with a result: it is used and closed. */
    public interface Use {
        String use(Object result) throws java.io.IOException;
    }

    public static Callable<String> after;

    public static void all(Class<?> where, String[] names, Use use) throws Exception {
        for (String name : names) {
            Method method = where.getDeclaredMethod(name, int.class, int.class, int.class);
            method.setAccessible(true);
            for (int input = 0; input < 28; input++) {
                List<String> steps = new ArrayList<>();
                for (boolean closes : new boolean[] {false, true}) {
                    one(method, input, "", closes, use);
                    if (!closes) {
                        steps.addAll(Faults.STEPS);
                    }
                    for (String step : steps) {
                        one(method, input, step, closes, use);
                    }
                }
            }
        }
    }

    private static void one(Method method, int input, String step, boolean closes, Use use) throws Exception {
        Faults.begin(step, closes);
        String said;
        try {
            Object result = method.invoke(null, input % 3 - 1 + input / 27, input / 3 % 3 - 1 + input / 27, input / 9 % 3 - 1 + input / 27);
            Faults.failing = "";
            Faults.areClosesFailing = false;
            said = "= " + use.use(result);
        } catch (InvocationTargetException e) {
            Throwable thrown = e.getCause();
            said = "! " + thrown.getClass().getSimpleName() + " " + ("fault".equals(thrown.getMessage()) || "no".equals(thrown.getMessage()) ? thrown.getMessage() : "");
            if (!(thrown instanceof RuntimeException) && "close".equals(thrown.getMessage())) {
                said = "! close";
            }
            if (thrown instanceof Error) {
                said = "! " + thrown;
            }
        } catch (java.io.IOException e) {
            said = "? " + e.getMessage();
        }
        Faults.failing = "";
        Faults.areClosesFailing = false;
        String rest;
        try {
            rest = after.call();
        } catch (java.io.IOException e) {
            rest = " ? " + e.getMessage();
        }
        System.out.println(String.join("\t", method.getName(), input + "/" + step + (closes ? "/closes" : ""), String.valueOf(Faults.lost()),
                String.valueOf(Faults.twice()), Faults.complaint.isEmpty() ? "-" : Faults.complaint, String.valueOf(Faults.isReached), said + rest));
    }
}
'''
