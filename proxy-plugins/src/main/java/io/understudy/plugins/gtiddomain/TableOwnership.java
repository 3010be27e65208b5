package io.understudy.plugins.gtiddomain;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Which domains own a table: those with writes to it that are in flight, or not yet applied by every standby. A table may
 * pass to another domain only when no domain owns it. Any thread; a decision holds one table's monitor for some
 * nanoseconds, and decides and claims at once, so that two sessions cannot both be granted a free table.
 *
 * <p>Of a table never seen it is not known what was written to it before the proxy started, so the default domain owns it
 * until the standbys have caught up with that moment.
 */
final class TableOwnership {
    /** Told of every conflict, on the event loop of the session whose write it was; must be quick. */
    interface ConflictListener {
        /**
         * A conflict.
         *
         * @param table the table's name
         * @param digest of the write
         * @param slot the domain that the write goes to
         * @param otherDigest of the last write in the other domain
         * @param otherSlot that domain
         */
        void onConflict(Conflict kind, String table, long digest, int slot, long otherDigest, int otherSlot);
    }

    /** Why a write is not granted its rule's domain although nobody else owns its table. */
    interface Admission {
        /** Whether the table may leave the default domain at all. */
        boolean mayLeaveDefault(String table);
    }

    /** What the binary log adds. */
    final LoggedWrites logged;
    /** For the admin endpoint. */
    final OwnershipReport report;

    private final Progress progress;
    private final boolean simulated;
    private final Admission admission;
    private final ConflictListener conflicts;
    private final Passages passages;
    private final FollowedTables tables;
    private final Inheritance inheritance;
    private final AtomicInteger inFlight = new AtomicInteger();
    private final TableEntry unknown;
    private final DomainActivity activity = new DomainActivity();

    /**
     * An empty table.
     *
     * @param simulated domains are only thought of, so that a standby's position in them says nothing
     * @param before what followed the sessions' writes until now, whose writes in flight are not known here; or null
     */
    TableOwnership(
            Progress progress,
            int maxTables,
            boolean simulated,
            Admission admission,
            ConflictListener conflicts,
            Passages passages,
            @Nullable TableOwnership before) {
        this.progress = progress;
        this.simulated = simulated;
        this.admission = admission;
        this.conflicts = conflicts;
        this.passages = passages;
        tables = new FollowedTables(progress, maxTables, simulated);
        inheritance = new Inheritance(progress, simulated, before);
        unknown = tables.unknown();
        logged = new LoggedWrites(tables, inheritance, progress, simulated, conflicts);
        report = new OwnershipReport(tables, simulated);
        if (before != null) {
            before.tables.keptInDefault().forEach(name -> tables.entry(name).setUnsteerable());
        }
    }

    /** See {@link FollowedTables#entry}. */
    TableEntry entry(String name) {
        return tables.entry(name);
    }

    /** Stands for tables that are not known. */
    TableEntry unknown() {
        return unknown;
    }

    /**
     * Decides the domain of a single statement outside of transactions and claims its tables for it.
     *
     * @param entries its tables in the order of their names; the entry of unknown tables if they are not known
     * @param wanted the rule's slot
     * @param pin whether the guard decides; otherwise the rule's slot it is
     * @param work what writes them; only {@link Work#TABLES} may leave the default domain
     */
    Claim decide(TableEntry[] entries, int wanted, boolean pin, Work work, long digest) {
        if (!pin) {
            return force(entries, wanted, Conflict.WRITTEN_ANYWAY, work, digest, false);
        }
        if (work != Work.TABLES || entries[0] == unknown) {
            return force(entries, DomainSlots.DEFAULT, Conflict.TWO_DOMAINS, work, digest, true);
        }
        boolean admitted = wanted == DomainSlots.DEFAULT || admitted(entries, wanted);
        PinDecision decision = new PinDecision(progress, simulated, inheritance, entries, wanted, admitted, digest);
        if (!decision.take()) {
            return decide(tables.current(entries), wanted, true, work, digest);
        }
        inFlight.incrementAndGet();
        Conflict conflict = decision.conflict;
        if (conflict != null) {
            conflicts.onConflict(conflict, decision.at, digest, decision.slot, decision.otherDigest, decision.other);
        }
        if (decision.waits) {
            passages.waits(entries, decision.slot);
        } else if (decision.passes) {
            passages.passed(entries);
        }
        activity.begin(decision.slot);
        return new Claim(this, entries, decision.slot);
    }

    /**
     * Claims tables for the domain in which they will be written whatever the guard thinks of it.
     *
     * @param kind what it is called if another domain owns one of them
     * @param mark they can be written like this, so they shall not leave the default domain from now on
     */
    Claim force(TableEntry[] entries, int slot, Conflict kind, Work work, long digest, boolean mark) {
        TableEntry[] claimed = entries;
        int active = work == Work.UNKNOWN ? activity.slots(progress, simulated) & ~(1 << slot) : 0;
        if (active != 0) {
            int other = Integer.numberOfTrailingZeros(active);
            conflicts.onConflict(Conflict.UNKNOWN_TABLES, unknown.name, digest, slot, 0, other);
        }
        for (int i = 0; i < claimed.length; i++) {
            TableEntry entry = claimed[i];
            int others;
            long otherDigest;
            boolean dropped;
            synchronized (entry) {
                dropped = entry.dropped();
                others = 0;
                otherDigest = 0;
                if (!dropped) {
                    others = owners(entry) & ~(1 << slot);
                    otherDigest = entry.lastDigest(others == 0 ? slot : Integer.numberOfTrailingZeros(others));
                    entry.begin(slot, digest);
                    entry.want(slot, progress.epoch());
                    if (mark && entry != unknown) {
                        entry.setUnsteerable();
                    }
                }
            }
            if (dropped) {
                if (claimed == entries) {
                    claimed = entries.clone();
                }
                claimed[i] = tables.entry(entry.name);
                i--;
            } else if (others != 0 && entry != unknown) {
                conflicts.onConflict(
                        kind, entry.name, digest, slot, otherDigest, Integer.numberOfTrailingZeros(others));
            }
        }
        inFlight.incrementAndGet();
        activity.begin(slot);
        return new Claim(this, claimed, slot);
    }

    /** The server refused the domain: the write runs in another one. */
    void move(Claim claim, int to, long digest) {
        for (TableEntry entry : claim.entries) {
            int others;
            synchronized (entry) {
                entry.move(claim.slot(), to);
                others = owners(entry) & ~(1 << to);
            }
            if (others != 0 && entry != unknown) {
                int other = Integer.numberOfTrailingZeros(others);
                conflicts.onConflict(Conflict.REFUSED, entry.name, digest, to, 0, other);
            }
        }
        activity.move(claim.slot(), to);
        claim.moved(to);
    }

    /** The write and its transaction are over. */
    void release(Claim claim) {
        // Read before the monitors are taken: an epoch too early would be wrong, but the server's answer is here.
        long epoch = progress.epoch();
        for (TableEntry entry : claim.entries) {
            synchronized (entry) {
                entry.end(claim.slot(), epoch);
            }
        }
        activity.end(claim.slot(), epoch);
        inFlight.decrementAndGet();
    }

    private int owners(TableEntry entry) {
        int owners = entry.outstanding(progress, simulated);
        return owners | inheritance.owners();
    }

    private boolean admitted(TableEntry[] entries, int wanted) {
        for (TableEntry entry : entries) {
            if (!admission.mayLeaveDefault(entry.name)) {
                return false;
            }
        }
        synchronized (unknown) {
            // A procedure's tables are not known: it may have written this one.
            return (unknown.outstanding(progress, simulated) & ~(1 << wanted)) == 0;
        }
    }

    /** Claims not yet released. */
    int inFlight() {
        return inFlight.get();
    }

    int size() {
        return tables.size();
    }

    boolean full() {
        return tables.full();
    }

    /** Called now and then by the poller: see {@link Inheritance#settle}. */
    void settle() {
        inheritance.settle();
    }

    /** Owners of a table now, as bits of slots. */
    int ownersOf(String name) {
        TableEntry entry = tables.find(name);
        if (entry == null) {
            return inheritance.owners();
        }
        synchronized (entry) {
            return owners(entry);
        }
    }
}
