package io.understudy.plugins.blackbox;

import io.understudy.servers.GtidNumbers;

/**
 * What a server has applied, where a primary's numbers began anew (RESET MASTER): the same numbers denote other
 * transactions then. A server whose position has gone back since was built anew, too, and needs nothing from before;
 * any other one has nothing of what was written since.
 *
 * @param rebuilt whether the server's position has gone back
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
