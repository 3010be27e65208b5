package io.understudy.plugins.gtiddomain.progress;

import java.sql.SQLException;

/** Connections on which positions are probed several times in a row. Used by one thread. */
public interface PositionProber extends AutoCloseable {
    /** Opens the connections. */
    interface Opener {
        PositionProber open() throws SQLException;
    }

    /**
     * Probes once without waiting: a transaction that a standby has not applied yet is found applied by a later probe,
     * because {@link Progress} retains the primary's positions until then.
     */
    void probe() throws SQLException;

    @Override
    void close();
}
