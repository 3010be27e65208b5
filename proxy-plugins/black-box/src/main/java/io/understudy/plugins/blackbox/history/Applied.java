package io.understudy.plugins.blackbox.history;

import io.understudy.plugin.ServerFlavor;
import io.understudy.servers.GtidNumbers;

/** The part of a history that a server has applied, from its positions. */
public interface Applied {
    boolean has(Gtid gtid, History history);

    /** Returns the numbers of the history that it has. */
    GtidNumbers of(History history);

    /**
     * Returns the transactions that it has written after its part of the history and that are not part of the history,
     * as text; empty for none.
     */
    String beyond(History history);

    /** Returns what {@link #of} makes the same of, as {@code replicated}. */
    String text();

    /** Returns this and another part together, of the same product. */
    Applied and(Applied other);

    /**
     * Returns the part that a server's positions describe.
     *
     * @param replicated MariaDB's {@code gtid_slave_pos}, MySQL's {@code gtid_executed}
     * @param logged MariaDB's {@code gtid_binlog_state}; ignored on MySQL
     * @throws IllegalArgumentException if the texts are no positions
     */
    static Applied of(ServerFlavor flavor, String replicated, String logged) {
        return flavor == ServerFlavor.MARIADB
                ? new MariaDbApplied(replicated, logged)
                : new MySqlApplied(GtidNumbers.ofMySql(replicated));
    }
}
