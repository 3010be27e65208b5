package io.understudy.plugins.blackbox.kept;

import io.understudy.plugins.binlog.BinlogEnd;
import io.understudy.plugins.binlog.SemiSyncReplica.Acknowledgements;
import io.understudy.plugins.blackbox.history.KeptTransaction;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Acknowledges what the black box has in memory, at once. */
public final class KeptInMemory implements Keeping {
    private final BlackBox box;
    private final AtomicLong acknowledged = new AtomicLong();

    public KeptInMemory(BlackBox box) {
        this.box = box;
    }

    @Override
    public void keep(KeptTransaction transaction, BinlogEnd end, @Nullable Acknowledgements to) {
        if (to != null) {
            to.send(end);
            acknowledged.incrementAndGet();
        }
    }

    @Override
    public void acknowledge(BinlogEnd upTo, Acknowledgements to) {
        to.send(upTo);
    }

    @Override
    public boolean mayContinue() {
        return box.hasRoomAgain();
    }

    @Override
    public long acknowledged() {
        return acknowledged.get();
    }
}
