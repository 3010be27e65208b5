package io.understudy.logging;

import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;

/**
 * Writes the log's lines on a thread of its own, so that an event loop never waits for whoever reads the standard error
 * stream. Up to {@link #MOST_CHARS} characters wait for the reader; later lines are lost, and counted in the line that
 * takes their place. Thread-safe.
 */
public final class LogWriter implements AutoCloseable {
    static final int MOST_CHARS = 1 << 20;
    private static final int SMALL = 8192;
    /** Shorter than any service manager waits for the end of a process. */
    private static final long FLUSH_MILLIS = 2000;

    private static final long PAUSE_MILLIS = 100;

    private final LongFunction<String> lostLine;
    private final Thread thread = new Thread(this::run, "log-writer");
    private final Thread hook = new Thread(this::flush, "log-flush");
    /** Guarded by this, as the others. */
    private StringBuilder waiting = new StringBuilder(SMALL);

    /** Lines in {@link #waiting}. */
    private long waitingLines;

    /** Lines that the thread has taken and not yet written, and the lost ones that it has yet to report. */
    private long held;

    private long heldLost;
    private long lost;
    private long allLost;
    private boolean writing;

    /** @param lostLine returns the line that says how many lines were lost, with its end */
    LogWriter(LongFunction<String> lostLine) {
        this.lostLine = lostLine;
        thread.setDaemon(true);
    }

    void start() {
        Runtime.getRuntime().addShutdownHook(hook);
        thread.start();
    }

    /** Adds lines, with their ends, or counts them as lost. Never waits. */
    synchronized void add(CharSequence text, int count) {
        // Once lines are lost all are, up to the line that says so: the log stays in order.
        if (lost > 0 || waiting.length() + text.length() > MOST_CHARS) {
            lost += count;
            allLost += count;
            return;
        }
        waiting.append(text);
        waitingLines += count;
        notifyAll();
    }

    /** Returns how many lines were lost since the start. */
    synchronized long lost() {
        return allLost;
    }

    synchronized boolean isIdle() {
        return waiting.length() == 0 && !writing && lost == 0;
    }

    private void run() {
        try {
            while (true) {
                try {
                    write(take());
                } catch (RuntimeException | Error e) {
                    // Such as a full heap. Without this thread nothing would be logged any more.
                    failed();
                }
            }
        } catch (InterruptedException closed) {
            // The lines are written.
        }
    }

    /** Counts the lines that the thread held as lost, and pauses, because the cause may last. */
    private synchronized void failed() throws InterruptedException {
        lost += held + heldLost;
        allLost += held;
        held = 0;
        heldLost = 0;
        wait(PAUSE_MILLIS);
    }

    private synchronized StringBuilder take() throws InterruptedException {
        writing = false;
        held = 0;
        heldLost = 0;
        notifyAll();
        while (waiting.length() == 0 && lost == 0) {
            wait();
        }
        StringBuilder taken = waiting;
        held = waitingLines;
        heldLost = lost;
        waitingLines = 0;
        waiting = new StringBuilder(SMALL);
        if (lost > 0) {
            taken.append(lostLine.apply(lost));
            lost = 0;
        }
        writing = true;
        return taken;
    }

    private static void write(CharSequence text) {
        // Not kept: tests replace the stream. It throws nothing: a stream without a reader is no reason to stop.
        System.err.append(text);
        System.err.flush();
    }

    /** Waits until all lines are written, for two seconds at most. */
    private synchronized void flush() {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(FLUSH_MILLIS);
        try {
            for (long left = FLUSH_MILLIS; left > 0 && !isIdle(); ) {
                wait(left);
                left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Writes the lines that wait, for two seconds at most. If that is enough, later lines are written directly. */
    @Override
    public void close() {
        flush();
        if (EventLog.writeDirectly(this)) {
            thread.interrupt();
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException shutsDown) {
                // The hook finds nothing to do.
            }
        }
    }
}
