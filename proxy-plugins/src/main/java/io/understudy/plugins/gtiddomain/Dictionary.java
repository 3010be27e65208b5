package io.understudy.plugins.gtiddomain;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The last catalogue read, and whether it can be relied upon: not while a schema change that went through the proxy is
 * younger than it, and not in the time of learning after the start. Any thread.
 */
final class Dictionary implements TableOwnership.Admission {
    private record Known(Catalog catalog, long changes) {}

    private final LongSupplier nanos;
    private final long learnUntil;
    private final AtomicLong changes = new AtomicLong();
    private volatile boolean rowFormat;
    private volatile Known known = new Known(Catalog.EMPTY, -1);

    Dictionary(LongSupplier nanos, long learnNanos) {
        this.nanos = nanos;
        learnUntil = nanos.getAsLong() + learnNanos;
    }

    /** A schema change was sent, or has been answered. */
    void changed() {
        changes.incrementAndGet();
    }

    /** How many schema changes there were: to be read before the catalogue is. */
    long changes() {
        return changes.get();
    }

    void learned(Catalog catalog, long changesBefore) {
        known = new Known(catalog, changesBefore);
    }

    /** Whether the binary log has rows, so that what a write has read does not matter to a replica; false until known. */
    boolean rowFormat() {
        return rowFormat;
    }

    void setRowFormat(boolean value) {
        rowFormat = value;
    }

    boolean stale() {
        return known.changes != changes.get();
    }

    boolean learning() {
        return nanos.getAsLong() - learnUntil < 0;
    }

    Catalog catalog() {
        return known.catalog;
    }

    @Override
    public boolean mayLeaveDefault(String table) {
        Known now = known;
        return now.changes == changes.get() && !learning() && now.catalog.movable(table);
    }
}
