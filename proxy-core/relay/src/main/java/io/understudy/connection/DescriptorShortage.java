package io.understudy.connection;

import com.sun.management.UnixOperatingSystemMXBean;
import io.netty.channel.unix.Errors;
import io.netty.util.concurrent.EventExecutor;
import java.io.Closeable;
import java.io.FileInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows whether the process is out of file descriptors. A shortage begins when the kernel refuses a descriptor and ends
 * when a probe gets enough of them. A few descriptors are held back for connections that only receive an error.
 * Thread-safe.
 */
public final class DescriptorShortage implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(DescriptorShortage.class);
    private static final int ENFILE = -23;
    private static final int EMFILE = -24;
    private static final String KERNELS_WORDS = "Too many open files";
    private static final long PROBE_MILLIS = 250;
    private static final long LOG_NANOS = TimeUnit.MINUTES.toNanos(1);
    /** A session's two, and one more. */
    private static final int ENOUGH = 3;
    /** More than one, because between {@link #lend} and the accept another thread may open a file or a socket. */
    private static final int HELD_BACK = 8;
    /** Connections to the primary and the standbys, name lookups, the admin endpoint's clients, files of a reload. */
    private static final int OWN_USE = 64;

    private final EventExecutor executor;
    private final Supplier<@Nullable Closeable> source;
    /** Guarded by this. */
    private final ArrayDeque<Closeable> heldBack = new ArrayDeque<>();
    /** Guarded by this. */
    private boolean closed;

    private volatile boolean isShort;
    /** Confined to the executor. */
    private long loggedNanos = System.nanoTime() - LOG_NANOS;

    private boolean logged;

    /** @param executor probes whether the shortage is over; must not be an event loop of sessions */
    public DescriptorShortage(EventExecutor executor) {
        this(executor, DescriptorShortage::devNull);
    }

    /** @param source opens a file descriptor, or returns null when the kernel refuses it */
    DescriptorShortage(EventExecutor executor, Supplier<@Nullable Closeable> source) {
        this.executor = executor;
        this.source = source;
        // Classes and jars that a shortage needs are loaded before there is one.
        enough();
        takeBack();
        ClassLoader.getSystemResource("understudy/opens/every/jar/of/the/class/path");
    }

    /** Returns whether {@code cause} is a file descriptor refused by the kernel. */
    public static boolean is(@Nullable Throwable cause) {
        for (Throwable at = cause; at != null; at = at.getCause()) {
            if (at instanceof Errors.NativeIoException failed
                    && (failed.expectedErr() == EMFILE || failed.expectedErr() == ENFILE)) {
                return true;
            }
            if (at instanceof IOException
                    && at.getMessage() != null
                    && at.getMessage().contains(KERNELS_WORDS)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the failure of a connection that is not tried: the last ones are reserved for responses to new clients.
     */
    static IOException refusal() {
        return new IOException("out of file descriptors (" + KERNELS_WORDS + ")");
    }

    private static @Nullable Closeable devNull() {
        try {
            return new FileInputStream("/dev/null");
        } catch (IOException e) {
            return null;
        }
    }

    /** Returns whether there is a shortage: no session gets a descriptor until it is over. */
    public boolean isShort() {
        return isShort;
    }

    /** Begins a shortage. Called when the kernel has refused a descriptor. */
    public void happened() {
        synchronized (this) {
            if (isShort || executor.isShuttingDown()) {
                return;
            }
            isShort = true;
        }
        executor.execute(this::begin);
    }

    /**
     * Closes a descriptor that is held back, so that the kernel can give it to a connection that only receives an
     * error.
     *
     * @return false if none is left
     */
    public boolean lend() {
        happened();
        Closeable one;
        synchronized (this) {
            one = heldBack.poll();
        }
        if (one == null) {
            return false;
        }
        close(one);
        return true;
    }

    /** Opens descriptors in place of those lent. Returns whether all could be opened. */
    public synchronized boolean takeBack() {
        while (!closed && heldBack.size() < HELD_BACK) {
            Closeable one = source.get();
            if (one == null) {
                return false;
            }
            heldBack.add(one);
        }
        return true;
    }

    @Override
    public synchronized void close() {
        closed = true;
        heldBack.forEach(DescriptorShortage::close);
        heldBack.clear();
    }

    /** Returns why the proxy is not ready for new clients, or null. */
    public @Nullable String problem() {
        return isShort
                ? "out of file descriptors" + limitText()
                        + "; raise its ulimit -n (systemd: LimitNOFILE) or lower listen.maxConnections"
                : null;
    }

    private void begin() {
        logged = System.nanoTime() - loggedNanos >= LOG_NANOS;
        if (logged) {
            loggedNanos = System.nanoTime();
            log.warn("{}. New clients get ERROR 1040 until some are free; told at most once a minute", problem());
        }
        executor.schedule(this::probe, PROBE_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void probe() {
        boolean over = false;
        try {
            over = takeBack() && enough();
        } finally {
            if (over) {
                isShort = false;
                if (logged) {
                    log.info("file descriptors are available again");
                }
            } else {
                executor.schedule(this::probe, PROBE_MILLIS, TimeUnit.MILLISECONDS);
            }
        }
    }

    private boolean enough() {
        List<Closeable> opened = new ArrayList<>();
        while (opened.size() < ENOUGH) {
            Closeable one = source.get();
            if (one == null) {
                break;
            }
            opened.add(one);
        }
        boolean all = opened.size() == ENOUGH;
        opened.forEach(DescriptorShortage::close);
        return all;
    }

    private static void close(Closeable reserved) {
        try {
            reserved.close();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException("cannot close a reserved file descriptor", e);
        }
    }

    /**
     * Returns a warning for the operator if the limit is too low for so many clients, else null. Must be called when
     * everything that the proxy keeps open is open.
     */
    public static @Nullable String limitTooLow(int maxConnections) {
        if (!(ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system)) {
            return null;
        }
        long limit = system.getMaxFileDescriptorCount();
        long own = system.getOpenFileDescriptorCount() + OWN_USE;
        long needed = 2L * maxConnections + own;
        return limit <= 0 || limit >= needed
                ? null
                : "the limit of open files is " + limit + ", but listen.maxConnections " + maxConnections
                        + " can need " + needed + " (two for each, and what the proxy itself uses): raise ulimit -n"
                        + " (systemd: LimitNOFILE=" + needed + "), or lower listen.maxConnections to "
                        + Math.max(1, (limit - own) / 2);
    }

    private static String limitText() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                ? " (limit " + system.getMaxFileDescriptorCount() + ")"
                : "";
    }
}
