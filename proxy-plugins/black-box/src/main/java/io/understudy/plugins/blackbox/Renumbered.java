package io.understudy.plugins.blackbox;

import io.understudy.servers.GtidNumbers;

/**
 * What a server has applied, where a primary's numbers began anew (RESET MASTER): the same numbers denote other
 * transactions then. A server that was built anew since needs nothing from before; any other one counts as having
 * nothing of what was written since.
 *
 * @param before the same, if its numbers are those from before; else the last position that was
 * @param rebuilt whether the server was built anew since
 */
record Renumbered(Applied applied, Applied before, boolean rebuilt) implements Applied {
    @Override
    public boolean has(Gtid gtid, History history) {
        if (rebuilt) {
            return history.isBeforeReset() || applied.has(gtid, history);
        }
        return !history.isAnew() && on(history).has(gtid, history);
    }

    @Override
    public GtidNumbers of(History history) {
        if (rebuilt) {
            return history.isBeforeReset() ? history.seen() : applied.of(history);
        }
        return history.isAnew() ? new GtidNumbers() : on(history).of(history);
    }

    @Override
    public String beyond(History history) {
        return history.isAnew() && !rebuilt ? "" : on(history).beyond(history);
    }

    private Applied on(History history) {
        return !rebuilt && history.isBeforeReset() ? before : applied;
    }
}
