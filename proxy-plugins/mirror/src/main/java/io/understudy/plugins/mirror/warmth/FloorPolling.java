package io.understudy.plugins.mirror.warmth;

import io.understudy.base.NoTask;
import io.understudy.plugin.Primary;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the primary's counters every few seconds with the monitor account. */
public final class FloorPolling {
    static final int SECONDS = 5;

    private static final Logger log = LoggerFactory.getLogger(FloorPolling.class);

    private final Primary primary;
    private final Executor queries;
    private final Floor floor = new Floor();
    private final AtomicBoolean asking = new AtomicBoolean();
    private Future<?> task = NoTask.NONE;
    private AutoCloseable following = () -> {};
    private final AtomicBoolean changed = new AtomicBoolean();
    private boolean told;

    /** @param queries runs queries, which wait for the primary: one at a time, and nothing else */
    public FloorPolling(Primary primary, Executor queries) {
        this.primary = primary;
        this.queries = queries;
    }

    /** Returns the floor, which stays unknown without {@code primary.monitor}. */
    public Floor floor() {
        return floor;
    }

    public void start(ScheduledExecutorService executor) {
        DataSource source = primary.dataSource();
        if (source != null) {
            following = primary.onChange(() -> changed.set(true));
            floor.source(() -> ServerCounters.read(source));
            task = executor.scheduleWithFixedDelay(() -> poll(source), 1, SECONDS, TimeUnit.SECONDS);
        }
    }

    /** Asks the primary, unless it has not yet responded to the last query. Never waits. */
    void poll(DataSource source) {
        if (asking.compareAndSet(false, true)) {
            queries.execute(() -> ask(source));
        }
    }

    private void ask(DataSource source) {
        try {
            forgetFormerPrimary();
            ServerCounters now = ServerCounters.read(source);
            if (!forgetFormerPrimary()) { // whose counters these are would not be known
                floor.saw(now, System.nanoTime());
            }
            told = false;
        } catch (SQLFeatureNotSupportedException e) {
            floor.sawNothing();
            if (!told) {
                told = true;
                log.warn("the excess of the standbys is not known: on the primary {}", e.getMessage());
            }
        } catch (SQLException | RuntimeException e) {
            floor.sawNothing(); // the primary's monitor logs why
        } finally {
            asking.set(false);
        }
    }

    /** Has the floor begin anew if another server has become the primary; returns whether. */
    private boolean forgetFormerPrimary() {
        boolean other = changed.getAndSet(false);
        if (other) {
            floor.changed();
        }
        return other;
    }

    public void stop() {
        task.cancel(false);
        try {
            following.close();
        } catch (Exception e) {
            throw new IllegalStateException(e); // removes a listener, which cannot fail
        }
    }
}
