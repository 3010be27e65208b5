package io.understudy.plugins.mirror.warmth;

import io.understudy.base.NoTask;
import io.understudy.plugin.Primary;
import java.sql.SQLException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/** Reads the primary's counters every few seconds with the monitor account. */
public final class FloorPolling {
    static final int SECONDS = 5;

    private final Primary primary;
    private final Floor floor = new Floor();
    private Future<?> task = NoTask.NONE;
    private AutoCloseable following = () -> {};
    private volatile boolean changed;

    public FloorPolling(Primary primary) {
        this.primary = primary;
    }

    /** Returns the floor, which stays unknown without {@code primary.monitor}. */
    public Floor floor() {
        return floor;
    }

    public void start(ScheduledExecutorService executor) {
        DataSource source = primary.dataSource();
        if (source != null) {
            following = primary.onChange(() -> changed = true);
            floor.source(() -> ServerCounters.read(source));
            task = executor.scheduleWithFixedDelay(() -> poll(source), 1, SECONDS, TimeUnit.SECONDS);
        }
    }

    private void poll(DataSource source) {
        if (changed) {
            changed = false;
            floor.sawNothing(); // the counters so far are another server's
        }
        try {
            floor.saw(ServerCounters.read(source), System.nanoTime());
        } catch (SQLException e) {
            floor.sawNothing(); // the primary's monitor logs it
        }
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
