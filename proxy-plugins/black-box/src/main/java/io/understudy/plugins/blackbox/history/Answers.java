package io.understudy.plugins.blackbox.history;

import io.understudy.plugins.blackbox.history.AnsweredCommit.CommitEvidence;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Joins the transactions of one history with their OKs, in either order. An OK that has reported its GTID decides. One
 * whose GTID is supposed, because the server may have left it out, takes the transaction with that GTID if no other OK
 * has it. It is dropped once the binary log shows that there is none. Guarded by the lock of its black box.
 */
public final class Answers {
    public static final int MOST_WAITING = 50_000;

    private static final int MOST_SUPPOSED = 1_000;

    /**
     * By GTID: transactions whose OK was not seen, in their order. Some may be released already; of those there are at
     * most {@link #MOST_WAITING}.
     */
    private final Map<String, KeptTransaction> unanswered = new LinkedHashMap<>();
    /** By GTID: commits whose OK was seen and whose events were not. */
    private final Map<String, AnsweredCommit> unseen = new LinkedHashMap<>();
    /** By GTID: transactions joined with an OK whose GTID is supposed. */
    private final Map<String, KeptTransaction> supposed = new LinkedHashMap<>();
    /** Commits in {@link #unseen} whose GTID is supposed. */
    private int supposedUnseen;
    /** The binary log has arrived up to here: what was answered before is in it, or was not logged. */
    private long arrivedNanos;

    private boolean arrived;
    /** Answered commits that did not fit into {@link #unseen}. */
    private long moreUnseen;
    /** Time of the newest of them. */
    private long moreUnseenNanos;
    /** Transactions in {@link #unanswered} that are released. */
    private int unansweredAlone;

    Iterable<KeptTransaction> unanswered() {
        return unanswered.values();
    }

    Map<String, AnsweredCommit> unseen() {
        return unseen;
    }

    /** Returns how many answered commits are not in {@link #unseen} for want of room. */
    long moreUnseen() {
        return moreUnseen;
    }

    /** Called when a transaction has arrived that is retained. */
    void arrived(KeptTransaction transaction) {
        String gtid = transaction.gtid.text();
        AnsweredCommit early = removeUnseen(gtid);
        if (early == null || early.supposed() != null && isBefore(transaction, early)) {
            unanswered.put(gtid, transaction);
        } else {
            join(transaction, early);
        }
    }

    /** Gives the commits whose events were not seen, and whose GTIDs are of another history, to that one. */
    public void giveTo(Answers other, Predicate<String> isIts) {
        for (String gtid : List.copyOf(unseen.keySet())) {
            if (isIts.test(gtid)) {
                AnsweredCommit given = Objects.requireNonNull(removeUnseen(gtid));
                other.unseen.put(gtid, given);
                other.supposedUnseen += given.supposed() != null ? 1 : 0;
            }
        }
    }

    /** Called when a transaction has arrived that is not retained. */
    void missed(Gtid gtid) {
        removeUnseen(gtid.text());
    }

    private @Nullable AnsweredCommit removeUnseen(String gtid) {
        AnsweredCommit removed = unseen.remove(gtid);
        supposedUnseen -= removed != null && removed.supposed() != null ? 1 : 0;
        return removed;
    }

    /** Returns whether the transaction was logged before the command was sent. */
    private static boolean isBefore(KeptTransaction transaction, AnsweredCommit commit) {
        return transaction.nanos - commit.sentNanos() < 0;
    }

    private void join(KeptTransaction transaction, AnsweredCommit commit) {
        String gtid = transaction.gtid.text();
        transaction.answered = commit;
        if (commit.supposed() == null) {
            supposed.remove(gtid);
            arrivedUpTo(commit.sentNanos());
            return;
        }
        supposed.put(gtid, transaction);
        if (supposed.size() > MOST_SUPPOSED) {
            supposed.remove(supposed.keySet().iterator().next());
        }
    }

    /**
     * Drops the OKs with a supposed GTID that came before {@code nanos}: a transaction whose command was sent then has
     * arrived, so all that were committed before have.
     */
    private void arrivedUpTo(long nanos) {
        if (arrived && nanos - arrivedNanos <= 0) {
            return;
        }
        arrived = true;
        arrivedNanos = nanos;
        if (supposedUnseen > 0) {
            unseen.values().removeIf(each -> each.supposed() != null && each.nanos() - nanos < 0);
            supposedUnseen = (int) unseen.values().stream()
                    .filter(each -> each.supposed() != null)
                    .count();
        }
    }

    /** @param inLog whether the transaction has arrived, retained or not */
    void answered(Gtid gtid, AnsweredCommit commit, boolean inLog) {
        if (commit.supposed() == null) {
            reported(gtid.text(), commit);
        } else {
            supposed(gtid.text(), commit, inLog);
        }
    }

    private void reported(String gtid, AnsweredCommit commit) {
        KeptTransaction transaction = unanswered.remove(gtid);
        if (transaction != null) {
            unansweredAlone -= transaction.isDropped() ? 1 : 0;
        } else {
            transaction = supposed.get(gtid); // the command whose GTID it was supposed to be has logged nothing
        }
        if (transaction != null) {
            join(transaction, commit);
            return;
        }
        removeUnseen(gtid);
        if (unseen.size() < MOST_WAITING) {
            unseen.put(gtid, commit);
        } else {
            moreUnseen++;
            moreUnseenNanos = commit.nanos();
        }
    }

    private void supposed(String gtid, AnsweredCommit commit, boolean inLog) {
        KeptTransaction transaction = unanswered.get(gtid);
        if (transaction != null && !isBefore(transaction, commit)) {
            unanswered.remove(gtid);
            unansweredAlone -= transaction.isDropped() ? 1 : 0;
            join(transaction, commit);
            return;
        }
        boolean logged = transaction == null && !inLog && !(arrived && commit.nanos() - arrivedNanos < 0);
        if (logged && isWeaker(unseen.get(gtid), commit.supposed()) && unseen.size() < MOST_WAITING) {
            removeUnseen(gtid);
            unseen.put(gtid, commit);
            supposedUnseen++;
        }
    }

    private static boolean isWeaker(@Nullable AnsweredCommit other, @Nullable CommitEvidence evidence) {
        if (other == null || evidence == null) {
            return other == null;
        }
        CommitEvidence others = other.supposed();
        return others != null && others.compareTo(evidence) < 0;
    }

    /** Called when a transaction is released. */
    void released(KeptTransaction transaction) {
        if (transaction.equals(unanswered.get(transaction.gtid.text()))) {
            unansweredAlone++;
            if (unansweredAlone > MOST_WAITING) {
                forgetOldestUnanswered();
            }
        }
    }

    /** Its OK would have come long ago: every client awaits one response only. */
    private void forgetOldestUnanswered() {
        Iterator<KeptTransaction> oldest = unanswered.values().iterator();
        oldest.next();
        oldest.remove();
        unansweredAlone--;
    }

    /** Forgets OKs and transactions that have waited for a partner since before {@code nanos}. */
    void expire(long nanos) {
        Iterator<KeptTransaction> transactions = unanswered.values().iterator();
        while (transactions.hasNext()) {
            KeptTransaction oldest = transactions.next();
            if (oldest.nanos - nanos >= 0) {
                break;
            }
            transactions.remove();
            unansweredAlone -= oldest.isDropped() ? 1 : 0;
        }
        Iterator<AnsweredCommit> responses = unseen.values().iterator();
        while (responses.hasNext()) {
            AnsweredCommit oldest = responses.next();
            if (oldest.nanos() - nanos >= 0) {
                break;
            }
            responses.remove();
            supposedUnseen -= oldest.supposed() != null ? 1 : 0;
        }
        supposed.values().removeIf(each -> each.nanos - nanos < 0);
        if (moreUnseen > 0 && moreUnseenNanos - nanos < 0) {
            moreUnseen = 0;
        }
    }
}
