package io.understudy.plugins.blackbox;

import io.understudy.servers.GtidNumbers;
import java.util.Map;

/**
 * What a server has applied, where a primary's numbers began anew (RESET MASTER): the same numbers denote other
 * transactions then. A server that was built anew since needs nothing from before; any other one has nothing of what
 * was written since, but for what an operator says.
 *
 * @param rebuilt whether the server was built anew since
 * @param asserted by history, what an operator says that it has although it was not
 */
record Renumbered(Applied applied, boolean rebuilt, Map<History, GtidNumbers> asserted) implements Applied {
    @Override
    public boolean has(Gtid gtid, History history) {
        if (history.isAnew() && !rebuilt) {
            return asserted(history).contains(gtid.source(), gtid.number());
        }
        return rebuilt && history.isBeforeReset() || applied.has(gtid, history);
    }

    @Override
    public GtidNumbers of(History history) {
        if (history.isAnew() && !rebuilt) {
            return asserted(history);
        }
        return rebuilt && history.isBeforeReset() ? history.seen() : applied.of(history);
    }

    private GtidNumbers asserted(History history) {
        return asserted.getOrDefault(history, new GtidNumbers());
    }

    @Override
    public String beyond(History history) {
        return history.isAnew() && !rebuilt ? "" : applied.beyond(history);
    }
}
