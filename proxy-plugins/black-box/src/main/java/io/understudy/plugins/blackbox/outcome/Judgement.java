package io.understudy.plugins.blackbox.outcome;

import io.understudy.plugin.Outcome;
import io.understudy.servers.GtidNumbers;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a lost statement for now.
 *
 * @param outcome unknown as long as it is not settled
 * @param settled whether it stays so
 * @param transaction that it has committed; null if there is none
 * @param unread what has to be read of the present primary's log first; empty if nothing has
 */
record Judgement(Outcome outcome, boolean settled, @Nullable Trace transaction, GtidNumbers unread) {
    private static final GtidNumbers NOTHING = new GtidNumbers();

    static Judgement open(String reason) {
        return new Judgement(new Outcome.Unknown(reason), false, null, NOTHING);
    }

    static Judgement unread(GtidNumbers numbers) {
        return new Judgement(
                new Outcome.Unknown("the primary's binary log was not read up to its end"), false, null, numbers);
    }

    static Judgement unknown(String reason) {
        return new Judgement(new Outcome.Unknown(reason), true, null, NOTHING);
    }

    static Judgement notCommitted() {
        return new Judgement(new Outcome.NotCommitted(), true, null, NOTHING);
    }

    static Judgement committed(Trace transaction) {
        return new Judgement(new Outcome.Committed(transaction.gtid()), true, transaction, NOTHING);
    }
}
