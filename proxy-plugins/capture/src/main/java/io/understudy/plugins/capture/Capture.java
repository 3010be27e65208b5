package io.understudy.plugins.capture;

import io.understudy.sql.Literals;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One capture, from start to stop. Sessions offer commands and never wait; a thread of its own writes them within half
 * a second. If more waits than the queue may hold, or the disk fails, the capture ends.
 */
final class Capture {
    private static final Logger log = LoggerFactory.getLogger(Capture.class);
    private static final int CHUNK = 1024;
    /** A frame's size before compression. */
    private static final int FRAME = 256 * 1024;

    private static final long FLUSH_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long SPACE_NANOS = TimeUnit.SECONDS.toNanos(1);
    static final String REQUESTED = "asked to";

    private final CaptureConfig config;
    private final CaptureMeters meters;
    private final @Nullable Duration time;
    private final CaptureFiles files;
    private final RecordWriter records;
    private final Instant start;
    private final MpscUnboundedArrayQueue<CapturedCommand> queue = new MpscUnboundedArrayQueue<>(CHUNK);
    private final AtomicLong waiting = new AtomicLong();
    private final AtomicReference<@Nullable String> stopped = new AtomicReference<>();
    private final Thread thread = new Thread(this::run, "capture");
    private final AtomicLong statementCount = new AtomicLong();
    private volatile long bytes;
    private volatile int fileCount;
    private volatile boolean over;

    /** @param time after which it ends by itself; null for no end */
    Capture(CaptureConfig config, CaptureMeters meters, Clock clock, @Nullable Duration time) throws IOException {
        this(config, meters, clock, time, new CaptureFiles(config, clock.instant()));
    }

    Capture(CaptureConfig config, CaptureMeters meters, Clock clock, @Nullable Duration time, CaptureFiles files)
            throws IOException {
        this.config = config;
        this.time = time;
        this.meters = meters;
        this.files = files;
        start = clock.instant();
        records = new RecordWriter(start, System.nanoTime());
        if (files.isFull()) {
            throw new IOException(full());
        }
        thread.setDaemon(true);
        thread.start();
    }

    private String full() {
        return "less than minFree, " + config.minFree() + ", is left on the file system of " + config.directory();
    }

    Literals literals() {
        return config.literals();
    }

    Results results() {
        return config.results();
    }

    CaptureMeters meters() {
        return meters;
    }

    boolean isActive() {
        return stopped.get() == null;
    }

    /** Called by any session's event loop. */
    void offer(CapturedCommand command) {
        if (stopped.get() != null) {
            return;
        }
        if (waiting.addAndGet(command.size()) > config.queue().bytes()) {
            stop("the disk is slower than the traffic: " + config.queue() + " waited to be written");
            return;
        }
        queue.offer(command);
    }

    /** Ends the capture; what was offered is written. The first reason counts. Thread-safe. */
    void stop(String reason) {
        if (stopped.compareAndSet(null, reason)) {
            LockSupport.unpark(thread);
            if (reason.equals(REQUESTED)) {
                log.info("the capture in {} ends", config.directory());
            } else {
                log.warn("the capture in {} ends: {}", config.directory(), reason);
            }
        }
    }

    /** Ends the capture, and replaces the reason of an end that was asked for: what waited then is lost. */
    private void fail(String reason) {
        stopped.set(reason);
        log.warn("the capture in {} ends: {}", config.directory(), reason);
    }

    /** Waits until everything is written, at most that long. */
    void await(long millis) throws InterruptedException {
        thread.join(millis);
    }

    private void run() {
        long begun = 0;
        long started = System.nanoTime();
        long checked = started;
        long statements = 0;
        try {
            while (true) {
                boolean ends = stopped.get() != null;
                CapturedCommand next = queue.poll();
                if (next != null) {
                    waiting.addAndGet(-next.size());
                    begun = records.length() == 0 ? System.nanoTime() : begun;
                    records.write(next);
                    statements += next.isStatement() ? 1 : 0;
                }
                boolean due = records.length() > 0 && (next == null && ends || System.nanoTime() - begun > FLUSH_NANOS);
                if (due || records.length() >= FRAME) {
                    files.write(records.bytes(), records.length());
                    records.clear();
                    written(statements);
                    statements = 0;
                }
                if (next == null) {
                    if (ends) {
                        break;
                    }
                    LockSupport.parkNanos(IDLE_NANOS);
                }
                long now = System.nanoTime();
                if (time != null && now - started >= time.toNanos()) {
                    stop(REQUESTED);
                }
                if (now - checked > SPACE_NANOS) {
                    checked = now;
                    if (files.isFull()) {
                        stop(full());
                    }
                }
            }
            files.close();
            bytes = files.bytes();
        } catch (Throwable e) {
            // An Error too, such as that of a native library: a capture without its thread must not seem to run.
            fail("writing failed: "
                    + (e instanceof IOException && !(e instanceof FileSystemException) ? e.getMessage() : e));
            meters.dropped(statements);
            abandon();
        } finally {
            over = true;
        }
    }

    private void written(long count) {
        meters.captured(count);
        statementCount.addAndGet(count);
        bytes = files.bytes();
        fileCount = files.files();
    }

    private void abandon() {
        for (CapturedCommand left = queue.poll(); left != null; left = queue.poll()) {
            meters.dropped(left.isStatement() ? 1 : 0);
        }
        try {
            files.close();
        } catch (IOException e) {
            log.debug("the last file of the capture has no table", e);
        }
    }

    /** Returns the state for {@code /api/capture}. */
    Map<String, Object> view() {
        Map<String, Object> view = new LinkedHashMap<>();
        String reason = stopped.get();
        view.put("active", reason == null);
        view.put("writing", !over);
        view.put("directory", config.directory());
        view.put("literals", config.literals().name().toLowerCase(java.util.Locale.ROOT));
        view.put("results", config.results().name().toLowerCase(java.util.Locale.ROOT));
        view.put("encrypted", config.secret() != null);
        view.put("since", start.toString());
        view.put("statements", statementCount.get());
        view.put("bytes", bytes);
        view.put("files", fileCount);
        view.put("waitingBytes", waiting.get());
        if (reason != null) {
            view.put("stopped", reason);
        }
        return view;
    }
}
