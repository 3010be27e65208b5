package io.understudy.plugins.blackbox.history;

import io.understudy.servers.GtidNumbers;

/** A MySQL GTID set contains each transaction, so it is exact. */
public final class MySqlApplied implements Applied {
    private final GtidNumbers executed;

    public MySqlApplied(GtidNumbers executed) {
        this.executed = executed;
    }

    @Override
    public boolean has(Gtid gtid, History history) {
        return executed.contains(gtid.source(), gtid.number());
    }

    @Override
    public GtidNumbers of(History history) {
        return executed;
    }

    @Override
    public String text() {
        return executed.toString();
    }

    @Override
    public Applied and(Applied other) {
        GtidNumbers all = new GtidNumbers();
        all.addAll(executed);
        if (other instanceof MySqlApplied more) {
            all.addAll(more.executed);
        }
        return new MySqlApplied(all);
    }

    @Override
    public String beyond(History history) {
        // What has this primary's own UUID it wrote, though it was not read.
        return executed.minus(history.seen()).minus(history.own(executed)).toString();
    }
}
