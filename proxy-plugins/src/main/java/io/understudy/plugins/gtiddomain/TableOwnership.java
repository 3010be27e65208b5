package io.understudy.plugins.gtiddomain;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
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
        if (before != null) {
            before.keptInDefault().forEach(name -> entry(name).setUnsteerable());
        }
    }

    /** Tables found to be written in ways that a proxy cannot steer. */
    private List<String> keptInDefault() {
        List<String> names = new ArrayList<>();
        for (TableEntry entry : tables.values()) {
            synchronized (entry) {
                if (entry.unsteerable()) {
                    names.add(entry.name);
                }
            }
        }
        return names;
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
     * @param entries its tables in the order of their names; the entry of unknown tables if they are not known
     * @param wanted the rule's slot
     * @param pin whether the guard decides; otherwise the rule's slot it is
     */
    Claim decide(TableEntry[] entries, int wanted, boolean pin, long digest) {
        if (!pin) {
            return force(entries, wanted, Conflict.WRITTEN_ANYWAY, digest, false);
        }
        for (TableEntry entry : entries) {
            if (entry == unknown) {
                return force(entries, DomainSlots.DEFAULT, Conflict.TWO_DOMAINS, digest, true);
            }
        }
        Decision decision = new Decision(wanted, wanted == DomainSlots.DEFAULT || admitted(entries, wanted), digest);
        if (!under(entries, 0, decision)) {
            return decide(current(entries), wanted, true, digest);
        }
        inFlight.incrementAndGet();
        Conflict conflict = decision.conflict;
        if (conflict != null) {
            conflicts.onConflict(conflict, decision.at, digest, decision.slot, decision.otherDigest, decision.other);
        }
        return new Claim(this, entries, decision.slot);
    }

    /** What is asked, and then what came out. */
    private static final class Decision {
        final int wanted;
        final boolean admitted;
        final long digest;
        int slot;
        int other;
        long otherDigest;
        String at = "";

        @Nullable
        Conflict conflict;

        Decision(int wanted, boolean admitted, long digest) {
            this.wanted = wanted;
            this.admitted = admitted;
            this.digest = digest;
        }
    }

    /**
     * Decides holding the monitors of all entries, which were put in the order of their names so that two sessions never wait
     * for each other; false when one of them was dropped meanwhile.
     */
    private boolean under(TableEntry[] entries, int held, Decision decision) {
        if (held < entries.length) {
            synchronized (entries[held]) {
                return under(entries, held + 1, decision);
            }
        }
        int owners = ownersFromBefore();
        boolean stuck = false;
        for (TableEntry entry : entries) {
            if (entry.dropped()) {
                return false;
            }
            owners |= entry.outstanding(progress, simulated);
            stuck |= entry.unsteerable();
        }
        settle(entries, owners, stuck, decision);
        boolean torn = entries.length > 1 && (stuck || !decision.admitted) && decision.slot != DomainSlots.DEFAULT;
        for (TableEntry entry : entries) {
            entry.begin(decision.slot, decision.digest);
            entry.want(decision.wanted, progress.epoch());
            if (torn || decision.conflict == Conflict.TWO_DOMAINS) {
                // One of them belongs to the default domain, so all must go back there when they are free.
                entry.setUnsteerable();
            }
        }
        return true;
    }

    private void settle(TableEntry[] entries, int owners, boolean stuck, Decision decision) {
        int others = owners & ~(1 << decision.wanted);
        if (others == 0) {
            // Owned by the domain that is wanted, or free.
            boolean leaves = owners != 0 || decision.admitted && !stuck;
            decision.slot = leaves ? decision.wanted : DomainSlots.DEFAULT;
            return;
        }
        int other = Integer.numberOfTrailingZeros(others);
        boolean sole = owners == 1 << other && other != DomainSlots.FOREIGN;
        decision.slot = sole ? other : DomainSlots.DEFAULT;
        decision.conflict = sole ? Conflict.PINNED : Conflict.TWO_DOMAINS;
        // What the log names is what the write goes against, or for a pinned one whom it follows.
        int against = sole ? owners : owners & ~(1 << decision.slot);
        decision.other = Integer.numberOfTrailingZeros(against);
        for (TableEntry entry : entries) {
            boolean owned = (entry.outstanding(progress, simulated) & 1 << decision.other) != 0;
            if (owned || decision.at.isEmpty()) {
                decision.at = entry.name;
                decision.otherDigest = entry.lastDigest(decision.other);
            }
        }
    }

    private TableEntry[] current(TableEntry[] entries) {
        TableEntry[] fresh = new TableEntry[entries.length];
        for (int i = 0; i < entries.length; i++) {
            fresh[i] = entry(entries[i].name);
        }
        return fresh;
    }

    /**
     * Compares a transaction of the binary log with what sessions have announced. Every write of ours is announced before it is sent
     * and stays so until all standbys have it, so what is neither announced nor applied was written by something else.
     *
     * @param names of the tables that it wrote
     * @param slot its domain
     * @param applied whether all standbys have it already, asked for after the announcements were looked at
     * @return names of the tables that nothing had announced: from now on they stay in the default domain
     */
    List<String> observe(Iterable<String> names, int slot, BooleanSupplier applied) {
        List<String> unseen = new ArrayList<>(0);
        int real = simulated ? DomainSlots.DEFAULT : slot;
        for (String name : names) {
            TableEntry entry = entry(name);
            if (entry == unknown || ownersFromBefore() != 0) {
                continue;
            }
            int others;
            long otherDigest;
            synchronized (entry) {
                int owners = entry.outstanding(progress, simulated);
                boolean announced = simulated ? owners != 0 : (owners & 1 << slot) != 0;
                if (entry.dropped() || applied.getAsBoolean() || simulated && announced) {
                    continue;
                }
                entry.touch(real, progress.epoch());
                if (announced) {
                    continue;
                }
                others = owners & ~(1 << real);
                otherDigest = entry.lastDigest(others == 0 ? real : Integer.numberOfTrailingZeros(others));
                entry.setUnsteerable();
            }
            unseen.add(name);
            if (others != 0) {
                int other = Integer.numberOfTrailingZeros(others);
                conflicts.onConflict(Conflict.UNSEEN, name, 0, real, otherDigest, other);
            }
        }
        return unseen;
    }

    /** The binary log has a write whose tables cannot be told. */
    void observeUnknown(int slot) {
        synchronized (unknown) {
            unknown.touch(simulated ? DomainSlots.DEFAULT : slot, progress.epoch());
        }
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

    /** Tables that rules, or the lack of one, have asked two domains for since an epoch: bits of slots by table. */
    Map<String, Integer> wantedSince(long epoch, int limit) {
        Map<String, Integer> found = new TreeMap<>();
        for (TableEntry entry : tables.values()) {
            int bits;
            synchronized (entry) {
                bits = entry.wantedSince(epoch);
            }
            if (Integer.bitCount(bits) > 1 && found.size() < limit) {
                found.put(entry.name, bits);
            }
        }
        return found;
    }

    /** Bits of the slots in which a table was ever written. */
    int writersOf(String name) {
        TableEntry entry = tables.get(name);
        if (entry == null) {
            return 0;
        }
        int bits = 0;
        synchronized (entry) {
            for (int slot = 0; slot < DomainSlots.LENGTH; slot++) {
                bits |= entry.writes(slot) > 0 ? 1 << slot : 0;
            }
        }
        return bits;
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
