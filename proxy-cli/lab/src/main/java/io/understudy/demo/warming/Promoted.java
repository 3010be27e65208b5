package io.understudy.demo.warming;

import io.understudy.demo.Zipfian;
import io.understudy.embedded.EmbeddedServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Counts the pages that a server reads from disk for its first statements after the promotion.
 *
 * @param pages page reads of a statement, for each {@link #WINDOW} statements
 */
record Promoted(List<Double> pages) {
    static final int WINDOW = 1_000;
    static final int WINDOWS = 10;

    /** Runs the statements of {@code seed} on a server, and counts. */
    static Promoted measure(EmbeddedServer server, Zipfian keys, long seed) throws SQLException {
        Zipfian own = keys.with(seed);
        List<Double> pages = new ArrayList<>();
        try (Connection connection = server.connect()) {
            for (int i = 0; i < WINDOWS; i++) {
                long before = reads(server);
                read(connection, own, WINDOW);
                pages.add((double) (reads(server) - before) / WINDOW);
            }
        }
        return new Promoted(List.copyOf(pages));
    }

    /** Runs {@code count} point reads on one connection. */
    static void read(Connection connection, Zipfian keys, int count) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (int i = 0; i < count; i++) {
                statement
                        .executeQuery("SELECT v FROM demo.items WHERE id = " + keys.next())
                        .close();
            }
        }
    }

    /** MariaDB's counter of reads includes read-ahead, which the proxy's figures leave out. */
    private static long reads(EmbeddedServer server) {
        return server.status("Innodb_buffer_pool_reads") - server.status("Innodb_buffer_pool_read_ahead");
    }

    double first() {
        return pages.get(0);
    }

    /** Returns the page reads above those of {@code other} in the first window. */
    double excessOver(Promoted other) {
        return first() - other.first();
    }
}
