package shop;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/** What is on the shelves. */
class Stock {
    private final Map<String, Integer> pieces = new TreeMap<>();

    void add(String name, int number) {
        pieces.merge(name, number, Integer::sum);
    }

    /** Writes one `name=number` a line, sold out things left out. */
    void save(File file) throws IOException {
        OutputStream out = new FileOutputStream(file);
        for (Map.Entry<String, Integer> entry : pieces.entrySet()) {
            if (entry.getValue() > 0) {
                out.write(line(entry.getKey(), entry.getValue()));
            }
        }
        out.close();
    }

    /** Writes what has to be ordered again, and says how many things that are. */
    int saveOrder(File file, int least) throws IOException {
        int missing = 0;
        OutputStream out = new FileOutputStream(file);
        for (Map.Entry<String, Integer> entry : pieces.entrySet()) {
            if (entry.getValue() < least) {
                out.write(line(entry.getKey(), least - entry.getValue()));
                missing++;
            }
        }
        return missing;
    }

    private static byte[] line(String name, int number) {
        return (name + "=" + number + "\n").getBytes(StandardCharsets.UTF_8);
    }
}
