package io.understudy.plugins.gtiddomain.catalog;

import io.understudy.sql.StatementSummary;
import io.understudy.sql.TableName;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The last catalogue read, and whether it is reliable: it is not while a schema change through the proxy is newer, nor
 * during the learning time after the start. Thread-safe.
 */
public final class Dictionary {
    private static final int CACHE_SIZE = 4096;

    /** @param generation tells it from those before */
    private record Known(Relations relations, long changes, long generation) {
        Known next(Relations others, long changesBefore) {
            return new Known(others, changesBefore, generation + 1);
        }
    }

    /**
     * The result of {@link #callsStored} for one statement, and all that it depends on. It names a catalogue by its
     * generation: a statement that is never repeated would keep the whole of it.
     */
    private record Verdict(
            StatementSummary summary,
            @Nullable String schema,
            boolean guarded,
            long generation,
            long changes,
            boolean rowFormat,
            boolean calls) {}

    private final LongSupplier nanos;
    private final long learnUntil;
    private final AtomicLong changes = new AtomicLong();
    /** Set once, by the first thread that finds the time over: reading the clock for each write would cost more. */
    private volatile boolean learnt;

    private volatile boolean rowFormat;
    private volatile Known known = new Known(Relations.NONE, -1, 0);
    private final AtomicReferenceArray<@Nullable Verdict> verdicts = new AtomicReferenceArray<>(CACHE_SIZE);

    public Dictionary(LongSupplier nanos, long learnNanos) {
        this.nanos = nanos;
        learnUntil = nanos.getAsLong() + learnNanos;
    }

    /** Called when a schema change was sent, and when its response has arrived. */
    public void changed() {
        changes.incrementAndGet();
    }

    /** Returns the number of schema changes; to be read before the catalogue is. */
    public long changes() {
        return changes.get();
    }

    /** Sets a new catalogue; {@code changesBefore} is the number of changes before it was read. */
    public synchronized void learned(Catalog catalog, long changesBefore) {
        known = known.next(known.relations.with(catalog), changesBefore);
    }

    /**
     * Forgets names of earlier catalogues under which nothing is known any more. Called later than {@link #learned},
     * because sessions that have just resolved tables may still use the earlier names.
     *
     * @param owned whether a name may still have unapplied writes, or has a table that stays in the default domain
     */
    @SuppressWarnings("ReferenceEquality") // pruned() returns the same object if nothing goes
    public synchronized void prune(Predicate<String> owned) {
        Known now = known;
        Relations less = now.relations.pruned(owned);
        if (less != now.relations) {
            known = now.next(less, now.changes);
        }
    }

    /**
     * Records that writes of the first tables may write the second ones too, as a statement or the binary log has
     * shown.
     */
    @SuppressWarnings("ReferenceEquality") // expanded() returns the same object if nothing is new
    public synchronized void expand(Collection<String> written, Collection<String> alsoWritten) {
        Known now = known;
        Relations more = now.relations.expanded(written, alsoWritten);
        if (more != now.relations) {
            known = now.next(more, now.changes);
        }
    }

    /**
     * Returns whether the binary log is in row format, so that the rows which a write reads do not affect a replica;
     * false until known.
     */
    public boolean rowFormat() {
        return rowFormat;
    }

    public void setRowFormat(boolean value) {
        rowFormat = value;
    }

    public boolean stale() {
        return known.changes != changes.get();
    }

    public boolean learning() {
        if (!learnt) {
            learnt = nanos.getAsLong() - learnUntil >= 0;
        }
        return !learnt;
    }

    public Catalog catalog() {
        return known.relations.catalog();
    }

    public Relations relations() {
        return known.relations;
    }

    /**
     * Returns whether a statement may run stored functions that write: by a call of its own ({@link #mayWrite}) or,
     * with a guard, by a view that it reads ({@link #readMayWrite}). A repeated statement costs one lookup and
     * allocates nothing.
     *
     * @param schema schema of names without one
     * @param guarded without a guard the catalogue is never read, so each name could be that of a view
     */
    @SuppressWarnings("ReferenceEquality") // summaries are shared
    public boolean callsStored(StatementSummary summary, @Nullable String schema, boolean guarded) {
        Known now = known;
        long changed = changes.get();
        boolean row = rowFormat;
        boolean views = guarded && viewsMatter(now, changed, row);
        if (summary.functions().isEmpty() && (!views || summary.reads().isEmpty())) {
            return false;
        }
        int index = (int) (summary.digest() ^ summary.digest() >>> 32) & CACHE_SIZE - 1;
        Verdict before = verdicts.get(index);
        if (before != null
                && before.summary == summary
                && before.generation == now.generation
                && before.changes == changed
                && before.rowFormat == row
                && before.guarded == guarded
                && Objects.equals(before.schema, schema)) {
            return before.calls;
        }
        boolean calls = !summary.functions().isEmpty() && mayWrite(summary.functions(), schema)
                || guarded && readMayWrite(summary.reads(), schema);
        verdicts.set(index, new Verdict(summary, schema, guarded, now.generation, changed, row, calls));
        return calls;
    }

    /** Returns whether a read may write at all, because of any view. */
    private static boolean viewsMatter(Known known, long changes, boolean rowFormat) {
        Catalog catalog = known.relations.catalog();
        return known.changes != changes || catalog.hasWritingViews() || !rowFormat && catalog.hasCallingViews();
    }

    /**
     * Returns whether calling one of the functions may write: a stored one that does not only read, or any function
     * while the stored ones are unknown. Unless the binary log is in row format a stored one that only reads counts
     * too: a replica calls it itself, so that the tables which it reads must not be in another domain.
     *
     * @param functions lower case, with their schema if it is written
     * @param schema schema of names without one
     */
    public boolean mayWrite(List<String> functions, @Nullable String schema) {
        Known now = known;
        Catalog catalog = now.relations.catalog();
        if (now.changes != changes.get() || !catalog.routinesKnown()) {
            return true;
        }
        for (String function : functions) {
            boolean qualified = function.indexOf('.') >= 0;
            if (!qualified && schema == null) {
                return true;
            }
            String name = qualified ? function : schema + "." + function;
            if (catalog.mayWrite(name) || !rowFormat && catalog.isRoutine(name)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns whether one of the tables that are read is a view that writes when it is read, or may be a view that a
     * schema change has just created.
     */
    public boolean readMayWrite(List<TableName> reads, @Nullable String schema) {
        Known now = known;
        Catalog catalog = now.relations.catalog();
        boolean stale = now.changes != changes.get();
        boolean called = !rowFormat && catalog.hasCallingViews();
        if (!stale && !called && !catalog.hasWritingViews()) {
            return false;
        }
        for (TableName table : reads) {
            String where = table.schema() == null ? schema : table.schema();
            if (where == null) {
                return true;
            }
            String name = Catalog.name(where, table.table());
            if (catalog.writesWhenRead(name)
                    || called && catalog.callsWhenRead(name)
                    || stale && !catalog.isBaseTable(name)) {
                return true;
            }
        }
        return false;
    }

    /** Like {@link #mayLeaveDefault}, for mode advise: every table starts free, and nothing has to be learned first. */
    @SuppressWarnings("ReferenceEquality") // NONE is the mark for not yet read
    public boolean mightLeaveDefault(String table) {
        Known now = known;
        return now.relations == Relations.NONE || now.relations.catalog().movable(table);
    }

    /** Returns whether a table may leave the default domain at all. */
    public boolean mayLeaveDefault(String table) {
        Known now = known;
        return now.changes == changes.get()
                && !learning()
                && now.relations.catalog().movable(table);
    }
}
