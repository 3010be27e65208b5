package io.understudy.plugins.gtiddomain.ownership;

import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.plugins.gtiddomain.progress.Progress;
import java.util.ArrayList;
import java.util.List;

/** The binary log's part in ownership: writes that no session announced. Thread-safe. */
final class LoggedWrites {
    /**
     * Tables that a logged transaction wrote besides those that statements had named.
     *
     * @param tables their names
     * @param expected whether a statement with unknown tables was announced in the domain, which may have written them
     */
    record Found(List<String> tables, boolean expected) {}

    private final TableOwnership ownership;
    private final Inheritance inheritance;
    private final Progress progress;

    LoggedWrites(TableOwnership ownership, Inheritance inheritance, Progress progress) {
        this.ownership = ownership;
        this.inheritance = inheritance;
        this.progress = progress;
    }

    /**
     * Compares a transaction of the binary log with the announced writes. Every write of a session is announced before
     * it is sent and stays announced until all standbys have it, so a write that is neither announced nor applied came
     * from elsewhere.
     *
     * <p>A write that may have begun before the guard is not judged. It only owns its table until it is applied, as
     * every logged write does.
     *
     * <p>Its table stays in the default domain from now on if that write shows that two writers may need two domains: a
     * statement of the same transaction was announced (hidden code wrote it), or sessions write it too, and another
     * domain owned it or it was not in the domain of a rule. Otherwise another proxy writes it: this one follows. That
     * one may have known before this one that the standbys have applied what the table's other domain has, so two
     * domains in which only the log has writes prove nothing.
     *
     * @param names of the tables that it wrote
     * @param domain of its GTID
     * @param index index of the domain
     * @param sequence of its GTID
     * @return the tables that no statement had named
     */
    Found observe(Iterable<String> names, long domain, int index, long sequence) {
        List<String> unseen = new ArrayList<>(0);
        List<TableEntry> unmarked = new ArrayList<>(0);
        boolean simulated = ownership.scope().simulated();
        int real = real(index);
        boolean expected;
        List<TableOwnership.Met> met;
        synchronized (ownership) {
            // A CALL, a called function or the like may be writing unknown tables in the domain.
            expected = (ownership.unknown().owners() & 1 << real) != 0;
            boolean named = false;
            for (String name : names) {
                TableEntry entry = ownership.entry(name);
                entry.claim(index).logged = true;
                int owners = entry.owners();
                boolean announced = simulated ? owners != 0 : (owners & 1 << index) != 0;
                // Asked after the owners: a write that was announced is applied before it is announced no more.
                if (progress.applied(domain, sequence) || simulated && announced) {
                    continue;
                }
                entry.logged(real, sequence);
                if (entry == ownership.unknown() || inheritance.mayInclude(domain, sequence)) {
                    continue; // one of several tables, or nobody had to announce it
                }
                named |= announced;
                if (!announced) {
                    unseen.add(name);
                    int others = owners & ~(1 << real);
                    if (entry.everAnnounced() && (others != 0 || !tag(real))) {
                        entry.keep(Conflict.UNSEEN);
                    } else {
                        unmarked.add(entry);
                    }
                    if (others != 0) {
                        int other = Integer.numberOfTrailingZeros(others);
                        ownership.meet(Conflict.UNSEEN, name, 0, real, entry.lastDigest(other), other);
                    }
                }
            }
            if (named) {
                unmarked.forEach(entry -> entry.keep(Conflict.UNSEEN));
            }
            met = ownership.takeMet();
        }
        ownership.report(met);
        return new Found(unseen, expected);
    }

    /** Where domains are only simulated, a write outside of the default one may be anywhere. */
    private int real(int index) {
        return ownership.scope().simulated() && index != DomainIndexes.DEFAULT ? DomainIndexes.FOREIGN : index;
    }

    /** Returns whether it is the domain of a rule, which another proxy with the same rules sets too. */
    private static boolean tag(int index) {
        return index != DomainIndexes.DEFAULT && index != DomainIndexes.FOREIGN;
    }

    /** Records a logged write to unknown tables; for {@link DomainIndexes#FOREIGN}, everything logged up to now. */
    void observeUnknown(int index, long sequence) {
        synchronized (ownership) {
            ownership.unknown().logged(real(index), sequence);
        }
    }
}
