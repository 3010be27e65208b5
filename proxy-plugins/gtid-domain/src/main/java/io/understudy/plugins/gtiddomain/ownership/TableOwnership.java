package io.understudy.plugins.gtiddomain.ownership;

import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.plugins.gtiddomain.progress.GtidPosition;
import io.understudy.plugins.gtiddomain.progress.Progress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The owners of each table: the domains with writes to it that are in flight, or not yet applied by every standby. A
 * table may be handed over to another domain only when no domain owns it. Thread-safe: one monitor, this object, is
 * held for some nanoseconds a decision, and a decision marks its tables as owned in the same step, so that two sessions
 * cannot both be granted a free table. What walks over all tables takes it for each.
 *
 * <p>Writes before the proxy's start are unknown, so the default domain owns every table until the standbys have
 * applied everything up to then.
 */
public final class TableOwnership {
    /**
     * A conflict.
     *
     * @param table the table's name
     * @param digest of the write
     * @param index index of the domain that the write goes to
     * @param otherDigest of the last write in the other domain
     * @param otherIndex index of that domain
     */
    public record Met(Conflict kind, String table, long digest, int index, long otherDigest, int otherIndex) {}

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

    private final Progress progress;
    private final Scope scope;
    private final Predicate<String> mayLeaveDefault;
    private final Consumer<Met> conflicts;
    private final @Nullable Handovers handovers;
    private final ConcurrentHashMap<String, TableEntry> tables = new ConcurrentHashMap<>();
    final Inheritance inheritance;
    private final TableEntry unknown;
    /** One table for which there is no room. No other array is equal to it. */
    private final TableEntry[] unfollowed;
    /** Every write, whatever its tables. */
    private final TableEntry activity;

    /** Conflicts to report when the monitor is released. Guarded by the monitor. */
    private List<Met> met = List.of();

    private int inFlight;

    /**
     * An ownership without tables.
     *
     * @param mayLeaveDefault whether a table that no other domain owns may leave the default domain at all
     * @param conflicts receives every one, on the thread that met it, without the monitor; must be fast
     * @param handovers of the tables; null if nobody waits for one
     * @param before the previous ownership, whose pending writes are not known here; or null
     */
    public TableOwnership(
            Progress progress,
            Scope scope,
            Predicate<String> mayLeaveDefault,
            Consumer<Met> conflicts,
            @Nullable Handovers handovers,
            @Nullable TableOwnership before) {
        this.progress = progress;
        this.scope = scope;
        this.mayLeaveDefault = mayLeaveDefault;
        this.conflicts = conflicts;
        this.handovers = handovers;
        unknown = made("*");
        unfollowed = new TableEntry[] {unknown};
        activity = made("any");
        inheritance = new Inheritance(made("earlier"), this, scope.simulated(), before);
        logged = new LoggedWrites(this, inheritance, progress);
        report = new OwnershipReport(this);
        if (before != null) {
            before.tables.forEach((name, entry) -> {
                Conflict kept = before.kept(name);
                if (kept != null) {
                    entry(name).keep(kept);
                }
            });
        }
    }

    private TableEntry made(String name) {
        return new TableEntry(name, this, progress, scope.simulated());
    }

    /** Returns what it follows: another scope needs another ownership. */
    public Scope scope() {
        return scope;
    }

    /**
     * Returns the table's entry, or the entry of unknown tables if there are too many.
     *
     * @param name lower case {@code schema.table}
     */
    TableEntry entry(String name) {
        TableEntry entry = tables.get(name);
        return entry != null ? entry : full() ? unknown : tables.computeIfAbsent(name, this::made);
    }

    /** Returns the entry that stands for unknown tables. */
    public TableEntry unknown() {
        return unknown;
    }

    /** Returns what stands for one table for which there is no room; not to be modified. */
    TableEntry[] unfollowed() {
        return unfollowed;
    }

    Collection<TableEntry> tables() {
        return tables.values();
    }

    /** Returns the entry, or null if the table has none. */
    @Nullable
    TableEntry find(String name) {
        return tables.get(name);
    }

    /**
     * Decides the domain of a single statement outside transactions and makes it an owner of the tables. A statement's
     * tables are decided as a whole.
     *
     * @param touched its tables; the entry of unknown tables if they are unknown
     * @param wanted index of the rule's domain
     * @param pin whether the guard decides; otherwise the rule's domain is taken
     * @param work kind of the write; only {@link Work#TABLES} may leave the default domain
     */
    public PendingWrite decide(TableEntry[] touched, int wanted, boolean pin, Work work, long digest) {
        if (!pin) {
            return force(touched, wanted, Conflict.WRITTEN_ANYWAY, work, digest, false);
        }
        // The dictionary is asked without the monitor.
        boolean mayLeave = work == Work.TABLES && (wanted == DomainIndexes.DEFAULT || mayLeaveDefault(touched));
        PendingWrite pending;
        List<Met> found;
        synchronized (this) {
            TableEntry[] entries = current(touched);
            if (work != Work.TABLES || entries[0] == unknown) {
                pending = forced(entries, DomainIndexes.DEFAULT, Conflict.TWO_DOMAINS, work, digest, true);
            } else {
                // A procedure's tables are unknown: it may have written these.
                boolean admitted =
                        mayLeave && (wanted == DomainIndexes.DEFAULT || (unknown.owners() & ~(1 << wanted)) == 0);
                pending = pinned(entries, wanted, admitted, digest);
            }
            found = takeMet();
        }
        report(found);
        return pending;
    }

    /** Keeps a conflict until {@link #takeMet}; called under the monitor. */
    void meet(Conflict kind, String table, long digest, int index, long otherDigest, int other) {
        if (met.isEmpty()) {
            met = new ArrayList<>(1);
        }
        met.add(new Met(kind, table, digest, index, otherDigest, other));
    }

    /** Returns what was met under the monitor, which is still held. */
    List<Met> takeMet() {
        List<Met> taken = met;
        met = List.of();
        return taken;
    }

    /** Reports conflicts; called without the monitor, which all event loops need. */
    void report(List<Met> found) {
        for (int i = 0; i < found.size(); i++) {
            conflicts.accept(found.get(i));
        }
    }

    /** @param admitted whether the tables may leave the default domain at all */
    private PendingWrite pinned(TableEntry[] entries, int wanted, boolean admitted, long digest) {
        int inherited = inheritance.owners();
        int owners = inherited;
        boolean stuck = false;
        for (TableEntry entry : entries) {
            owners |= entry.owners();
            stuck |= entry.unsteerable();
        }
        int others = owners & ~(1 << wanted);
        int index = owners != 0 || admitted && !stuck ? wanted : DomainIndexes.DEFAULT;
        Conflict conflict = null;
        if (others != 0) {
            int first = Integer.numberOfTrailingZeros(others);
            boolean sole = owners == 1 << first && first != DomainIndexes.FOREIGN;
            index = sole ? first : DomainIndexes.DEFAULT;
            conflict = sole ? Conflict.PINNED : Conflict.TWO_DOMAINS;
            onConflict(conflict, entries, sole ? owners : owners & ~(1 << index), digest, index);
        }
        // Only the owner's unapplied writes prevent a handover.
        boolean waits =
                conflict == Conflict.PINNED && inherited == 0 && admitted && !stuck && wanted != DomainIndexes.DEFAULT;
        // One of them must stay in the default domain, so all must return there when they are free. What was before the
        // start shows nothing of them, and a single table becomes free of two domains as of one.
        boolean torn = entries.length > 1
                && (conflict == Conflict.TWO_DOMAINS && inherited == 0
                        || (stuck || !admitted) && index != DomainIndexes.DEFAULT);
        boolean moves = false;
        for (TableEntry entry : entries) {
            moves |= entry.begin(index, digest);
            entry.claim(wanted).wanted = report.period();
            if (waits) {
                entry.waitedFor();
            }
            if (torn) {
                entry.keep(Conflict.TWO_DOMAINS);
            }
        }
        if (moves && handovers != null) {
            handovers.handedOver();
        }
        return begun(entries, index);
    }

    /** Keeps the conflict with the first of some owners, or for a pinned write the one that it follows. */
    private void onConflict(Conflict kind, TableEntry[] entries, int against, long digest, int index) {
        int other = Integer.numberOfTrailingZeros(against);
        TableEntry at = entries[0];
        for (TableEntry entry : entries) {
            at = (entry.owners() & 1 << other) != 0 ? entry : at;
        }
        meet(kind, at.name, digest, index, at.lastDigest(other), other);
    }

    private boolean mayLeaveDefault(TableEntry[] entries) {
        for (TableEntry entry : entries) {
            if (!mayLeaveDefault.test(entry.name)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns the current entries of the same names; if one of them is followed no more, they are unknown as a whole.
     */
    private TableEntry[] current(TableEntry[] entries) {
        TableEntry[] fresh = fresh(entries);
        for (TableEntry entry : fresh) {
            if (entry == unknown && fresh != entries && fresh.length > 1) {
                return new TableEntry[] {unknown};
            }
        }
        return fresh;
    }

    /** Returns the current entries of the same names: others made room since the statement was resolved. */
    private TableEntry[] fresh(TableEntry[] entries) {
        TableEntry[] fresh = entries;
        for (int i = 0; i < entries.length; i++) {
            if (entries[i].dropped()) {
                fresh = fresh == entries ? entries.clone() : fresh;
                fresh[i] = entry(entries[i].name);
            }
        }
        return fresh != entries && fresh.length == 1 && fresh[0] == unknown ? unfollowed : fresh;
    }

    /**
     * Makes a domain an owner of tables that will be written in it whatever the guard would decide.
     *
     * @param kind the conflict if another domain owns one of them
     * @param mark whether they must not leave the default domain from now on, because they can be written like this
     */
    public PendingWrite force(TableEntry[] touched, int index, Conflict kind, Work work, long digest, boolean mark) {
        PendingWrite pending;
        List<Met> found;
        synchronized (this) {
            pending = forced(touched, index, kind, work, digest, mark);
            found = takeMet();
        }
        report(found);
        return pending;
    }

    private PendingWrite forced(TableEntry[] touched, int index, Conflict kind, Work work, long digest, boolean mark) {
        TableEntry[] entries = fresh(touched);
        int active = activity.owners() & ~(1 << index);
        if (active != 0 && hidden(entries, work)) {
            int other = Integer.numberOfTrailingZeros(active);
            meet(Conflict.UNKNOWN_TABLES, unknown.name, digest, index, 0, other);
        }
        for (TableEntry entry : entries) {
            if (entry != unknown) {
                if (mark) {
                    entry.keep(
                            switch (work) {
                                case TABLES -> kind;
                                case SEVERAL -> Conflict.TRANSACTION; // one of them may begin one
                                default -> Conflict.UNKNOWN_TABLES;
                            });
                }
                conflict(kind, entry, index, digest);
            }
            entry.begin(index, digest);
            entry.claim(index).wanted = report.period();
        }
        return begun(entries, index);
    }

    /** Returns whether a write's tables are unknown: of known ones too, there may be too many to be followed. */
    private boolean hidden(TableEntry[] entries, Work work) {
        if (work == Work.UNKNOWN) {
            return true;
        }
        // A table for which there is no room never leaves the default domain, so alone it meets no other one.
        if (!work.tablesKnown() || entries == unfollowed) {
            return false;
        }
        for (TableEntry entry : entries) {
            if (entry == unknown) {
                return true;
            }
        }
        return false;
    }

    /** Keeps a conflict if another domain owns the table. */
    private void conflict(Conflict kind, TableEntry entry, int index, long digest) {
        int others = (entry.owners() | inheritance.owners()) & ~(1 << index);
        if (others != 0) {
            int other = Integer.numberOfTrailingZeros(others);
            meet(kind, entry.name, digest, index, entry.lastDigest(other), other);
        }
    }

    private PendingWrite begun(TableEntry[] entries, int index) {
        inFlight++;
        activity.begin(index, 0);
        return new PendingWrite(this, entries, index);
    }

    /** Called when the server refused the domain: the write runs in another one. */
    void move(PendingWrite pending, int to, long digest) {
        List<Met> found;
        synchronized (this) {
            for (TableEntry entry : pending.entries) {
                entry.move(pending.index(), to);
                if (entry != unknown) {
                    conflict(Conflict.REFUSED, entry, to, digest);
                }
            }
            activity.move(pending.index(), to);
            pending.moved(to);
            found = takeMet();
        }
        report(found);
    }

    /** Keeps tables in the default domain from now on. */
    synchronized void mark(TableEntry[] entries) {
        for (TableEntry entry : entries) {
            if (entry != unknown) {
                entry.keep(Conflict.REFUSED);
            }
        }
    }

    /** Called when the write and its transaction have ended. */
    void release(PendingWrite pending) {
        boolean mayBecomeFree = false;
        synchronized (this) {
            for (TableEntry entry : pending.entries) {
                mayBecomeFree |= entry.end(pending.index());
            }
            activity.end(pending.index());
            inFlight--;
        }
        if (mayBecomeFree && handovers != null) {
            handovers.mayBecomeFree();
        }
    }

    /** Returns the number of pending writes. */
    public synchronized int inFlight() {
        return inFlight;
    }

    public int size() {
        return tables.size();
    }

    public boolean full() {
        return tables.size() >= scope.maxTables();
    }

    /** Returns whether it has pending writes, or an ownership before it that is not settled yet has some. */
    boolean anyInFlight() {
        return inFlight() > 0 || inheritance.inFlight();
    }

    /** Returns the kind of write that has shown that a proxy cannot steer the table's; null if none has. */
    public synchronized @Nullable Conflict kept(String name) {
        TableEntry entry = find(name);
        return entry == null ? null : entry.kept();
    }

    /** Returns the bit set of the domain indexes that own a table now. */
    public synchronized int ownersOf(String name) {
        TableEntry entry = find(name);
        return inheritance.owners() | (entry == null ? 0 : entry.owners());
    }

    /** Called by the poller behind each probe: see {@link Inheritance#settle}. */
    public void settle() {
        inheritance.settle();
    }

    /** Returns why no table may leave the default domain, if that does not end by itself; or null. */
    public @Nullable String problem() {
        return inheritance.problem();
    }

    /**
     * Drops tables without an owner if a quarter of the room or less is left. Called by the poller.
     *
     * @param exists whether a table that stays in the default domain is still there
     */
    public void makeRoom(Predicate<String> exists) {
        if (tables.size() < scope.maxTables() - scope.maxTables() / 4) {
            return;
        }
        for (TableEntry entry : tables.values()) {
            synchronized (this) {
                if (entry.owners() == 0 && !(entry.unsteerable() && exists.test(entry.name))) {
                    entry.drop();
                    tables.remove(entry.name, entry);
                }
            }
        }
    }

    /** Returns by domain the highest sequence number that some standby has not reached and that a table waits for. */
    Map<Long, Long> unapplied() {
        Map<Long, Long> highest = inherited();
        forEach(entry -> entry.claims().forEach(claim -> claim.addUnapplied(highest)));
        return highest;
    }

    /** Returns the same of the writes before the start. */
    synchronized Map<Long, Long> inherited() {
        Map<Long, Long> highest = new TreeMap<>();
        inheritance.earlier.claims().forEach(claim -> claim.addUnapplied(highest));
        return highest;
    }

    /** Gives a new bound to the writes that the primary has lost, from the next probe. */
    void forget(GtidPosition primary) {
        forEach(entry -> entry.forget(primary));
        synchronized (this) {
            inheritance.earlier.forget(primary);
        }
    }

    private void forEach(Consumer<TableEntry> action) {
        for (TableEntry entry : tables.values()) {
            synchronized (this) {
                action.accept(entry);
            }
        }
        synchronized (this) {
            action.accept(unknown);
            action.accept(activity);
        }
    }
}
