package io.understudy.plugins.blackbox;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.GtidNumbers;

/** What a server has of a history, by the positions that it tells. */
interface Applied {
    boolean has(Gtid gtid, History history);

    /** The numbers of the history that it has. */
    GtidNumbers of(History history);

    /** Transactions that are not of the history and were written after what it has of it, as text; empty for none. */
    String beyond(History history);

    /**
     * By a server's positions.
     *
     * @param replicated MariaDB's {@code gtid_slave_pos}, MySQL's {@code gtid_executed}
     * @param logged MariaDB's {@code gtid_binlog_state}; of no use on MySQL
     * @throws IllegalArgumentException when they are no positions
     */
    static Applied of(ServerFlavor flavor, String replicated, String logged) {
        return flavor == ServerFlavor.MARIADB
                ? new MariaDbApplied(replicated, logged)
                : new MySqlApplied(GtidNumbers.ofMySql(replicated));
    }
}
