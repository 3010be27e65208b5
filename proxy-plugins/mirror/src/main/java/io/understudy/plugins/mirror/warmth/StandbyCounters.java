package io.understudy.plugins.mirror.warmth;

import io.understudy.plugin.StandbyState;
import java.sql.Connection;
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
 * Reads the counters of one standby every few seconds, at the same time as the primary's, and how far it has loaded its
 * own list of pages. {@link #update} is called by one thread and never waits.
 */
public final class StandbyCounters {
    private static final Logger log = LoggerFactory.getLogger(StandbyCounters.class);
    private static final long INTERVAL = TimeUnit.SECONDS.toNanos(FloorPolling.SECONDS);
    /** Seconds. With more the standby's writes are not those that the primary makes at the same time. */
    private static final double MOST_LAG = 1;

    private final String standby;
    private final Supplier<DataSource> source;
    private final Floor floor;
    private final Executor executor;
    private final Supplier<WritesApart.Executed> executed;
    private final Supplier<PagesPerQuery> coldPages;
    private final WritesApart apart = new WritesApart();
    private final AtomicBoolean asking = new AtomicBoolean();
    private volatile boolean behind;
    private volatile @Nullable OwnLoad ownLoad;
    /** The settings in the log's last line, and how often the floor was interrupted. Used by {@link #ask}. */
    private String logged = "";

    private int breaks;

    private long askedNanos;
    private boolean asked;

    /**
     * The polling of one standby.
     *
     * @param floor has the source of the primary's counters
     * @param executor runs queries, which wait for the servers
     * @param executed statements that the standby has executed for the mirror
     * @param coldPages page reads of a query there as probes count them
     */
    public StandbyCounters(
            String standby,
            Supplier<DataSource> source,
            Floor floor,
            Executor executor,
            Supplier<WritesApart.Executed> executed,
            Supplier<PagesPerQuery> coldPages) {
        this.standby = standby;
        this.source = source;
        this.floor = floor;
        this.executor = executor;
        this.executed = executed;
        this.coldPages = coldPages;
    }

    /** Returns what both servers' counters say. */
    public Compared compared() {
        return apart.compared();
    }

    /** Returns the state of its own list of pages, or null before the first response and after a failed one. */
    public @Nullable OwnLoad ownLoad() {
        return ownLoad;
    }

    /**
     * Asks the standby if that is due.
     *
     * @param restarted whether it has restarted since the last call
     */
    public void update(StandbyState state, boolean restarted, long nowNanos) {
        Double lag = state.lagSeconds();
        if (state.applierStopped() || lag != null && lag > MOST_LAG) {
            behind = true;
        }
        if (restarted) {
            ownLoad = null;
            asked = false;
        }
        if (!state.reachable() || asked && nowNanos - askedNanos < INTERVAL || !asking.compareAndSet(false, true)) {
            return;
        }
        asked = true;
        askedNanos = nowNanos;
        try {
            executor.execute(this::ask);
        } catch (RejectedExecutionException e) {
            asking.set(false);
        }
    }

    private void ask() {
        try {
            compare();
            try (Connection connection = source.get().getConnection()) {
                show(OwnLoad.read(connection));
            }
        } catch (SQLException | RuntimeException e) {
            ownLoad = null; // the standby's monitor logs why
        } finally {
            asking.set(false);
        }
    }

    private void compare() {
        ServerCounters.Source primary = floor.source();
        if (primary == null) {
            return;
        }
        try {
            ServerCounters there = primary.read();
            ServerCounters here = ServerCounters.read(source.get());
            int now = floor.breaks();
            if (now != breaks) {
                breaks = now;
                apart.sawNothing();
            }
            if (behind) {
                behind = false;
                apart.skip();
            }
            apart.saw(new WritesApart.Reading(there, here, executed.get(), System.nanoTime()), coldPages.get());
        } catch (SQLException | RuntimeException e) {
            apart.sawNothing(); // the monitors log why
        }
    }

    private void show(OwnLoad now) {
        ownLoad = now;
        String settings = String.format(
                Locale.ROOT,
                "dump at shutdown %s, load at start %s, %d %% of its pages",
                now.dumpsAtShutdown() ? "on" : "off",
                now.loadsAtStartup() ? "on" : "off",
                now.dumpPercent());
        if (!settings.equals(logged)) {
            logged = settings;
            String status = now.status().isEmpty() ? "none" : now.status();
            log.info("buffer pool of {}: {}; load: {}", standby, settings, status);
        }
    }
}
