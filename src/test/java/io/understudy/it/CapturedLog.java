package io.understudy.it;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * What is logged while it is open. The logger of these tests, as of the command line, writes to the standard error
 * stream; what is captured still goes there. Tests in one JVM run one after another, so the stream is this test's
 * alone.
 */
final class CapturedLog implements AutoCloseable {
    private final PrintStream before = System.err;
    private final ByteArrayOutputStream captured = new ByteArrayOutputStream();

    CapturedLog() {
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

    /** All lines so far. */
    String text() {
        return captured.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        System.setErr(before);
    }
}
