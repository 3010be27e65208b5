package io.understudy.plugins.mirror.warmth;

import java.sql.SQLException;
import java.util.Locale;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps {@link OwnLoad} of one standby: every minute, every other second while the standby loads its pages, and at once
 * after a restart. Logs the settings when they have changed. {@link #update} is called by one thread and never waits.
 */
public final class OwnLoadPolling {
    private static final Logger log = LoggerFactory.getLogger(OwnLoadPolling.class);
    private static final long RARELY = TimeUnit.SECONDS.toNanos(60);
    private static final long OFTEN = TimeUnit.SECONDS.toNanos(2);

    private final String standby;
    private final Supplier<DataSource> source;
    private final Executor executor;
    private final AtomicBoolean running = new AtomicBoolean();
    private volatile @Nullable OwnLoad last;
    /** The settings in the log's last line. Used by {@link #poll}. */
    private String logged = "";

    private long polledNanos;
    private boolean polled;

    /** @param executor runs queries, which wait for the standby */
    public OwnLoadPolling(String standby, Supplier<DataSource> source, Executor executor) {
        this.standby = standby;
        this.source = source;
        this.executor = executor;
    }

    /**
     * Asks the standby if that is due.
     *
     * @param restarted whether it has restarted since the last call
     */
    public void update(boolean reachable, boolean restarted, long nowNanos) {
        if (restarted) {
            last = null;
            polled = false;
        }
        if (!reachable || polled && nowNanos - polledNanos < interval() || !running.compareAndSet(false, true)) {
            return;
        }
        polled = true;
        polledNanos = nowNanos;
        try {
            executor.execute(this::poll);
        } catch (RejectedExecutionException e) {
            running.set(false);
        }
    }

    private long interval() {
        OwnLoad known = last;
        return known == null || known.state().equals("loading") ? OFTEN : RARELY;
    }

    private void poll() {
        try {
            OwnLoad now = OwnLoad.read(source.get());
            last = now;
            String settings = String.format(
                    Locale.ROOT,
                    "dump at shutdown %s, load at start %s, %d %% of its pages",
                    now.dumpsAtShutdown() ? "on" : "off",
                    now.loadsAtStartup() ? "on" : "off",
                    now.dumpPercent());
            if (!settings.equals(logged)) {
                logged = settings;
                log.info(
                        "buffer pool of {}: {}; load: {}",
                        standby,
                        settings,
                        now.status().isEmpty() ? "none" : now.status());
            }
        } catch (SQLException | RuntimeException e) {
            last = null; // the standby's monitor logs why
        } finally {
            running.set(false);
        }
    }

    /** Returns what the standby said last, or null before the first response and after a failed one. */
    public @Nullable OwnLoad last() {
        return last;
    }
}
