package io.understudy.plugins.gtiddomain;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
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

    private final Progress progress;
    private final int maxTables;
    private final boolean simulated;
    private final Admission admission;
    private final ConflictListener conflicts;
    private final @Nullable TableOwnership before;
    private final ConcurrentHashMap<String, TableEntry> tables = new ConcurrentHashMap<>();
    private final AtomicInteger inFlight = new AtomicInteger();
    private final AtomicBoolean sweeping = new AtomicBoolean();
    private final TableEntry unknown;
    /** Epoch from which on all writes are known; no domain is granted before. */
    private volatile long knownSince;

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
            @Nullable TableOwnership before) {
        this.progress = progress;
        this.maxTables = maxTables;
        this.simulated = simulated;
        this.admission = admission;
        this.conflicts = conflicts;
        this.before = before;
        knownSince = before == null ? progress.epoch() : Long.MAX_VALUE;
        unknown = new TableEntry("*", 0);
    }

    /**
     * The table's entry, or the one of unknown tables when there are too many.
     *
     * @param name lower case {@code schema.table}
     */
    TableEntry entry(String name) {
        TableEntry entry = tables.get(name);
        if (entry != null) {
            return entry;
        }
        if (tables.size() >= maxTables && !sweep()) {
            return unknown;
        }
        return tables.computeIfAbsent(name, key -> new TableEntry(key, 0));
    }

    /** Stands for tables that are not known. */
    TableEntry unknown() {
        return unknown;
    }

    /** Drops what nobody owns. One thread at a time; the others do without. */
    private boolean sweep() {
        if (!sweeping.compareAndSet(false, true)) {
            return false;
        }
        try {
            for (TableEntry entry : tables.values()) {
                synchronized (entry) {
                    if (!entry.unsteerable() && entry.outstanding(progress, simulated) == 0) {
                        entry.drop();
                        tables.remove(entry.name, entry);
                    }
                }
            }
            return tables.size() < maxTables;
        } finally {
            sweeping.set(false);
        }
    }

    /**
     * Decides the domain of a single statement outside of transactions and claims its tables for it.
     *
     * @param entries its tables; the entry of unknown tables if they are not known
     * @param wanted the rule's slot
     * @param pin whether the guard decides; otherwise the rule's slot it is
     */
    Claim decide(TableEntry[] entries, int wanted, boolean pin, long digest) {
        if (!pin) {
            return force(entries, wanted, Conflict.WRITTEN_ANYWAY, digest, false);
        }
        if (entries.length != 1 || entries[0] == unknown) {
            // Tables that are written together are dependent, and two monitors cannot be had at once without an order.
            return force(entries, DomainSlots.DEFAULT, Conflict.TWO_DOMAINS, digest, true);
        }
        TableEntry entry = entries[0];
        boolean admitted = wanted == DomainSlots.DEFAULT || admitted(entry.name, wanted);
        int slot;
        int other;
        long otherDigest;
        Conflict conflict = null;
        synchronized (entry) {
            if (entry.dropped()) {
                return decide(new TableEntry[] {entry(entry.name)}, wanted, true, digest);
            }
            int owners = owners(entry);
            int others = owners & ~(1 << wanted);
            other = others == 0 ? wanted : Integer.numberOfTrailingZeros(others);
            if (others == 0) {
                // Owned by the domain that is wanted, or free.
                slot = owners != 0 || admitted && !entry.unsteerable() ? wanted : DomainSlots.DEFAULT;
            } else if (owners == 1 << other && other != DomainSlots.FOREIGN) {
                slot = other;
                conflict = Conflict.PINNED;
            } else {
                slot = DomainSlots.DEFAULT;
                conflict = Conflict.TWO_DOMAINS;
            }
            otherDigest = entry.lastDigest(other);
            entry.begin(slot, digest);
        }
        inFlight.incrementAndGet();
        if (conflict != null) {
            conflicts.onConflict(conflict, entry.name, digest, slot, otherDigest, other);
        }
        return new Claim(this, entries, slot);
    }

    /**
     * Claims tables for the domain in which they will be written whatever the guard thinks of it.
     *
     * @param kind what it is called if another domain owns one of them
     * @param mark they can be written like this, so they shall not leave the default domain from now on
     */
    Claim force(TableEntry[] entries, int slot, Conflict kind, long digest, boolean mark) {
        TableEntry[] claimed = entries;
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
                    if (mark && entry != unknown) {
                        entry.setUnsteerable();
                    }
                }
            }
            if (dropped) {
                if (claimed == entries) {
                    claimed = entries.clone();
                }
                claimed[i] = entry(entry.name);
                i--;
            } else if (others != 0 && entry != unknown) {
                conflicts.onConflict(
                        kind, entry.name, digest, slot, otherDigest, Integer.numberOfTrailingZeros(others));
            }
        }
        inFlight.incrementAndGet();
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
        claim.moved(to);
    }

    /** The write and its transaction are over. */
    void release(Claim claim) {
        // Read before the monitors are taken: an epoch that is too early would be wrong, but it cannot be one, since
        // the
        // server's answer is here.
        long epoch = progress.epoch();
        for (TableEntry entry : claim.entries) {
            synchronized (entry) {
                entry.end(claim.slot(), epoch);
            }
        }
        inFlight.decrementAndGet();
    }

    private int owners(TableEntry entry) {
        int owners = entry.outstanding(progress, simulated);
        return owners | ownersFromBefore();
    }

    /** What was written before anyone looked, by whatever way and in whatever domain. */
    private int ownersFromBefore() {
        return knownSince > progress.applied(DomainSlots.FOREIGN) ? 1 << DomainSlots.DEFAULT : 0;
    }

    private boolean admitted(String table, int wanted) {
        if (!admission.mayLeaveDefault(table)) {
            return false;
        }
        synchronized (unknown) {
            // A procedure's tables are not known: it may have written this one.
            return (unknown.outstanding(progress, simulated) & ~(1 << wanted)) == 0;
        }
    }

    /** Called now and then by the poller: ends the wait for writes that were in flight when this was made. */
    void settle() {
        if (before != null && knownSince == Long.MAX_VALUE && before.inFlight.get() == 0) {
            knownSince = progress.epoch();
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
        return tables.size() >= maxTables;
    }

    /** A table that was written from more than one domain, for the admin endpoint. */
    record Contested(String table, List<Long> writesBySlot, boolean unsteerable) {}

    /** The tables written from more than one domain since the start, at most so many. */
    List<Contested> contested(int limit) {
        List<Contested> found = new ArrayList<>();
        for (TableEntry entry : tables.values()) {
            long[] writes = new long[DomainSlots.LENGTH];
            boolean unsteerable;
            synchronized (entry) {
                for (int slot = 0; slot < writes.length; slot++) {
                    writes[slot] = entry.writes(slot);
                }
                unsteerable = entry.unsteerable();
            }
            if (Arrays.stream(writes).filter(w -> w > 0).count() > 1) {
                found.add(
                        new Contested(entry.name, Arrays.stream(writes).boxed().toList(), unsteerable));
                if (found.size() == limit) {
                    break;
                }
            }
        }
        return found;
    }

    /** Owners of a table now, as bits of slots. */
    int ownersOf(String name) {
        TableEntry entry = tables.get(name);
        if (entry == null) {
            return ownersFromBefore();
        }
        synchronized (entry) {
            return owners(entry);
        }
    }
}
