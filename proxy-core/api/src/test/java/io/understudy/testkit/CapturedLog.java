package io.understudy.testkit;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Captures what is logged while it is open. In these tests the logger writes to the standard error stream, as on the
 * command line; captured text is still written there. Tests of one JVM run one after another, so no other test writes
 * to the stream.
 */
public final class CapturedLog implements AutoCloseable {
    private final PrintStream before = System.err;
    private final ByteArrayOutputStream captured = new ByteArrayOutputStream();

    public CapturedLog() {
        System.setErr(new PrintStream(
                new OutputStream() {
                    @Override
                    public void write(int b) {
                        captured.write(b);
                        before.write(b);
                    }

                    @Override
                    public void write(byte[] bytes, int offset, int length) {
                        captured.write(bytes, offset, length);
                        before.write(bytes, offset, length);
                    }
                },
                true,
                StandardCharsets.UTF_8));
    }

    /** Returns all lines so far. */
    public String text() {
        return captured.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        System.setErr(before);
    }
}
