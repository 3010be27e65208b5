package io.understudy.plugins.blackbox;

import io.understudy.servers.GtidNumbers;

/**
 * What a server has applied, where a primary's numbers began anew (RESET MASTER): the same numbers denote other
 * transactions then. A server that was built anew since needs nothing from before; any other one counts as having
 * nothing of what was written since.
 *
 * @param rebuilt whether the server was built anew since
 */
record Renumbered(Applied applied, boolean rebuilt) implements Applied {
    @Override
    public boolean has(Gtid gtid, History history) {
        if (history.isAnew() && !rebuilt) {
            return false;
        }
        return rebuilt && history.isBeforeReset() || applied.has(gtid, history);
    }

    @Override
    public GtidNumbers of(History history) {
        if (history.isAnew() && !rebuilt) {
            return new GtidNumbers();
        }
        return rebuilt && history.isBeforeReset() ? history.seen() : applied.of(history);
    }

    @Override
    public String beyond(History history) {
        return history.isAnew() && !rebuilt ? "" : applied.beyond(history);
    }
}
