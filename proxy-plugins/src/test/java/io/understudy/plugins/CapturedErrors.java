package io.understudy.plugins;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Captures log output while it is open: the tests' logger writes to the standard error stream. */
public final class CapturedErrors implements AutoCloseable {
    private final PrintStream before = System.err;
    private final ByteArrayOutputStream captured = new ByteArrayOutputStream();

    public CapturedErrors() {
        System.setErr(new PrintStream(captured, true, StandardCharsets.UTF_8));
    }

    /** Returns all lines so far. */
    public String text() {
        return captured.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        System.setErr(before);
        before.print(text());
    }
}
