package io.understudy.plugins.mirror.playback;

import io.understudy.sql.TableName;
import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The tables and views that schema changes through the proxy named recently. Until a standby has applied a change, its
 * dictionary shows what was before it. Names are compared without case, as some servers do. Thread-safe.
 */
public final class RecentDdl {
    /** More names than this count as a change of everything. */
    static final int MAX_NAMES = 1000;

    /** Nothing that was read before a change is used longer than this after the time for it to be applied. */
    private static final long KEPT_NANOS = StandbyTables.LASTING_NANOS + TimeUnit.SECONDS.toNanos(5);

    private final ConcurrentMap<String, Long> names = new ConcurrentHashMap<>();
    private final AtomicReference<@Nullable Long> everything = new AtomicReference<>();

    /**
     * Called when a table's definition has changed.
     *
     * @param table with its schema
     */
    public void changed(TableName table, long nowNanos) {
        if (names.size() >= MAX_NAMES) {
            changedEverything(nowNanos);
        } else {
            names.merge(key(table), nowNanos, RecentDdl::later);
        }
    }

    public void changedEverything(long nowNanos) {
        everything.accumulateAndGet(nowNanos, (before, now) -> before == null ? now : later(before, now));
        names.values().removeIf(changed -> changed - nowNanos <= 0);
    }

    boolean isEmpty() {
        return everything.get() == null && names.isEmpty();
    }

    /** Returns when the name was last changed, or null if it was not. */
    @Nullable
    Long last(TableName table) {
        Long one = names.get(key(table));
        Long all = everything.get();
        return one == null || all == null ? (one == null ? all : one) : later(one, all);
    }

    /** Forgets changes that no knowledge is older than. */
    void forget(long nowNanos, long appliedNanos) {
        if (isEmpty()) {
            return;
        }
        long kept = appliedNanos + KEPT_NANOS;
        // Atomic, because a session may report a change meanwhile.
        everything.updateAndGet(all -> all != null && nowNanos - all > kept ? null : all);
        names.values().removeIf(changed -> nowNanos - changed > kept);
    }

    private static Long later(Long one, Long other) {
        return one - other < 0 ? other : one;
    }

    private static String key(TableName table) {
        return (table.schema() + "." + table.table()).toLowerCase(Locale.ROOT);
    }
}
