package io.understudy.plugins.gtiddomain.ownership;

import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Tables with the domains that wrote them and the domains that rules wanted, for the admin endpoint. Thread-safe. */
public final class OwnershipReport {
    private final FollowedTables tables;
    private final boolean simulated;
    private final AtomicInteger period = new AtomicInteger(1);

    /** @param simulated whether the domains are only simulated */
    OwnershipReport(FollowedTables tables, boolean simulated) {
        this.tables = tables;
        this.simulated = simulated;
    }

    /**
     * A table that more than one domain wrote or wanted.
     *
     * @param writesByIndex number of writes by domain index; with {@code advise}, of writes that would have been there
     * @param wanted bit set of the domain indexes wanted by rules, or by the lack of one
     * @param unsteerable whether it stays in the default domain
     */
    public record Contested(String table, List<Long> writesByIndex, int wanted, boolean unsteerable) {}

    /** Returns the tables that two domains have written or wanted since the start, at most {@code limit}. */
    public List<Contested> contested(int limit) {
        List<Contested> found = new ArrayList<>();
        for (TableEntry entry : tables.all()) {
            long[] writes = new long[DomainIndexes.LENGTH];
            boolean unsteerable;
            int wanted;
            synchronized (entry) {
                for (int index = 0; index < writes.length; index++) {
                    writes[index] = entry.writes(index);
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

    /** Begins a period, and returns its number. */
    public int beginPeriod() {
        return period.incrementAndGet();
    }

    /** Returns the number of the present period, with which an entry records what a rule wants. */
    int period() {
        return period.get();
    }

    /**
     * Returns the tables for which rules, or the lack of one, have wanted two domains since a period began: bit sets of
     * domain indexes by table.
     */
    public Map<String, Integer> wantedSince(int from, int limit) {
        Map<String, Integer> found = new TreeMap<>();
        for (TableEntry entry : tables.all()) {
            int bits;
            synchronized (entry) {
                bits = entry.wantedSince(from);
            }
            if (Integer.bitCount(bits) > 1 && found.size() < limit) {
                found.put(entry.name, bits);
            }
        }
        return found;
    }

    /**
     * Returns the bit set of the domain indexes in which a table was really written, by the proxy's sessions or by the
     * binary log.
     */
    public int writersOf(String name) {
        TableEntry entry = tables.find(name);
        if (entry == null) {
            return 0;
        }
        int bits = 0;
        synchronized (entry) {
            for (int index = 0; index < DomainIndexes.LENGTH; index++) {
                int real = simulated ? DomainIndexes.DEFAULT : index;
                bits |= entry.writes(index) > 0 ? 1 << real : 0;
            }
            return bits | entry.loggedIn();
        }
    }
}
