package io.understudy.plugins.gtiddomain.ownership;

import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.plugins.gtiddomain.progress.GtidPosition;
import io.understudy.plugins.gtiddomain.progress.Progress;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The owners of each table: the domains with writes to it that are in flight, or not yet applied by every standby. A
 * table may be handed over to another domain only when no domain owns it. Thread-safe; a decision holds its tables'
 * monitors for some nanoseconds and marks them as owned in the same step, so that two sessions cannot both be granted a
 * free table.
 *
 * <p>Writes before the proxy's start are unknown, so the default domain owns every table until the standbys have
 * applied everything up to then.
 */
public final class TableOwnership {
    /** Receives every conflict, on the event loop of the session that wrote; must be fast. */
    public interface ConflictListener {
        /**
         * Called for a conflict.
         *
         * @param table the table's name
         * @param digest of the write
         * @param index index of the domain that the write goes to
         * @param otherDigest of the last write in the other domain
         * @param otherIndex index of that domain
         */
        void onConflict(Conflict kind, String table, long digest, int index, long otherDigest, int otherIndex);
    }

    /** Decides whether a table that no other domain owns may go to its rule's domain. */
    public interface Admission {
        /** Returns whether the table may leave the default domain at all. */
        boolean mayLeaveDefault(String table);
    }

    /**
     * The sources that an ownership follows.
     *
     * @param maxTables number of tables
     * @param simulated whether the domains are only simulated, so that the standbys' positions in them mean nothing
     * @param guarded whether a guard uses it; otherwise no write is announced
     */
    public record Scope(int maxTables, boolean simulated, boolean guarded) {}

    /** The binary log's part in ownership. */
    final LoggedWrites logged;
    /** For the admin endpoint. */
    public final OwnershipReport report;

    private final Scope scope;
    private final Admission admission;
    private final ConflictListener conflicts;
    private final @Nullable Handovers handovers;
    private final FollowedTables tables;
    private final Inheritance inheritance;
    private final AtomicInteger inFlight = new AtomicInteger();
    private final TableEntry unknown;
    /** Every write, whatever its tables. */
    private final TableEntry activity;

    /**
     * An ownership without tables.
     *
     * @param handovers of the tables; null if nobody waits for one
     * @param before the previous ownership, whose pending writes are not known here; or null
     */
    public TableOwnership(
            Progress progress,
            Scope scope,
            Admission admission,
            ConflictListener conflicts,
            @Nullable Handovers handovers,
            @Nullable TableOwnership before) {
        this.scope = scope;
        boolean simulated = scope.simulated();
        this.admission = admission;
        this.conflicts = conflicts;
        this.handovers = handovers;
        tables = new FollowedTables(progress, scope.maxTables(), simulated);
        activity = new TableEntry("any", progress, simulated);
        inheritance = new Inheritance(progress, simulated, before);
        unknown = tables.unknown();
        logged = new LoggedWrites(tables, inheritance, progress, simulated, conflicts);
        report = new OwnershipReport(tables, simulated);
        if (before != null) {
            before.tables.keptInDefault().forEach(name -> tables.entry(name).setUnsteerable());
        }
    }

    /** Returns what it follows: another scope needs another ownership. */
    public Scope scope() {
        return scope;
    }

    /** See {@link FollowedTables#entry}. */
    TableEntry entry(String name) {
        return tables.entry(name);
    }

    /** Returns the entry that stands for unknown tables. */
    public TableEntry unknown() {
        return unknown;
    }

    /**
     * Decides the domain of a single statement outside transactions and makes it an owner of the tables.
     *
     * @param entries its tables in the order of their names; the entry of unknown tables if they are unknown
     * @param wanted index of the rule's domain
     * @param pin whether the guard decides; otherwise the rule's domain is taken
     * @param work kind of the write; only {@link Work#TABLES} may leave the default domain
     */
    public PendingWrite decide(TableEntry[] entries, int wanted, boolean pin, Work work, long digest) {
        if (!pin) {
            return force(entries, wanted, Conflict.WRITTEN_ANYWAY, work, digest, false);
        }
        if (work != Work.TABLES || entries[0] == unknown) {
            return force(entries, DomainIndexes.DEFAULT, Conflict.TWO_DOMAINS, work, digest, true);
        }
        boolean admitted = wanted == DomainIndexes.DEFAULT || admitted(entries, wanted);
        PinDecision decision = new PinDecision(inheritance, entries, wanted, admitted, digest, report.period());
        if (!decision.take()) {
            return decide(tables.current(entries), wanted, true, work, digest);
        }
        Conflict conflict = decision.conflict;
        if (conflict != null) {
            conflicts.onConflict(conflict, decision.at, digest, decision.index, decision.otherDigest, decision.other);
        }
        if (handovers != null && decision.changesDomain) {
            handovers.handedOver();
        }
        beginsIn(decision.index);
        return new PendingWrite(this, entries, decision.index);
    }

    /**
     * Makes a domain an owner of tables that will be written in it whatever the guard would decide.
     *
     * @param kind the conflict if another domain owns one of them
     * @param mark whether they must not leave the default domain from now on, because they can be written like this
     */
    public PendingWrite force(TableEntry[] entries, int index, Conflict kind, Work work, long digest, boolean mark) {
        TableEntry[] resolved = entries;
        int active = work == Work.UNKNOWN ? owners(activity) & ~(1 << index) : 0;
        if (active != 0) {
            int other = Integer.numberOfTrailingZeros(active);
            conflicts.onConflict(Conflict.UNKNOWN_TABLES, unknown.name, digest, index, 0, other);
        }
        for (int i = 0; i < resolved.length; i++) {
            TableEntry entry = resolved[i];
            int others;
            long otherDigest;
            boolean dropped;
            synchronized (entry) {
                dropped = entry.dropped();
                others = 0;
                otherDigest = 0;
                if (!dropped) {
                    others = (owners(entry) | inheritance.owners()) & ~(1 << index);
                    otherDigest = entry.lastDigest(others == 0 ? index : Integer.numberOfTrailingZeros(others));
                    entry.begin(index, digest);
                    entry.want(index, report.period());
                    if (mark && entry != unknown) {
                        entry.setUnsteerable();
                    }
                }
            }
            if (dropped) {
                if (resolved == entries) {
                    resolved = entries.clone();
                }
                resolved[i] = tables.entry(entry.name);
                i--;
            } else if (others != 0 && entry != unknown) {
                conflicts.onConflict(
                        kind, entry.name, digest, index, otherDigest, Integer.numberOfTrailingZeros(others));
            }
        }
        beginsIn(index);
        return new PendingWrite(this, resolved, index);
    }

    /** Called when the server refused the domain: the write runs in another one. */
    void move(PendingWrite pending, int to, long digest) {
        for (TableEntry entry : pending.entries) {
            int others;
            synchronized (entry) {
                entry.move(pending.index(), to);
                others = (owners(entry) | inheritance.owners()) & ~(1 << to);
            }
            if (others != 0 && entry != unknown) {
                int other = Integer.numberOfTrailingZeros(others);
                conflicts.onConflict(Conflict.REFUSED, entry.name, digest, to, 0, other);
            }
        }
        synchronized (activity) {
            activity.move(pending.index(), to);
        }
        pending.moved(to);
    }

    /** Keeps tables in the default domain from now on. */
    void mark(TableEntry[] entries) {
        for (TableEntry entry : entries) {
            if (entry != unknown) {
                synchronized (entry) {
                    entry.setUnsteerable();
                }
            }
        }
    }

    /** Called when the write and its transaction have ended. */
    void release(PendingWrite pending) {
        boolean mayBecomeFree = false;
        for (TableEntry entry : pending.entries) {
            synchronized (entry) {
                mayBecomeFree |= entry.end(pending.index());
            }
        }
        synchronized (activity) {
            activity.end(pending.index());
        }
        inFlight.decrementAndGet();
        if (mayBecomeFree && handovers != null) {
            handovers.mayBecomeFree();
        }
    }

    private void beginsIn(int index) {
        inFlight.incrementAndGet();
        synchronized (activity) {
            activity.begin(index, 0);
        }
    }

    private static int owners(TableEntry entry) {
        synchronized (entry) {
            return entry.owners();
        }
    }

    private boolean admitted(TableEntry[] entries, int wanted) {
        for (TableEntry entry : entries) {
            if (!admission.mayLeaveDefault(entry.name)) {
                return false;
            }
        }
        // A procedure's tables are unknown: it may have written this one.
        return (owners(unknown) & ~(1 << wanted)) == 0;
    }

    /** Returns the number of pending writes. */
    public int inFlight() {
        return inFlight.get();
    }

    public int size() {
        return tables.size();
    }

    public boolean full() {
        return tables.full();
    }

    /** Returns whether it has pending writes, or an ownership before it that is not settled yet has some. */
    boolean anyInFlight() {
        return inFlight() > 0 || inheritance.inFlight();
    }

    /** Returns whether a table was found to be written in a way that a proxy cannot steer. */
    public boolean keptInDefault(String name) {
        TableEntry entry = tables.find(name);
        if (entry == null) {
            return false;
        }
        synchronized (entry) {
            return entry.unsteerable();
        }
    }

    /** Grants nothing until {@link #free}; called before it is used. */
    void hold() {
        inheritance.hold();
    }

    void free() {
        inheritance.free();
    }

    /** Called by the poller behind each probe: see {@link Inheritance#settle}. */
    public void settle() {
        inheritance.settle();
    }

    /** Called by the poller: see {@link FollowedTables#makeRoom}. */
    public void makeRoom(Predicate<String> exists) {
        tables.makeRoom(exists);
    }

    /** Returns by domain the highest sequence number that some standby has not reached and that a table waits for. */
    Map<Long, Long> unapplied() {
        Map<Long, Long> highest = inherited();
        entries().forEach(entry -> {
            synchronized (entry) {
                entry.addUnapplied(highest);
            }
        });
        return highest;
    }

    /** Returns the same of the writes before the start. */
    Map<Long, Long> inherited() {
        Map<Long, Long> highest = new TreeMap<>();
        inheritance.addUnapplied(highest);
        return highest;
    }

    /** Gives a new bound to the writes that the primary has lost, from the next probe. */
    void forget(GtidPosition primary) {
        inheritance.forget(primary);
        entries().forEach(entry -> {
            synchronized (entry) {
                entry.forget(primary);
            }
        });
    }

    private Stream<TableEntry> entries() {
        return Stream.concat(Stream.of(unknown, activity), tables.all().stream());
    }

    /** Returns why no table may leave the default domain, if that does not end by itself; or null. */
    public @Nullable String problem() {
        return inheritance.problem();
    }

    /** Returns the bit set of the domain indexes that own a table now. */
    public int ownersOf(String name) {
        TableEntry entry = tables.find(name);
        return inheritance.owners() | (entry == null ? 0 : owners(entry));
    }
}
