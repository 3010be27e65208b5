package io.understudy.plugins.gtiddomain;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The last catalogue read, and whether it can be relied upon: not while a schema change that went through the proxy is
 * younger than it, and not in the time of learning after the start. Any thread.
 */
final class Dictionary implements TableOwnership.Admission {
    private record Known(Relations relations, long changes) {}

    private final LongSupplier nanos;
    private final long learnUntil;
    private final AtomicLong changes = new AtomicLong();
    /** Set once, by whichever thread sees it first: a look at the clock for each write would cost more. */
    private volatile boolean learnt;

    private volatile boolean rowFormat;
    private volatile Known known = new Known(Relations.NONE, -1);

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

    /** A catalogue was read; {@code changesBefore} as it was before the reading. */
    synchronized void learned(Catalog catalog, long changesBefore) {
        known = new Known(known.relations.with(catalog), changesBefore);
    }

    /**
     * Forgets names of earlier catalogues under which nothing is outstanding. To be called later than {@link #learned}, as sessions
     * that have just looked tables up may still use the names of then.
     *
     * @param owned whether writes under a name may not have been applied everywhere
     */
    synchronized void prune(Predicate<String> owned) {
        Known now = known;
        Relations less = now.relations.pruned(owned);
        if (less != now.relations) {
            known = new Known(less, now.changes);
        }
    }

    /** A statement, or the binary log, has shown that who writes one of the tables may write the others too. */
    synchronized void expand(Collection<String> written, Collection<String> alsoWritten) {
        Known now = known;
        Relations more = now.relations.expanded(written, alsoWritten);
        if (more != now.relations) {
            known = new Known(more, now.changes);
        }
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
        if (!learnt) {
            learnt = nanos.getAsLong() - learnUntil >= 0;
        }
        return !learnt;
    }

    Catalog catalog() {
        return known.relations.catalog();
    }

    Relations relations() {
        return known.relations;
    }

    /**
     * Whether calling one of the functions may write: a stored one that does not only read, or any as long as it is not known
     * which are stored.
     *
     * @param functions lower case, with their schema where it is written
     * @param schema of names without one
     */
    boolean mayWrite(List<String> functions, @Nullable String schema) {
        Known now = known;
        Catalog catalog = now.relations.catalog();
        if (now.changes != changes.get() || !catalog.routinesKnown()) {
            return true;
        }
        for (String function : functions) {
            boolean qualified = function.indexOf('.') >= 0;
            if (!qualified && schema == null || catalog.mayWrite(qualified ? function : schema + "." + function)) {
                return true;
            }
        }
        return false;
    }

    /** As {@link #mayLeaveDefault} in mode advise: every table begins free, and nothing has to be learned first. */
    boolean mightLeaveDefault(String table) {
        Known now = known;
        return now.relations == Relations.NONE || now.relations.catalog().movable(table);
    }

    @Override
    public boolean mayLeaveDefault(String table) {
        Known now = known;
        return now.changes == changes.get()
                && !learning()
                && now.relations.catalog().movable(table);
    }
}
