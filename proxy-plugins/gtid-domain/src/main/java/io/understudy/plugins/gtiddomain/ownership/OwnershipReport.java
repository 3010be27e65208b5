package io.understudy.plugins.gtiddomain.ownership;

import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Tables with the domains that wrote them and the domains that rules wanted, for the admin endpoint. Thread-safe. */
public final class OwnershipReport {
    private final TableOwnership ownership;
    private final AtomicInteger period = new AtomicInteger(1);

    OwnershipReport(TableOwnership ownership) {
        this.ownership = ownership;
    }

    /**
     * A table that sessions wrote in another domain than a rule wants, or in more than one, or that two rules want.
     *
     * @param writesByIndex number of writes by domain index; with {@code advise}, of writes that would have been there
     * @param wanted bit set of the domain indexes wanted by rules, or by the lack of one
     * @param owners bit set of the domain indexes that own it now, see {@link TableOwnership}
     * @param kept why it stays in the default domain; null if it does not
     */
    public record Contested(
            String table,
            List<Long> writesByIndex,
            int wanted,
            int owners,
            @Nullable Conflict kept) {}

    /** Returns such tables since the start, at most {@code limit}. */
    public List<Contested> contested(int limit) {
        List<Contested> found = new ArrayList<>();
        for (TableEntry entry : ownership.tables()) {
            long[] writes = new long[DomainIndexes.LENGTH];
            Conflict kept;
            int owners;
            int wanted;
            synchronized (ownership) {
                entry.claims().forEach(claim -> writes[claim.index] = claim.writes);
                kept = entry.kept();
                owners = entry.owners();
                wanted = entry.wantedSince(0);
            }
            int involved = wanted;
            for (int index = 0; index < writes.length; index++) {
                involved |= writes[index] > 0 ? 1 << index : 0;
            }
            if (Integer.bitCount(involved) > 1) {
                found.add(
                        new Contested(entry.name, Arrays.stream(writes).boxed().toList(), wanted, owners, kept));
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
        for (TableEntry entry : ownership.tables()) {
            int bits;
            synchronized (ownership) {
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
        boolean simulated = ownership.scope().simulated();
        int bits = 0;
        synchronized (ownership) {
            TableEntry entry = ownership.find(name);
            for (Claim claim : entry == null ? List.<Claim>of() : entry.claims()) {
                bits |= claim.writes > 0 ? 1 << (simulated ? DomainIndexes.DEFAULT : claim.index) : 0;
                bits |= claim.logged ? 1 << claim.index : 0;
            }
        }
        return bits;
    }
}
