package io.understudy.rebuild;

import io.understudy.rebuild.Bounds.Load;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Writes the operator's output: lines with a timestamp and, on a terminal, a progress bar. */
public final class ProgressOutput {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss");
    private static final int WIDTH = 30;
    private static final double MIB = 1 << 20;
    private static final long PLAIN_EVERY = Duration.ofSeconds(10).toNanos();

    private final PrintWriter out;
    private final boolean terminal;
    private long lastPlain = System.nanoTime();
    private int shown;

    /** @param terminal whether the output is a terminal, where a line can be overwritten */
    public ProgressOutput(PrintWriter out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    /** Writes a line with a timestamp. Thread-safe. */
    public synchronized void line(String text) {
        clear();
        out.println(LocalTime.now(ZoneId.systemDefault()).format(TIME) + " " + text);
        out.flush();
    }

    /**
     * Shows the progress of a copy.
     *
     * @param copied bytes copied so far; -1 if the server does not report them
     * @param most the largest size that the copy can reach
     */
    synchronized void progress(String table, long copied, long most, Load load) {
        double share = copied < 0 || most <= 0 ? 0 : Math.min(1, (double) copied / most);
        String what = copied < 0
                ? "copying"
                // MySQL counts writes, and writes some pages of the copy more than once.
                : String.format(Locale.ROOT, "%,.1f of at most %,.1f MiB", Math.min(copied, most) / MIB, most / MIB);
        String state = String.format(Locale.ROOT, "lag %d s, %d threads", load.lagSeconds(), load.threadsRunning());
        if (terminal) {
            int done = (int) (share * WIDTH);
            String bar = "[" + "#".repeat(done) + ".".repeat(WIDTH - done) + "] " + table + ": " + what + ", " + state;
            clear();
            out.print(bar);
            out.flush();
            shown = bar.length();
        } else if (System.nanoTime() - lastPlain > PLAIN_EVERY) {
            lastPlain = System.nanoTime();
            line(table + ": " + what + ", " + state);
        }
    }

    private void clear() {
        if (shown > 0) {
            out.print("\r" + " ".repeat(shown) + "\r");
            shown = 0;
        }
    }
}
