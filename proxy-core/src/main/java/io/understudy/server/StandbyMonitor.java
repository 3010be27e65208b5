package io.understudy.server;

import io.micrometer.core.instrument.MeterRegistry;
import io.understudy.plugin.StandbyState;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Probes one standby periodically: {@link #state} for the components that send it work, meters, and a line in the log
 * when its state changes. Probes wait for the server, so the executor needs a thread per monitor and must not be an
 * event loop.
 */
public final class StandbyMonitor implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(StandbyMonitor.class);

    /** Interval between probes of a standby that responds. */
    public static final Duration INTERVAL = Duration.ofSeconds(1);

    private final String name;
    private final StandbyProbe probe;
    private final StandbyMeters meters;
    private final Polling polling;
    private volatile StandbyState state = StandbyState.UNKNOWN;

    public StandbyMonitor(
            String name,
            DataSource queries,
            MeterRegistry registry,
            ScheduledExecutorService executor,
            Duration interval) {
        this(name, new JdbcStandbyProbe(queries), registry, executor, interval);
    }

    StandbyMonitor(
            String name,
            StandbyProbe probe,
            MeterRegistry registry,
            ScheduledExecutorService executor,
            Duration interval) {
        this.name = name;
        this.probe = probe;
        this.meters = new StandbyMeters(registry, name);
        this.polling = new Polling(
                executor,
                interval,
                this::poll,
                () -> ThreadLocalRandom.current().nextDouble());
    }

    public void start() {
        polling.start();
    }

    /** Returns the result of the last probe. Thread-safe. */
    public StandbyState state() {
        return state;
    }

    boolean poll() {
        StandbyState before = state;
        StandbyState now;
        try {
            StandbyProbeResult seen = probe.ask();
            meters.saw(seen);
            now = new StandbyState(
                    true,
                    seen.readOnly(),
                    seen.lagSeconds(),
                    seen.applierStopped(),
                    seen.threadsRunning(),
                    seen.coldReads(),
                    seen.uptimeSeconds(),
                    seen.readOnly() ? null : "read_only is off; set it, so that nothing can write on the standby");
        } catch (SQLException e) {
            if (polling.stopped()) {
                return false;
            }
            meters.sawNothing();
            now = new StandbyState(false, false, null, false, -1, Reasons.of(e));
        }
        state = now;
        report(before, now);
        return now.reachable();
    }

    @SuppressWarnings("ReferenceEquality") // UNKNOWN is the one state that no probe has made
    private void report(StandbyState before, StandbyState now) {
        boolean first = before == StandbyState.UNKNOWN;
        if (!now.reachable()) {
            if (first || before.reachable()) {
                log.warn("standby {} is unreachable: {}", name, now.problem());
            }
            return;
        }
        if (!before.reachable()) {
            log.info("standby {} is reachable and {}", name, now.readOnly() ? "read-only" : "writable");
        }
        if (!now.readOnly() && (!before.reachable() || before.readOnly())) {
            log.warn("standby {} is writable: {}", name, now.problem());
        } else if (now.readOnly() && before.reachable() && !before.readOnly()) {
            log.info("standby {} is read-only again", name);
        }
    }

    @Override
    public void close() {
        polling.stop();
    }
}
