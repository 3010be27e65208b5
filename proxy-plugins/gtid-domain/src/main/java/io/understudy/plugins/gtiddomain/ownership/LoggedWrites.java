package io.understudy.plugins.gtiddomain.ownership;

import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.plugins.gtiddomain.progress.Progress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The binary log's part in ownership: writes that no session announced. Thread-safe. */
final class LoggedWrites {
    /**
     * Tables that a logged transaction wrote besides those that statements had named.
     *
     * @param tables their names
     * @param expected whether a statement with unknown tables was announced in the domain, which may have written them
     */
    record Found(List<String> tables, boolean expected) {}

    private final FollowedTables tables;
    private final Inheritance inheritance;
    private final Progress progress;
    private final boolean simulated;
    private final TableOwnership.ConflictListener conflicts;

    /** @param simulated whether the domains are only simulated: the log then contains only the default domain */
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
     * Compares a transaction of the binary log with the announced writes. Every write of a session is announced before
     * it is sent and stays announced until all standbys have it, so a write that is neither announced nor applied came
     * from elsewhere.
     *
     * <p>A write that may have begun before the guard is not judged. It only owns its table until it is applied, as
     * every logged write does.
     *
     * <p>Its table stays in the default domain from now on if that write shows that two writers may need two domains:
     * another domain owned it, a statement of the same transaction was announced (hidden code wrote it), or sessions
     * write it too and it was not in the domain of a rule. Otherwise another proxy writes it: this one follows.
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
        boolean named = false;
        boolean expected = unknownOutstanding(real(index));
        for (String name : names) {
            Judgement judgement = judge(tables.entry(name), domain, index, sequence);
            while (judgement == null) {
                judgement = judge(tables.entry(name), domain, index, sequence);
            }
            named |= judgement.announced;
            if (judgement.unmarked != null) {
                unmarked.add(judgement.unmarked);
            }
            if (judgement.unseen) {
                unseen.add(name);
            }
            if (judgement.others != 0) {
                int other = Integer.numberOfTrailingZeros(judgement.others);
                conflicts.onConflict(Conflict.UNSEEN, name, 0, real(index), judgement.otherDigest, other);
            }
        }
        if (named) {
            unmarked.forEach(LoggedWrites::mark);
        }
        return new Found(unseen, expected);
    }

    /**
     * What a logged write shows of one table.
     *
     * @param announced whether a session announced it, and some standby has not applied it
     * @param unseen whether no session announced it
     * @param others bit set of the other domains that own the table, for a write that no session announced
     * @param otherDigest of the last write there
     * @param unmarked the table's entry, if it stays in the default domain only because of the transaction's other
     *     tables; or null
     */
    private record Judgement(
            boolean announced,
            boolean unseen,
            int others,
            long otherDigest,
            @Nullable TableEntry unmarked) {
        static final Judgement NOTHING = new Judgement(false, false, 0, 0, null);
        static final Judgement ANNOUNCED = new Judgement(true, false, 0, 0, null);
    }

    /** Records a logged write of one table; returns null without any effect if the entry was dropped meanwhile. */
    private @Nullable Judgement judge(TableEntry entry, long domain, int index, long sequence) {
        int real = real(index);
        synchronized (entry) {
            if (entry.dropped()) {
                return null;
            }
            entry.loggedIn(index);
            int owners = entry.owners();
            boolean announced = simulated ? owners != 0 : (owners & 1 << index) != 0;
            // Asked after the owners: a write that was announced is applied before it is announced no more.
            if (progress.applied(domain, sequence) || simulated && announced) {
                return Judgement.NOTHING;
            }
            entry.logged(real, sequence);
            if (entry == tables.unknown() || inheritance.mayInclude(domain, sequence)) {
                return Judgement.NOTHING; // one of several tables, or nobody had to announce it
            }
            if (announced) {
                return Judgement.ANNOUNCED;
            }
            int others = owners & ~(1 << real);
            long otherDigest = entry.lastDigest(others == 0 ? real : Integer.numberOfTrailingZeros(others));
            boolean stays = others != 0 || entry.everAnnounced() && !tag(real);
            if (stays) {
                entry.setUnsteerable();
            }
            return new Judgement(false, true, others, otherDigest, stays ? null : entry);
        }
    }

    /** Where domains are only simulated, a write outside of the default one may be anywhere. */
    private int real(int index) {
        return simulated && index != DomainIndexes.DEFAULT ? DomainIndexes.FOREIGN : index;
    }

    private static void mark(TableEntry entry) {
        synchronized (entry) {
            entry.setUnsteerable();
        }
    }

    /** Returns whether it is the domain of a rule, which another proxy with the same rules sets too. */
    private static boolean tag(int index) {
        return index != DomainIndexes.DEFAULT && index != DomainIndexes.FOREIGN;
    }

    /** Returns whether a CALL, a called function or the like may be writing unknown tables in the domain. */
    private boolean unknownOutstanding(int index) {
        TableEntry unknown = tables.unknown();
        synchronized (unknown) {
            return (unknown.owners() & 1 << index) != 0;
        }
    }

    /** Records a logged write to unknown tables; for {@link DomainIndexes#FOREIGN}, everything logged up to now. */
    void observeUnknown(int index, long sequence) {
        TableEntry unknown = tables.unknown();
        synchronized (unknown) {
            unknown.logged(real(index), sequence);
        }
    }
}
