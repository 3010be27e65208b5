package io.understudy.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** The account and the configuration with which {@code report pages} and {@code defragment} use a MySQL replica. */
final class PagesReplica {
    private PagesReplica() {}

    /**
     * Creates the account on the replica alone, in a session that stays out of the binary log.
     *
     * @param setting the privilege for the settings that a run changes
     */
    static void createAccount(Statement replica, String setting) throws SQLException {
        for (String sql : List.of(
                "SET SESSION sql_log_bin = 0",
                "CREATE USER pages@'%' IDENTIFIED BY 'pages'",
                "GRANT PROCESS, " + setting + ", CONNECTION_ADMIN, REPLICATION CLIENT ON *.* TO pages@'%'",
                "GRANT SELECT ON mysql.innodb_index_stats TO pages@'%'",
                "GRANT ALTER, CREATE, INSERT, SELECT ON shop.* TO pages@'%'")) {
            replica.execute(sql);
        }
    }

    /** Writes the file, in which the replica is {@code s1}, and returns its path. */
    static String configuration(Path folder, MySqlSemiSyncPair pair) throws IOException {
        return Files.writeString(
                        folder.resolve("u.yaml"), """
                primary: { address: "localhost:1" }
                standbys: [ { name: s1, address: "127.0.0.1:%d", user: x, tls: { mode: disabled } } ]
                pages: { user: pages, password: pages }
                """.formatted(pair.replica().getPort()))
                .toString();
    }
}
