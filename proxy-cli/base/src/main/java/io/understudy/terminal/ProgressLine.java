package io.understudy.terminal;

import java.io.PrintWriter;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;

/**
 * Shows the progress of a long command: one line that is written over each second on a terminal, a line every ten
 * seconds elsewhere. A thread of its own writes it, from {@link #begin} to {@link #close}.
 */
public final class ProgressLine implements AutoCloseable {
    private static final int LINES_SECONDS = 10;

    private final CountDownLatch over = new CountDownLatch(1);

    private ProgressLine() {}

    /**
     * Begins to report.
     *
     * @param line the text, from the seconds since the start; called on the reporting thread
     */
    public static ProgressLine begin(PrintWriter err, LongFunction<String> line) {
        ProgressLine progress = new ProgressLine();
        Thread thread = new Thread(() -> progress.run(err, Terminal.attached(), line), "progress");
        thread.setDaemon(true);
        thread.start();
        return progress;
    }

    private void run(PrintWriter err, boolean terminal, LongFunction<String> line) {
        try {
            for (long second = 1; !over.await(1, TimeUnit.SECONDS); second++) {
                if (terminal) {
                    err.print("\r" + line.apply(second) + "  ");
                    err.flush();
                } else if (second % LINES_SECONDS == 0) {
                    err.println("understudy: " + line.apply(second));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the reports; one that is being written ends by itself. */
    @Override
    public void close() {
        over.countDown();
    }
}
