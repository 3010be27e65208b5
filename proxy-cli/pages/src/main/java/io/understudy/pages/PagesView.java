package io.understudy.pages;

import io.understudy.config.UnderstudyConfig;
import io.understudy.pages.PoolReader.PoolTooLarge;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Serves {@code /api/standbys/{name}/pages}. Anybody who reaches the port may call it, and each reading costs the
 * standby. So one reading runs at a time, and its report is served to all callers for a minute. A reading that the
 * standby gave up has cost the most, so its error is served for a minute too. Thread-safe.
 */
public final class PagesView {
    private static final int TOP = 200;
    /** Shorter than the time after which the admin endpoint gives up waiting for a view. */
    private static final Duration MOST = Duration.ofSeconds(10);

    private static final Duration FRESH = Duration.ofMinutes(1);

    /** The outcome of a reading: its report, or the message of its error. */
    private record Kept(@Nullable Map<String, Object> report, String error, long at) {
        Map<String, Object> get() {
            if (report == null) {
                throw new IllegalStateException(error);
            }
            return report;
        }
    }

    private final Supplier<UnderstudyConfig> config;
    private final LongSupplier nanos;
    private final Duration most;
    private final ReentrantLock reading = new ReentrantLock();
    private final Map<String, Kept> kept = new HashMap<>();

    /**
     * Creates a view of the standbys in the active configuration.
     *
     * @param nanos a monotonic clock
     */
    public PagesView(Supplier<UnderstudyConfig> config, LongSupplier nanos) {
        this(config, nanos, MOST);
    }

    /** @param most after this time the server gives up */
    PagesView(Supplier<UnderstudyConfig> config, LongSupplier nanos, Duration most) {
        this.config = config;
        this.nanos = nanos;
        this.most = most;
    }

    /**
     * Returns the report on a standby's buffer pool.
     *
     * @throws IllegalArgumentException if there is no such standby, no account, or the buffer pool is too large
     */
    public Map<String, Object> of(String standby) {
        PagesQuery query = PagesQuery.of(config.get(), standby);
        if (!reading.tryLock()) {
            throw new IllegalStateException("a buffer pool is being read right now; ask again in some seconds");
        }
        try {
            return read(standby, query);
        } finally {
            reading.unlock();
        }
    }

    private Map<String, Object> read(String standby, PagesQuery query) {
        Kept last = kept.get(standby);
        if (last != null && nanos.getAsLong() - last.at < FRESH.toNanos()) {
            return last.get();
        }
        long begun = nanos.getAsLong();
        try {
            Map<String, Object> report = query.report(null, TOP, false, most);
            kept.put(standby, new Kept(report, "", nanos.getAsLong()));
            return report;
        } catch (PoolTooLarge e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        } catch (SQLException e) {
            long now = nanos.getAsLong();
            if (now - begun >= most.toNanos()) {
                kept.put(standby, new Kept(null, String.valueOf(e.getMessage()), now));
            }
            throw new IllegalStateException(e.getMessage(), e);
        }
    }
}
