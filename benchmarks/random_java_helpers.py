"""What the random Java methods of `benchmarks.random_java` call."""

HELPERS = r'''package generated;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.FileReader;
import java.io.FileWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.PushbackInputStream;
import java.net.Socket;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

class Kept {
    static InputStream in;
    static BufferedReader reader;
    static int sum;
}

interface Asked {
    int ask() throws IOException;
}

class Gate implements Closeable {
    private final InputStream in;

    Gate(String path) throws IOException {
        this(new FileInputStream(path));
    }

    Gate(InputStream in) {
        this.in = in;
    }

    static Gate of(int a) throws IOException {
        return new Gate(a > 1 ? "large" : "small");
    }

    int read() throws IOException {
        return in.read();
    }

    void poke() throws IOException {
        in.skip(1);
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}

class Bag implements Closeable {
    private final List<InputStream> all = new ArrayList<>();

    void add(InputStream in) {
        all.add(in);
    }

    int size() {
        return all.size();
    }

    @Override
    public void close() throws IOException {
        for (InputStream each : all) {
            NAME.closeIt(each);
        }
        all.clear();
    }
}

public class NAME {
    static int worth(String text) {
        return text == null ? -7 : text.length();
    }

    static void log(Exception e) {
        Kept.sum += worth(e.getMessage());
    }

    static void check(int a) throws IOException {
        /* step */
        if (a == 77) {
            throw new IOException("77");
        }
    }

    static int run(Asked asked) throws IOException {
        return asked.ask();
    }

    static InputStream open(int a) throws IOException {
        if (a > 1) {
            return null;
        }
        return new FileInputStream("opened");
    }

    static BufferedReader lines(String path) throws IOException {
        return new BufferedReader(new InputStreamReader(new FileInputStream(path)));
    }

    static InputStream same(InputStream in) {
        return in;
    }

    static InputStream wrapped(InputStream in) {
        return new BufferedInputStream(in);
    }

    static int look(InputStream in) throws IOException {
        return in == null ? -3 : in.read();
    }

    static int stored(String path) {
        return (int) new File(path).length();
    }

    static int consume(InputStream in) throws IOException {
        try {
            return in.read();
        } finally {
            in.close();
        }
    }

    static void ask(int a) throws SQLException {
        if (a == 78) {
            throw new SQLException("78");
        }
    }

    static void closeIt(AutoCloseable each) {
        if (each != null) {
            try {
                each.close();
            } catch (Exception e) {
                log(e);
            }
        }
    }

    static void keep(InputStream in) {
        closeIt(Kept.in);
        Kept.in = in;
    }

    static boolean keepMaybe(InputStream in, int a) {
        if (a > 0 && Kept.in == null) {
            Kept.in = in;
            return true;
        }
        return false;
    }

    // METHODS
}
'''
