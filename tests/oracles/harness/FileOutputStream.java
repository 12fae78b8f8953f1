package harness;

import java.io.IOException;
import java.io.OutputStream;

/** Stands for java.io's. */
public class FileOutputStream extends OutputStream {
    public FileOutputStream(String path) throws IOException {
        Faults.step();
        Faults.opened(this);
    }

    @Override
    public void write(int value) throws IOException {
        Faults.used(this);
    }

    @Override
    public void close() throws IOException {
        Faults.closed(this);
    }
}
