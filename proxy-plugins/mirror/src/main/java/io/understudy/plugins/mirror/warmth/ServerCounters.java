package io.understudy.plugins.mirror.warmth;

import io.understudy.servers.ServerQueries;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Map;
import javax.sql.DataSource;

/**
 * A server's global counters.
 *
 * @param pageReads pages that statements read from disk
 * @param selects queries, those served by the query cache included
 * @param writes other statements that read rows
 * @param uptimeSeconds time since its start
 * @param pages in the buffer pool
 */
record ServerCounters(long pageReads, long selects, long writes, long uptimeSeconds, long pages) {
    /** Returns whether the same server has counted on since {@code before}. */
    boolean follows(ServerCounters before) {
        return uptimeSeconds >= before.uptimeSeconds && selects >= before.selects && writes >= before.writes;
    }

    /**
     * Returns the page reads since {@code before}, or NaN if the counter went back: a reset, or on MariaDB pages read
     * ahead that are subtracted before they are counted as read.
     */
    double pageReadsSince(ServerCounters before) {
        return pageReads < before.pageReads ? Double.NaN : (double) (pageReads - before.pageReads);
    }

    /** Reads the counters of one server. */
    @FunctionalInterface
    interface Source {
        /** Waits for the server. */
        ServerCounters read() throws SQLException;
    }

    private static final String[] WRITES = {
        "insert", "insert_select", "update", "update_multi", "delete", "delete_multi", "replace", "replace_select"
    };

    private static final String SQL = "SHOW GLOBAL STATUS WHERE Variable_name IN ('Uptime',"
            + "'Innodb_buffer_pool_reads','Innodb_buffer_pool_read_ahead','Innodb_buffer_pool_pages_data',"
            + "'Qcache_hits','Com_select','Com_" + String.join("','Com_", WRITES) + "')";

    /**
     * Reads the counters; waits for the server.
     *
     * @throws SQLException also if the server lacks one of them: 0 would be a wrong figure
     */
    static ServerCounters read(DataSource source) throws SQLException {
        Map<String, String> values;
        boolean mariaDb;
        try (ServerQueries server = ServerQueries.of(source)) {
            mariaDb = server.isMariaDb();
            values = server.pairs(SQL);
        }
        long reads = required(values, "innodb_buffer_pool_reads");
        long ahead = optional(values, "innodb_buffer_pool_read_ahead");
        long writes = 0;
        for (String kind : WRITES) {
            writes += optional(values, "com_" + kind);
        }
        // As probes count: on MariaDB without read-ahead, which its counter of reads includes; on MySQL with it.
        return new ServerCounters(
                mariaDb ? Math.max(0, reads - ahead) : reads + ahead,
                required(values, "com_select") + optional(values, "qcache_hits"),
                writes,
                required(values, "uptime"),
                required(values, "innodb_buffer_pool_pages_data"));
    }

    private static long required(Map<String, String> values, String name) throws SQLException {
        String value = values.get(name);
        if (value == null) {
            throw new SQLFeatureNotSupportedException("SHOW GLOBAL STATUS has no " + name);
        }
        return Long.parseLong(value);
    }

    private static long optional(Map<String, String> values, String name) {
        return Long.parseLong(values.getOrDefault(name, "0"));
    }
}
