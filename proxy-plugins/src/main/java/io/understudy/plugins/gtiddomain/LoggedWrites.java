package io.understudy.plugins.gtiddomain;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** What the binary log adds to who owns a table: writes that no session of ours has announced. Any thread. */
final class LoggedWrites {
    /**
     * What a logged transaction wrote besides the tables that statements had named.
     *
     * @param tables their names
     * @param expected a statement whose tables cannot be told was announced in the domain and may have written them
     */
    record Found(List<String> tables, boolean expected) {}

    private final FollowedTables tables;
    private final Inheritance inheritance;
    private final Progress progress;
    private final boolean simulated;
    private final TableOwnership.ConflictListener conflicts;

    /** @param simulated domains are only thought of: what is logged is all in the default domain */
    LoggedWrites(
            FollowedTables tables,
            Inheritance inheritance,
            Progress progress,
            boolean simulated,
            TableOwnership.ConflictListener conflicts) {
        this.tables = tables;
        this.inheritance = inheritance;
        this.progress = progress;
        this.simulated = simulated;
        this.conflicts = conflicts;
    }

    /**
     * Compares a transaction of the binary log with what sessions have announced. Every write of ours is announced before it is sent
     * and stays so until all standbys have it, so what is neither announced nor applied was written by something else.
     *
     * @param names of the tables that it wrote
     * @param slot its domain
     * @param applied whether all standbys have it already, asked for after the announcements were looked at
     * @return the tables that no statement had named: from now on they stay in the default domain
     */
    Found observe(Iterable<String> names, int slot, BooleanSupplier applied) {
        List<String> unseen = new ArrayList<>(0);
        int real = simulated ? DomainSlots.DEFAULT : slot;
        boolean expected = unknownOutstanding(real);
        for (String name : names) {
            TableEntry entry = tables.entry(name);
            if (entry == tables.unknown()) {
                continue;
            }
            synchronized (entry) {
                entry.logged(slot);
            }
            if (inheritance.owners() != 0) {
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
        return new Found(unseen, expected);
    }

    /** Whether a CALL, a called function or the like may be writing whatever tables in the domain. */
    private boolean unknownOutstanding(int slot) {
        TableEntry unknown = tables.unknown();
        synchronized (unknown) {
            return (unknown.outstanding(progress, simulated) & 1 << slot) != 0;
        }
    }

    /** The binary log has a write whose tables cannot be told. */
    void observeUnknown(int slot) {
        TableEntry unknown = tables.unknown();
        synchronized (unknown) {
            unknown.touch(simulated ? DomainSlots.DEFAULT : slot, progress.epoch());
        }
    }
}
