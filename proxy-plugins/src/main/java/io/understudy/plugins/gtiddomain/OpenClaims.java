package io.understudy.plugins.gtiddomain;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** A session's claims: those of statements in flight, in their order, and those of the open transaction. Event loop. */
final class OpenClaims {
    /** A transaction that writes more sets of tables than that is followed no further than that it writes. */
    private static final int MAX_OF_TRANSACTION = 256;

    private final ArrayDeque<Claim> inFlight = new ArrayDeque<>(4);
    private final List<Claim> ofTransaction = new ArrayList<>(4);

    void sent(Claim claim) {
        inFlight.add(claim);
    }

    /** The statement of a claim has been answered. */
    void answered(Claim claim, boolean inTransaction, Policy policy) {
        inFlight.remove(claim);
        if (!inTransaction || held(claim)) {
            claim.release();
        } else if (ofTransaction.size() < MAX_OF_TRANSACTION) {
            ofTransaction.add(claim);
        } else {
            Claim rest = policy.ownership.force(
                    new TableEntry[] {policy.ownership.unknown()},
                    claim.slot(),
                    Conflict.TRANSACTION,
                    Work.CALLS,
                    0,
                    false);
            claim.release();
            if (held(rest)) {
                rest.release();
            } else {
                ofTransaction.add(rest);
            }
        }
    }

    /** Whether the transaction already holds the same tables, as after a repeated statement. */
    private boolean held(Claim claim) {
        for (int i = 0; i < ofTransaction.size(); i++) {
            Claim other = ofTransaction.get(i);
            if (other.slot() == claim.slot() && java.util.Arrays.equals(other.entries, claim.entries)) {
                return true;
            }
        }
        return false;
    }

    /** No transaction is open any more. */
    void transactionOver() {
        for (int i = 0; i < ofTransaction.size(); i++) {
            ofTransaction.get(i).release();
        }
        ofTransaction.clear();
    }

    boolean noTransaction() {
        return ofTransaction.isEmpty();
    }

    /** The server refused a domain: what was sent for it runs in another one. */
    void moved(int from, int to) {
        for (Claim claim : inFlight) {
            if (claim.slot() == from) {
                claim.move(to, 0);
            }
        }
    }

    /** Everything still open; this has none any more. */
    List<Claim> takeAll() {
        List<Claim> all = new ArrayList<>(inFlight);
        all.addAll(ofTransaction);
        inFlight.clear();
        ofTransaction.clear();
        return all;
    }
}
