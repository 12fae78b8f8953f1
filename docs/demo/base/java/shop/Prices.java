package shop;

import java.io.BufferedReader;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileReader;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;

/** Reads what things cost. */
class Prices {
    private final Map<String, Integer> cents = new HashMap<>();

    /** One `name=cents` a line. */
    void load(File file) throws IOException {
        Properties read = new Properties();
        try (InputStream in = new FileInputStream(file)) {
            read.load(in);
        }
        for (String name : read.stringPropertyNames()) {
            cents.put(name, Integer.valueOf(read.getProperty(name)));
        }
    }

    /** The first line of a price list says who made it. */
    String author(File file) throws IOException {
        BufferedReader reader = new BufferedReader(new FileReader(file));
        String line = reader.readLine();
        return line == null ? "" : line.trim();
    }

    /** The price of a thing, 0 for what is not sold. */
    int of(String name) {
        return cents.getOrDefault(name, 0);
    }
}
