package harness;

import java.io.IOException;
import java.io.InputStream;

/** Stands for java.io's. */
public class FileInputStream extends InputStream {
    public FileInputStream(String path) throws IOException {
        Faults.step();
        Faults.opened(this);
    }

    @Override
    public int read() throws IOException {
        Faults.used(this);
        return 'x';
    }

    @Override
    public void close() throws IOException {
        Faults.closed(this);
    }
}
