package io.understudy.plugins.blackbox.history;

import io.understudy.plugins.binlog.PrimaryFacts;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The histories of the present primary and of some before it, the oldest first. Guarded by the lock of its black box.
 */
public final class Histories implements Iterable<History> {
    private static final Logger log = LoggerFactory.getLogger(Histories.class);

    /** The present one, those of earlier primaries, and those before resets. */
    private static final int MOST = 20;

    /** As many in any case; of more, the oldest are forgotten if they have too many answers without a transaction. */
    private static final int ALWAYS = 3;

    private static final long MOST_UNSEEN = (long) ALWAYS * Answers.MOST_WAITING;

    /** Resets that are kept; of more, the oldest are forgotten. */
    private static final int MOST_RESETS = 100;

    /**
     * That a primary's numbers have begun anew, which outlives the histories.
     *
     * @param number of the first history behind it
     */
    public record Reset(long number, PrimaryFacts facts) {}

    private final long limit;
    private final boolean drops;
    private final ArrayDeque<History> all = new ArrayDeque<>();
    /** Those of histories that are forgotten. */
    private final ArrayDeque<Reset> forgottenResets = new ArrayDeque<>();

    private long last;
    private long dropped;
    private long forgotten;
    /** Whether some were dropped, and there was not room again since. */
    private boolean full;

    /**
     * @param limit bytes for transactions
     * @param drops whether the oldest are dropped for want of room; else the newest are not taken
     */
    public Histories(long limit, boolean drops) {
        this.limit = limit;
        this.drops = drops;
    }

    /** Returns the history of the present primary, or null before the first stream. */
    @Nullable
    public History present() {
        return all.peekLast();
    }

    /**
     * Adds the history of a primary that follows the present one. Forgets the oldest if there are too many.
     *
     * @param anew whether it is the same server, whose numbers have begun anew
     */
    public History follow(PrimaryFacts facts, boolean anew) {
        return follow(last + 1, facts, anew);
    }

    /** As {@link #follow(PrimaryFacts, boolean)}, with the number that the log has. */
    public History follow(long number, PrimaryFacts facts, boolean anew) {
        History former = present();
        History next = new History(number, facts, anew);
        last = number;
        if (former != null) {
            former.followedBy(next);
        }
        all.add(next);
        while (all.size() > MOST || all.size() > ALWAYS && unseen() > MOST_UNSEEN) {
            forgetOldest();
        }
        return next;
    }

    /** Leaves out what was read of other servers after the last log of this one. Returns their server ids. */
    public List<Long> endWith(long server) {
        List<History> later = new ArrayList<>();
        Iterator<History> latestFirst = all.descendingIterator();
        while (latestFirst.hasNext()) {
            History each = latestFirst.next();
            if (each.facts.serverId() == server) {
                all.removeAll(later);
                each.followedBy(null);
                return later.stream().map(left -> left.facts.serverId()).toList();
            }
            if (each.wrote()) {
                break;
            }
            later.add(each);
        }
        return List.of();
    }

    /** Returns all resets, the oldest first. */
    public List<Reset> resets() {
        List<Reset> resets = new ArrayList<>(forgottenResets);
        all.stream().filter(History::isAnew).forEach(each -> resets.add(new Reset(each.number, each.facts)));
        return resets;
    }

    private long unseen() {
        return all.stream().mapToLong(each -> each.answers.unseen().size()).sum();
    }

    private void forgetOldest() {
        History oldest = all.remove();
        if (oldest.isAnew()) {
            forgottenResets.add(new Reset(oldest.number, oldest.facts));
            if (forgottenResets.size() > MOST_RESETS) {
                forgottenResets.remove();
            }
        }
        int kept = oldest.kept.size();
        long unseen = oldest.answers.unseen().size() + oldest.answers.moreUnseen();
        if (kept > 0 || unseen > 0) {
            forgotten += kept + unseen;
            log.warn(
                    "black-box: many changes and resets (RESET MASTER) of the primary have followed what server_id {}"
                            + " wrote, which is forgotten: {} transactions that some standby has not applied, and {}"
                            + " that were answered and not captured. Reports say that they are not known",
                    oldest.facts.serverId(),
                    kept,
                    unseen);
        }
        oldest.dropAll();
    }

    /** Returns the latest history of the server that wrote the transaction; the present one if there is none. */
    public History writer(Gtid gtid, History present) {
        if (present.isWriter(gtid)) {
            return present;
        }
        Iterator<History> latestFirst = all.descendingIterator();
        while (latestFirst.hasNext()) {
            History each = latestFirst.next();
            if (each.isWriter(gtid)) {
                return each;
            }
        }
        return present;
    }

    /**
     * Releases the transactions that every standby has applied.
     *
     * @param standbys the last known positions of all standbys
     * @param promoted that of a standby which is the primary now; null if none is
     */
    public void release(Collection<Applied> standbys, @Nullable Renumbered promoted) {
        for (History history : all) {
            // What it writes itself it has, although its position is older than what was read of it since.
            List<Applied> servers = new ArrayList<>(standbys);
            if (promoted != null && !Survivor.isServerOf(promoted.server(), history.facts)) {
                servers.add(promoted);
            }
            KeptTransaction oldest = history.kept.peek();
            while (oldest != null && onAll(oldest, servers)) {
                history.dropOldest();
                oldest = history.kept.peek();
            }
        }
        full &= !hasRoomAgain();
    }

    private static boolean onAll(KeptTransaction transaction, Collection<Applied> servers) {
        for (Applied server : servers) {
            if (!server.has(transaction.gtid, transaction.history)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns whether what is kept, and the transaction in transit, are within the limit, perhaps after a drop.
     *
     * @param inTransit its bytes so far
     */
    public boolean hasRoom(long inTransit) {
        while (bytes() + inTransit > limit) {
            if (!drops || !dropOldest()) {
                return false;
            }
            if (!full) { // logged once, until there is room again
                full = true;
                log.warn("black-box: full: the oldest transactions are dropped before every standby has applied them;"
                        + " reports will show them as a gap. See why a standby lags; after RESET MASTER"
                        + " docs/black-box.md has what to do. plugins.black-box.memory can be raised once all have"
                        + " caught up: a restart forgets what no directory has");
            }
        }
        return true;
    }

    /** Returns whether there is room again for the largest transaction that is kept. */
    public boolean hasRoomAgain() {
        return bytes() <= limit / 2;
    }

    /** Drops the oldest transaction of the largest history. Returns false if there is none. */
    private boolean dropOldest() {
        History largest = null;
        for (History each : all) {
            if (!each.kept.isEmpty() && (largest == null || each.bytes() > largest.bytes())) {
                largest = each;
            }
        }
        if (largest == null || !largest.dropOldest()) {
            return false;
        }
        dropped++;
        return true;
    }

    /** Returns the bytes that all histories occupy. */
    public long bytes() {
        long total = 0;
        for (History history : all) {
            total += history.bytes();
        }
        return total;
    }

    /** Returns the number of transactions that are retained. */
    public long transactions() {
        return all.stream().mapToLong(history -> history.kept.size()).sum();
    }

    /** Returns the number of transactions dropped before every standby had applied them. */
    public long dropped() {
        return dropped;
    }

    /** Returns the number of transactions that are too many changes and resets ago: no list has them. */
    public long forgotten() {
        return forgotten;
    }

    public List<PrimaryFacts> primaries() {
        List<PrimaryFacts> primaries = new ArrayList<>();
        all.forEach(history -> primaries.add(history.facts));
        return primaries;
    }

    public void clear() {
        all.clear();
        forgotten = 0;
        forgottenResets.clear();
    }

    @Override
    public Iterator<History> iterator() {
        return all.iterator();
    }
}
