package io.understudy.readiness;

import io.understudy.config.Address;
import io.understudy.config.LoadedConfig;
import io.understudy.host.PluginTypes;
import io.understudy.plugin.StandbyFigures;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Serves {@code /api/standbys/{name}/readiness}. Each report queries two servers. So one gate runs at a time. Who has
 * the token gets a report that is two seconds old at most; a page, or anybody who reaches the port, one of half a
 * minute, whose definitions may be minutes old. Thread-safe.
 */
public final class ReadinessView {
    /** Short enough for the admin endpoint, which gives up after 15 s; servers with many tables need it. */
    private static final Duration TIME = Duration.ofSeconds(12);

    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long RECENT_NANOS = TimeUnit.SECONDS.toNanos(30);
    /** To read all definitions costs a server more than all the rest, and they seldom change. */
    private static final long DEFINITIONS_NANOS = TimeUnit.MINUTES.toNanos(5);
    /** A caller that waits for another one's gate gets a response before the admin endpoint gives up. */
    private static final long PATIENCE_SECONDS = 7;

    /** Makes a report. */
    interface Gate {
        /**
         * Asks the servers.
         *
         * @param older see {@link ReadinessGate#report(ProxyFigures.Question, ReadinessReport)}
         */
        ReadinessReport report(LoadedConfig config, String standby, Address primary, @Nullable ReadinessReport older)
                throws InterruptedException;
    }

    /**
     * @param primary the one that the standby was compared with
     * @param definitionsAt when the definitions were read
     */
    private record Kept(ReadinessReport report, LoadedConfig config, Address primary, long at, long definitionsAt) {}

    private final Supplier<LoadedConfig> config;
    private final Supplier<Address> primary;
    private final Gate asked;
    private final LongSupplier nanos;
    private final ReentrantLock gate = new ReentrantLock();
    private final Map<String, Kept> kept = new HashMap<>();

    /**
     * Creates a view of the standbys in the active configuration.
     *
     * @param plugins those that the proxy has started with
     * @param primary the present primary
     * @param proxy what the plugins know of a standby
     * @param nanos a monotonic clock
     */
    public ReadinessView(
            PluginTypes plugins,
            Supplier<LoadedConfig> config,
            Supplier<Address> primary,
            ProxyFigures.Source proxy,
            LongSupplier nanos) {
        this(
                config,
                primary,
                (loaded, standby, present, older) -> {
                    StandbyFigures expected = plugins.figures(loaded);
                    return ReadinessGate.of(loaded, expected, standby, present, ReadinessGate.LIMITS, TIME)
                            .report(() -> ProxyFigures.of(proxy, standby, expected), older);
                },
                nanos);
    }

    ReadinessView(Supplier<LoadedConfig> config, Supplier<Address> primary, Gate asked, LongSupplier nanos) {
        this.config = config;
        this.primary = primary;
        this.asked = asked;
        this.nanos = nanos;
    }

    /** Returns the report with all names, read for this call. */
    public Map<String, Object> full(String standby) {
        return aged(report(standby, FRESH_NANOS, FRESH_NANOS), ReadinessReport::view);
    }

    /** Returns the report with all names, of the last half minute. */
    public Map<String, Object> recent(String standby) {
        return aged(report(standby, RECENT_NANOS, DEFINITIONS_NANOS), ReadinessReport::view);
    }

    /** Returns the verdict and the checks that found something, of the last half minute. */
    public Map<String, Object> redacted(String standby) {
        return aged(report(standby, RECENT_NANOS, DEFINITIONS_NANOS), ReadinessReport::redacted);
    }

    private Map<String, Object> aged(Kept report, Function<ReadinessReport, Map<String, Object>> form) {
        Map<String, Object> view = new LinkedHashMap<>(form.apply(report.report));
        long now = nanos.getAsLong();
        view.put("ageSeconds", TimeUnit.NANOSECONDS.toSeconds(now - report.at));
        view.put("definitionsAgeSeconds", TimeUnit.NANOSECONDS.toSeconds(now - report.definitionsAt));
        return view;
    }

    /**
     * @param most maximum age of the report
     * @param mostDefinitions maximum age of the definitions in a report that is made now
     */
    private Kept report(String standby, long most, long mostDefinitions) {
        LoadedConfig loaded = config.get();
        loaded.config().standby(standby);
        Address present = primary.get();
        try {
            if (!gate.tryLock(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("other standbys are being asked; ask again in some seconds");
            }
            try {
                long begun = nanos.getAsLong();
                Kept last = kept.get(standby);
                if (last != null && !(last.config.equals(loaded) && last.primary.equals(present))) {
                    last = null;
                }
                if (last != null && begun - last.at < most && begun - last.definitionsAt < mostDefinitions) {
                    return last;
                }
                ReadinessReport older =
                        last == null || begun - last.definitionsAt >= mostDefinitions || !last.report.hasDefinitions()
                                ? null
                                : last.report;
                ReadinessReport report = asked.report(loaded, standby, present, older);
                long ended = nanos.getAsLong();
                Kept made = new Kept(
                        report, loaded, present, ended, last == null || older == null ? ended : last.definitionsAt);
                kept.put(standby, made);
                return made;
            } finally {
                gate.unlock();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the servers were being asked", e);
        }
    }
}
