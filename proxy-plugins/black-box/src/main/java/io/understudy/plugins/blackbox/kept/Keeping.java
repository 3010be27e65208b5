package io.understudy.plugins.blackbox.kept;

import io.understudy.plugins.binlog.BinlogEnd;
import io.understudy.plugins.binlog.SemiSyncReplica.Acknowledgements;
import io.understudy.plugins.blackbox.history.KeptTransaction;
import org.jspecify.annotations.Nullable;

/** Where transactions are kept, and how they are acknowledged once they are. */
public interface Keeping {
    /**
     * Called on the event loop with each transaction that the black box has taken.
     *
     * @param to null if it is not to be acknowledged
     */
    void keep(KeptTransaction transaction, BinlogEnd end, @Nullable Acknowledgements to);

    /** Acknowledges, once all that came before is kept, everything up to there. On any thread. */
    void acknowledge(BinlogEnd upTo, Acknowledgements to);

    /** Returns whether transactions can be kept again. May wait; on the plugin's executor. */
    boolean mayContinue();

    /** Returns how many transactions were acknowledged for which the primary waited. */
    long acknowledged();
}
