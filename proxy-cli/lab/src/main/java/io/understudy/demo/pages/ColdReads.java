package io.understudy.demo.pages;

import io.understudy.embedded.EmbeddedServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Random;

/** Looks up random rows on a server and counts the pages that it read from disk. */
final class ColdReads {
    private final EmbeddedServer server;
    private final int rows;
    private final Random random;

    ColdReads(EmbeddedServer server, int rows, long seed) {
        this.server = server;
        this.rows = rows;
        this.random = new Random(seed);
    }

    /** Runs look-ups. Returns the pages read from disk per look-up, including those of replication meanwhile. */
    double each(int count) throws SQLException {
        long before = reads();
        try (Connection connection = server.connect();
                PreparedStatement select = connection.prepareStatement("SELECT note FROM demo.orders WHERE id = ?")) {
            for (int i = 0; i < count; i++) {
                select.setInt(1, 1 + random.nextInt(rows));
                try (ResultSet row = select.executeQuery()) {
                    row.next();
                }
            }
        }
        return (double) (reads() - before) / count;
    }

    private long reads() {
        return Long.parseLong(server.query("SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS"
                + " WHERE VARIABLE_NAME = 'Innodb_buffer_pool_reads'"));
    }
}
