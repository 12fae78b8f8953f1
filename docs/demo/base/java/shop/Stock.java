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

    /** Writes one `name=number` a line. */
    void save(File file) throws IOException {
        OutputStream out = new FileOutputStream(file);
        for (Map.Entry<String, Integer> entry : pieces.entrySet()) {
            out.write(line(entry.getKey(), entry.getValue()));
        }
        out.close();
    }

    private static byte[] line(String name, int number) {
        return (name + "=" + number + "\n").getBytes(StandardCharsets.UTF_8);
    }
}
