package io.understudy.plugins.blackbox.history;

import org.jspecify.annotations.Nullable;

/**
 * The histories whose numbers a server has: from where they began anew (RESET MASTER) until they did so again.
 *
 * @param first number of the first of them; of those before it the server has all
 * @param next number of the first behind them; {@link Long#MAX_VALUE} if numbers have not begun anew since
 * @param last the last of them; null if they are forgotten
 */
public record Epoch(long first, long next, @Nullable History last) {
    /** Returns whether numbers have begun anew since: what the server has of them no position tells. */
    public boolean isPast() {
        return next != Long.MAX_VALUE;
    }

    /** Returns whether numbers have begun anew before it. */
    public boolean isLater() {
        return first != Long.MIN_VALUE;
    }

    /** Returns whether a history is later: the server's numbers denote others there. */
    public boolean isBefore(History history) {
        return history.number >= next;
    }

    /** Returns whether a history is earlier: the server has all of it. */
    public boolean isAfter(History history) {
        return history.number < first;
    }
}
