package io.understudy.plugins.gtiddomain.tagging;

import io.understudy.plugins.gtiddomain.ownership.Conflict;
import io.understudy.plugins.gtiddomain.ownership.PendingWrite;
import io.understudy.plugins.gtiddomain.ownership.TableEntry;
import io.understudy.plugins.gtiddomain.ownership.Work;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * A session's pending writes: those of statements in flight, in their order, and those of the open transaction. Used on
 * the session's event loop.
 */
final class PendingWrites {
    /** Beyond this number of table sets, a transaction counts as writing unknown tables. */
    private static final int MAX_OF_TRANSACTION = 256;

    private final ArrayDeque<PendingWrite> inFlight = new ArrayDeque<>(4);
    private final List<PendingWrite> ofTransaction = new ArrayList<>(4);

    void sent(PendingWrite pending) {
        inFlight.add(pending);
    }

    /** Called when the response to a write has arrived. */
    void onResponse(PendingWrite pending, boolean inTransaction, Policy policy) {
        inFlight.remove(pending);
        if (!inTransaction || held(pending)) {
            pending.release();
        } else if (ofTransaction.size() < MAX_OF_TRANSACTION) {
            ofTransaction.add(pending);
        } else {
            PendingWrite rest = policy.ownership.force(
                    new TableEntry[] {policy.ownership.unknown()},
                    pending.index(),
                    Conflict.TRANSACTION,
                    Work.CALLS,
                    0,
                    false);
            pending.release();
            if (held(rest)) {
                rest.release();
            } else {
                ofTransaction.add(rest);
            }
        }
    }

    /**
     * Returns whether the transaction already has a pending write of the same tables, as after a repeated statement.
     */
    private boolean held(PendingWrite pending) {
        for (int i = 0; i < ofTransaction.size(); i++) {
            PendingWrite other = ofTransaction.get(i);
            if (other.index() == pending.index() && java.util.Arrays.equals(other.entries, pending.entries)) {
                return true;
            }
        }
        return false;
    }

    /** Called when no transaction is open any more. */
    void transactionOver() {
        for (int i = 0; i < ofTransaction.size(); i++) {
            ofTransaction.get(i).release();
        }
        ofTransaction.clear();
    }

    boolean noTransaction() {
        return ofTransaction.isEmpty();
    }

    /**
     * Called when the server refused a domain: the statements sent for it run in another one. Their tables stay in the
     * default domain from now on, so that one refusal more cannot conflict again.
     */
    void moved(int from, int to) {
        for (PendingWrite pending : inFlight) {
            if (pending.index() == from) {
                pending.move(to, 0);
                pending.mark();
            }
        }
    }

    /** Called when the account may not set the domain: no domain can be kept to for what it writes. */
    void unsteerable() {
        inFlight.forEach(PendingWrite::mark);
    }

    boolean none() {
        return inFlight.isEmpty() && ofTransaction.isEmpty();
    }

    /** Removes and returns all pending writes. */
    List<PendingWrite> takeAll() {
        List<PendingWrite> all = new ArrayList<>(inFlight);
        all.addAll(ofTransaction);
        inFlight.clear();
        ofTransaction.clear();
        return all;
    }
}
