package io.understudy.logging;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongFunction;

/**
 * Writes the log's lines on a thread of its own, so that an event loop never waits for whoever reads the standard error
 * stream. Up to {@link #MOST_CHARS} characters wait for the reader; later lines are lost, and counted in the line that
 * takes their place. Thread-safe.
 */
public final class LogWriter implements AutoCloseable {
    static final int MOST_CHARS = 1 << 20;

    /** Shorter than any service manager waits for the end of a process. */
    private static final long FLUSH_MILLIS = 2000;

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final LongFunction<String> lostLine;
    private final ThreadPoolExecutor thread;
    private final Thread hook = new Thread(this::flush, "log-flush");
    /** Characters that are not written yet; guarded by this, as the others. */
    private long waiting;
    /** Lines that are yet to be reported. */
    private long lost;

    private long allLost;

    /** @param lostLine returns the line that says how many lines were lost, with its end */
    LogWriter(LongFunction<String> lostLine) {
        this.lostLine = lostLine;
        thread = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
            Thread created = new Thread(task, "log-writer");
            created.setDaemon(true);
            return created;
        });
    }

    void start() {
        Runtime.getRuntime().addShutdownHook(hook);
        thread.prestartCoreThread();
    }

    /** Adds lines, with their ends, or counts them as lost. Never waits. */
    synchronized void add(CharSequence text, int count) {
        sayLost(); // if an error has kept it from being said
        // Once lines are lost all are, up to the line that says so: the log stays in order.
        if (lost > 0 || waiting + text.length() > MOST_CHARS) {
            lost += count;
            allLost += count;
        } else {
            put(text.toString(), count, 0);
        }
    }

    /** @param reported the lost lines that it tells of */
    private synchronized void put(String text, int count, long reported) {
        thread.execute(() -> write(text, count, reported));
        waiting += text.length();
    }

    /** Returns how many lines were lost since the start. */
    synchronized long lost() {
        return allLost;
    }

    synchronized boolean isIdle() {
        return waiting == 0 && lost == 0;
    }

    private void write(String text, int count, long reported) {
        boolean written = false;
        try {
            // Not kept: tests replace the stream. It throws nothing: a stream without a reader is no reason to stop.
            System.err.append(text);
            System.err.flush();
            written = true;
        } catch (RuntimeException | Error e) {
            // Such as a full heap, which may last.
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        ended(text, written ? 0 : count, written ? 0 : reported);
    }

    /**
     * Has the line that says how many were lost follow the last one that was not.
     *
     * @param failed lines that an error has lost
     * @param reported those of a line that said so, and is lost itself
     */
    private synchronized void ended(String text, int failed, long reported) {
        waiting -= text.length();
        lost += failed + reported;
        allLost += failed;
        sayLost();
        notifyAll();
    }

    private synchronized void sayLost() {
        if (lost == 0 || waiting > 0) {
            return;
        }
        try {
            put(lostLine.apply(lost), 0, lost);
            lost = 0;
        } catch (RuntimeException | Error e) {
            return; // as above: the next line, or the end, tries again
        }
    }

    /** Waits until all lines are written, for two seconds at most. */
    private synchronized void flush() {
        sayLost();
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
            thread.shutdown();
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException shutsDown) {
                // The hook finds nothing to do.
            }
        }
    }
}
