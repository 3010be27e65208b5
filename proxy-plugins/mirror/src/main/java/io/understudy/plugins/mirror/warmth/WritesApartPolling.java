package io.understudy.plugins.mirror.warmth;

import io.understudy.plugin.StandbyState;
import java.sql.SQLException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import javax.sql.DataSource;

/**
 * Reads the counters of one standby and of the primary every few seconds, at the same time. {@link #update} is called
 * by one thread and never waits.
 */
public final class WritesApartPolling {
    private static final long INTERVAL = TimeUnit.SECONDS.toNanos(FloorPolling.SECONDS);

    /** Seconds. With more the standby's writes are not those that the primary makes at the same time. */
    private static final double MOST_LAG = 1;

    private final Supplier<DataSource> source;
    private final Floor floor;
    private final Executor executor;
    private final Supplier<WritesApart.Executed> executed;
    private final Supplier<PagesPerQuery> coldPages;
    private final WritesApart apart = new WritesApart();
    private final AtomicBoolean asking = new AtomicBoolean();
    private volatile boolean behind;
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
    public WritesApartPolling(
            Supplier<DataSource> source,
            Floor floor,
            Executor executor,
            Supplier<WritesApart.Executed> executed,
            Supplier<PagesPerQuery> coldPages) {
        this.source = source;
        this.floor = floor;
        this.executor = executor;
        this.executed = executed;
        this.coldPages = coldPages;
    }

    /** Returns what was found. */
    public WritesApart apart() {
        return apart;
    }

    /** Asks the standby if that is due. */
    public void update(StandbyState state, long nowNanos) {
        Double lag = state.lagSeconds();
        if (state.applierStopped() || lag != null && lag > MOST_LAG) {
            behind = true;
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
            ServerCounters.Source primary = floor.source();
            if (primary != null) {
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
            }
        } catch (SQLException | RuntimeException e) {
            apart.sawNothing(); // the monitors log why
        } finally {
            asking.set(false);
        }
    }
}
