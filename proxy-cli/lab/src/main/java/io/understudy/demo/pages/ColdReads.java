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
        long before = server.status("Innodb_buffer_pool_reads");
        try (Connection connection = server.connect();
                PreparedStatement select = connection.prepareStatement("SELECT note FROM demo.orders WHERE id = ?")) {
            for (int i = 0; i < count; i++) {
                select.setInt(1, 1 + random.nextInt(rows));
                try (ResultSet row = select.executeQuery()) {
                    row.next();
                }
            }
        }
        return (double) (server.status("Innodb_buffer_pool_reads") - before) / count;
    }
}
