package io.understudy.plugins.mirror;

import io.understudy.sql.TableName;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;

/**
 * Tables whose reads are not mirrored to one standby for the moment, because an operator rebuilds them there. Each skip
 * is a lease: it ends by itself if the operator's program dies. Names are compared without case. Thread-safe.
 */
final class SkippedTables {
    /** Length of a lease. A program that needs longer renews it. */
    static final long LEASE_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** Bounds the memory that calls of the admin endpoint can take. */
    static final int MAX_TABLES = 1000;

    private final ConcurrentMap<String, Long> ends = new ConcurrentHashMap<>();

    /**
     * Begins or renews a lease.
     *
     * @param table as {@code schema.table}
     * @throws IllegalArgumentException if the name has no schema, or too many tables are skipped
     */
    void skip(String table, long nowNanos) {
        int dot = table.indexOf('.');
        if (dot < 1 || dot == table.length() - 1) {
            throw new IllegalArgumentException("name the table as schema.table, not '" + table + "'");
        }
        ends.values().removeIf(end -> end - nowNanos <= 0);
        if (ends.size() >= MAX_TABLES && !ends.containsKey(key(table))) {
            throw new IllegalArgumentException(MAX_TABLES + " tables are skipped already");
        }
        ends.put(key(table), nowNanos + LEASE_NANOS);
    }

    void unskip(String table) {
        ends.remove(key(table));
    }

    /** Returns whether a statement that reads these tables is skipped. */
    boolean covers(List<TableName> tables, long nowNanos) {
        if (ends.isEmpty()) {
            return false;
        }
        for (TableName table : tables) {
            Long end = ends.get(key(table.schema() + "." + table.table()));
            if (end != null && end - nowNanos > 0) {
                return true;
            }
        }
        return false;
    }

    /** Returns the tables that are skipped now, sorted. */
    List<String> view(long nowNanos) {
        return ends.entrySet().stream()
                .filter(entry -> entry.getValue() - nowNanos > 0)
                .map(java.util.Map.Entry::getKey)
                .sorted()
                .toList();
    }

    private static String key(String table) {
        return table.toLowerCase(Locale.ROOT);
    }
}
