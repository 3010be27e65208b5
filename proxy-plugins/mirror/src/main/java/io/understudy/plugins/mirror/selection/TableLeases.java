package io.understudy.plugins.mirror.selection;

import io.understudy.sql.TableName;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Tables whose reads one standby treats differently for the moment, at the request of an operator's program. Each is a
 * lease: it ends by itself if that program dies. Names are compared without case. Thread-safe.
 */
public final class TableLeases {
    /** Length of a lease. A program that needs longer renews it. */
    public static final long LEASE_SECONDS = 60;

    static final long LEASE_NANOS = TimeUnit.SECONDS.toNanos(LEASE_SECONDS);

    /** Bounds the memory that calls of the admin endpoint can take. */
    static final int MAX_TABLES = 1000;

    private static final class Lease {
        private final LongAdder statements = new LongAdder();
        private volatile long endNanos;

        boolean runs(long nowNanos) {
            return endNanos - nowNanos > 0;
        }
    }

    private final ConcurrentMap<String, Lease> leases = new ConcurrentHashMap<>();

    /**
     * Begins or renews a lease. Returns whether it begins.
     *
     * @param table as {@code schema.table}
     * @throws IllegalArgumentException if the name has no schema, or there are too many leases
     */
    public boolean renew(String table, long nowNanos) {
        int dot = table.indexOf('.');
        if (dot < 1 || dot == table.length() - 1) {
            throw new IllegalArgumentException("name the table as schema.table, not '" + table + "'");
        }
        expire(nowNanos);
        if (leases.size() >= MAX_TABLES && !leases.containsKey(key(table))) {
            throw new IllegalArgumentException(MAX_TABLES + " tables are treated so already");
        }
        Lease fresh = new Lease();
        fresh.endNanos = nowNanos + LEASE_NANOS;
        Lease running = leases.putIfAbsent(key(table), fresh);
        if (running != null) {
            running.endNanos = fresh.endNanos;
        }
        return running == null;
    }

    /** Forgets the leases that have ended, so that statements need not be compared with them. */
    public void expire(long nowNanos) {
        leases.values().removeIf(lease -> !lease.runs(nowNanos));
    }

    public void end(String table) {
        leases.remove(key(table));
    }

    /** Returns whether there is no lease; costs one read. */
    public boolean isEmpty() {
        return leases.isEmpty();
    }

    /** Returns whether one of the tables has a lease. */
    public boolean covers(List<TableName> tables, long nowNanos) {
        if (leases.isEmpty()) {
            return false;
        }
        for (TableName table : tables) {
            Lease lease = leases.get(key(table));
            if (lease != null && lease.runs(nowNanos)) {
                return true;
            }
        }
        return false;
    }

    /** Counts a statement for those of its tables that have a lease. */
    public void count(List<TableName> tables) {
        if (leases.isEmpty()) {
            return;
        }
        for (TableName table : tables) {
            Lease lease = leases.get(key(table));
            if (lease != null) {
                lease.statements.increment();
            }
        }
    }

    /** Returns the tables with a lease, sorted, and the statements counted for each. */
    public Map<String, Long> view(long nowNanos) {
        Map<String, Long> view = new TreeMap<>();
        leases.forEach((table, lease) -> {
            if (lease.runs(nowNanos)) {
                view.put(table, lease.statements.sum());
            }
        });
        return view;
    }

    private static String key(TableName table) {
        return key(table.schema() + "." + table.table());
    }

    private static String key(String table) {
        return table.toLowerCase(Locale.ROOT);
    }
}
