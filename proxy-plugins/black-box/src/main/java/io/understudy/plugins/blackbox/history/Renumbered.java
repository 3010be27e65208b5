package io.understudy.plugins.blackbox.history;

import io.understudy.servers.GtidNumbers;
import org.jspecify.annotations.Nullable;

/**
 * What a server has applied, where a primary's numbers began anew (RESET MASTER): the same numbers denote other
 * transactions then. A server that was built anew since needs nothing from before; any other one counts as having
 * nothing of what was written since.
 *
 * @param server see {@link Survivor#server}
 * @param before the same, if its numbers are those of its epoch; else the last position that was
 */
public record Renumbered(String server, Applied applied, Applied before, Epoch epoch) implements Applied {
    @Override
    public boolean has(Gtid gtid, History history) {
        return hasAll(history) || !isUnknown(history) && on(history).has(gtid, history);
    }

    @Override
    public GtidNumbers of(History history) {
        if (hasAll(history)) {
            return history.seen();
        }
        return isUnknown(history) ? new GtidNumbers() : on(history).of(history);
    }

    @Override
    public String text() {
        return applied.text();
    }

    @Override
    public Applied and(Applied other) {
        return new Renumbered(server, applied.and(other), before.and(other), epoch);
    }

    @Override
    public String beyond(History history) {
        return hasAll(history) || isUnknown(history) ? "" : on(history).beyond(history);
    }

    private boolean hasAll(History history) {
        return history.isBeforeReset() && epoch.isAfter(history);
    }

    /** Returns whether it counts as having nothing of a history, as its numbers denote others there. */
    boolean isUnknown(History history) {
        return epoch.isBefore(history);
    }

    private Applied on(History history) {
        return epoch.isPast() && history.isBeforeReset() ? before : applied;
    }

    /** Returns the same of what a server has received. */
    Renumbered received(Applied received) {
        boolean same = before == applied; // as it is then
        return new Renumbered(server, received, same ? received : before, epoch);
    }

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
}
