package io.understudy.plugins.gtiddomain;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Tables and their domains for people: what was written, what was wanted. Any thread. */
final class OwnershipReport {
    private final FollowedTables tables;
    private final boolean simulated;

    /** @param simulated domains are only thought of */
    OwnershipReport(FollowedTables tables, boolean simulated) {
        this.tables = tables;
        this.simulated = simulated;
    }

    /**
     * A table that was written from more than one domain, or that more than one domain was asked for.
     *
     * @param writesBySlot with {@code advise}, what would have been written where
     * @param wanted bits of the slots that rules, or the lack of one, have asked for
     * @param unsteerable it stays in the default domain
     */
    record Contested(String table, List<Long> writesBySlot, int wanted, boolean unsteerable) {}

    /** The tables that two domains have to do with since the start, at most so many. */
    List<Contested> contested(int limit) {
        List<Contested> found = new ArrayList<>();
        for (TableEntry entry : tables.all()) {
            long[] writes = new long[DomainSlots.LENGTH];
            boolean unsteerable;
            int wanted;
            synchronized (entry) {
                for (int slot = 0; slot < writes.length; slot++) {
                    writes[slot] = entry.writes(slot);
                }
                unsteerable = entry.unsteerable();
                wanted = entry.wantedSince(0);
            }
            if (Integer.bitCount(wanted) > 1
                    || Arrays.stream(writes).filter(w -> w > 0).count() > 1) {
                found.add(
                        new Contested(entry.name, Arrays.stream(writes).boxed().toList(), wanted, unsteerable));
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
        for (TableEntry entry : tables.all()) {
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

    /** Bits of the slots in which a table really was written, by sessions of ours or as the binary log says. */
    int writersOf(String name) {
        TableEntry entry = tables.find(name);
        if (entry == null) {
            return 0;
        }
        int bits = 0;
        synchronized (entry) {
            for (int slot = 0; slot < DomainSlots.LENGTH; slot++) {
                int real = simulated ? DomainSlots.DEFAULT : slot;
                bits |= entry.writes(slot) > 0 ? 1 << real : 0;
            }
            return bits | entry.loggedIn();
        }
    }
}
