package io.understudy.server;

import io.micrometer.core.instrument.MeterRegistry;
import io.understudy.connection.AccountRemedy;
import io.understudy.plugin.AccountUse;
import io.understudy.plugin.StandbyState;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Probes one standby periodically: {@link #state} for the components that send it work, meters, and a line in the log
 * when its state changes. Probes wait for the server, so the executor needs a thread per monitor and must not be an
 * event loop.
 */
public final class StandbyMonitor implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(StandbyMonitor.class);

    private static final String WRITABLE = "read_only is off: it may have been promoted. If so, tell the proxy: change"
            + " primary.address and reload, or POST /api/primary; if not, SET GLOBAL read_only=1 there, so that nothing"
            + " can write on the standby";

    private static final String BACK = "read_only is off: it was the primary before. Clients that do not use this proxy"
            + " can write there, and what they write is in no other server: SET GLOBAL read_only=1 there";

    private static final String PROMOTED = "read_only is off, and the primary is read-only: it seems to be the primary"
            + " since a switch that the file does not know. Tell the proxy: POST /api/primary with its address, and"
            + " change primary.address in the file. Do not make it read-only: then no server takes writes";
    private static final String FUNCTION = "the standby's health, role and lag, and what is mirrored to it";

    /** Probes a standby. May wait. */
    @FunctionalInterface
    interface Probe {
        /**
         * Asks the standby.
         *
         * @throws SQLException when it does not respond
         */
        StandbyProbeResult run() throws SQLException;
    }

    /** Why a standby gave no result. */
    private enum Failure {
        NONE(""),
        UNREACHABLE(""),
        LOGIN("it refuses the login of its account under standbys: "),
        PRIVILEGE("its account under standbys lacks a privilege: ");

        private final String prefix;

        Failure(String prefix) {
            this.prefix = prefix;
        }

        static Failure of(int code) {
            return !AccountRemedy.concerns(code) ? UNREACHABLE : AccountRemedy.isLogin(code) ? LOGIN : PRIVILEGE;
        }
    }

    /** Interval between the starts of probes. */
    public static final Duration INTERVAL = Duration.ofSeconds(1);

    private final String name;
    private final Probe probe;
    private final StandbyMeters meters;
    private final Polling polling;
    private final Predicate<@Nullable String> primary;
    private volatile StandbyState state = StandbyState.UNKNOWN;
    private volatile @Nullable String identity;
    private volatile BooleanSupplier planned = () -> false;
    private volatile BooleanSupplier primaryReadOnly = () -> false;
    private volatile Runnable beforeProbe = () -> {};
    /** What the log's last line about it says of a writable standby; null after another line. */
    private @Nullable String toldWritable;

    private volatile AccountUse use = AccountUse.NONE;
    /** That of the last probe. */
    private Failure failure = Failure.NONE;
    /** The number of the error that the server has sent instead; 0 if it sent none. */
    private int error;
    /** Whether it was the primary, and has not been read-only since. */
    private boolean wasPrimary;

    /** @param primary returns whether the server with an identity is the present primary; null: not known */
    public StandbyMonitor(
            String name,
            DataSource queries,
            Predicate<@Nullable String> primary,
            MeterRegistry registry,
            ScheduledExecutorService executor,
            Duration interval) {
        this(name, new JdbcStandbyProbe(queries), primary, registry, executor, interval);
    }

    StandbyMonitor(
            String name,
            Probe probe,
            Predicate<@Nullable String> primary,
            MeterRegistry registry,
            ScheduledExecutorService executor,
            Duration interval) {
        this.name = name;
        this.probe = probe;
        this.meters = new StandbyMeters(registry, name);
        this.primary = primary;
        this.polling = new Polling(executor, interval, this::poll);
    }

    /** Sets how to find out whether the primary is being changed, which makes a standby writable. */
    public void setPlannedCheck(BooleanSupplier changing) {
        planned = changing;
    }

    /** Sets how to find out whether the present primary is known to be read-only. */
    public void primaryReadOnlyWhile(BooleanSupplier readOnly) {
        primaryReadOnly = readOnly;
    }

    /** Sets what runs before each probe. It may wait. */
    public void beforeProbes(Runnable task) {
        beforeProbe = task;
    }

    /** Sets where failures of the standby's account are reported. */
    public void reportTo(AccountHealth health) {
        use = health.use(FUNCTION);
    }

    public void start() {
        polling.start();
    }

    /** Returns the result of the last probe. Thread-safe. */
    public StandbyState state() {
        return state;
    }

    /** Returns whether this server is the present primary, by its address or its identity. Thread-safe. */
    public boolean isPrimary() {
        return primary.test(identity);
    }

    void poll() {
        StandbyState before = state;
        Failure failed = failure;
        StandbyState now;
        wasPrimary |= isPrimary();
        beforeProbe.run();
        try {
            StandbyProbeResult seen = probe.run();
            use.works();
            failure = Failure.NONE;
            identity = seen.identity();
            meters.saw(seen, isPrimary());
            wasPrimary = isPrimary() || wasPrimary && !seen.readOnly();
            now = new StandbyState(
                    true,
                    seen.readOnly(),
                    seen.lagSeconds(),
                    seen.applierStopped(),
                    seen.threadsRunning(),
                    seen.coldReads(),
                    seen.uptimeSeconds(),
                    seen.readOnly() ? null : writable());
        } catch (SQLException e) {
            if (polling.stopped()) {
                return;
            }
            meters.sawNothing(isPrimary());
            int code = AccountHealth.code(e);
            error = code;
            use.refused(code, ProbeFailure.reason(e));
            failure = Failure.of(code);
            now = new StandbyState(false, false, null, false, -1, failure.prefix + ProbeFailure.reason(e));
        }
        state = now;
        report(before, now, failed);
    }

    private String writable() {
        if (isPrimary()) {
            return "it is the primary now";
        }
        return primaryReadOnly.getAsBoolean() ? PROMOTED : wasPrimary ? BACK : WRITABLE;
    }

    private void report(StandbyState before, StandbyState now, Failure failed) {
        if (!now.reachable()) {
            // What concerns the account is told, with its remedy, by the account's health.
            if (failure == Failure.UNREACHABLE && failed != Failure.UNREACHABLE) {
                log.warn(
                        "standby {} is unreachable: {}; {}",
                        name,
                        now.problem(),
                        error == 0
                                ? "start it, or correct its address or account: understudy check --connect tries them"
                                : AccountRemedy.ofStandby(
                                        error, String.valueOf(now.problem()), "…", AccountHealth.STANDBYS));
            }
            return;
        }
        if (!before.reachable()) {
            log.info("standby {} is reachable and {}", name, now.readOnly() ? "read-only" : "writable");
        }
        if (isPrimary()) {
            toldWritable = null;
            return;
        }
        boolean told = before.reachable() && Objects.equals(now.problem(), toldWritable);
        if (!now.readOnly() && !told && !planned.getAsBoolean()) {
            toldWritable = now.problem();
            log.warn("standby {} is writable: {}", name, now.problem());
        } else if (now.readOnly() && toldWritable != null) {
            toldWritable = null;
            log.info("standby {} is read-only again", name);
        }
    }

    @Override
    public void close() {
        polling.stop();
    }
}
