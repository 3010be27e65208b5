package io.understudy.rebuild;

import io.understudy.servers.ServerQueries;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** The connection that rebuilds, without binary log. Its statements may take as long as they take: they are watched. */
final class Worker implements AutoCloseable {
    private static final List<String> SETTINGS = List.of(
            "SET SESSION sql_log_bin = 0",
            // A rebuild waits for statements on the table, and the applier waits behind the rebuild. So each wait
            // is limited to one second.
            "SET SESSION lock_wait_timeout = 1",
            // Strict modes refuse old default values such as zero dates.
            "SET SESSION sql_mode = ''");

    private static final long CLOSING_MILLIS = 1000;

    private final Connection connection;
    private final ServerQueries queries;
    private final long id;

    private Worker(Connection connection) throws SQLException {
        this.connection = connection;
        this.queries = new ServerQueries(connection);
        keep(queries);
        for (String setting : SETTINGS) {
            queries.execute(setting);
        }
        useOneThread();
        this.id = queries.number("SELECT CONNECTION_ID()");
        connection.setNetworkTimeout(Runnable::run, 0);
    }

    /** Prepares a connection. Closes it if that fails. */
    static Worker of(Connection connection) throws SQLException {
        try {
            return new Worker(connection);
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    /**
     * Lifts the server's limits on a session that is idle while the next table waits or a rebuilt one is warmed, and on
     * the time of statements: on MariaDB that would end a long ALTER, on MySQL SELECT statements only.
     */
    static void keep(ServerQueries queries) throws SQLException {
        queries.execute("SET SESSION wait_timeout = 86400");
        for (String setting : List.of("max_statement_time", "max_execution_time")) {
            if (!queries.variable(setting).isEmpty()) {
                queries.execute("SET SESSION " + setting + " = 0");
            }
        }
    }

    /**
     * Limits MySQL's rebuild to one thread. By default four build indexes and four read the table, which compete with
     * the applier for CPU time.
     */
    private void useOneThread() throws SQLException {
        for (String setting : List.of("innodb_ddl_threads", "innodb_parallel_read_threads")) {
            // MariaDB has neither, MySQL before 8.0.27 not both.
            if (!queries.variable(setting).isEmpty()) {
                queries.execute("SET SESSION " + setting + " = 1");
            }
        }
    }

    ServerQueries queries() {
        return queries;
    }

    /** Returns the identifier of the connection on the server. */
    long id() {
        return id;
    }

    /**
     * Closes the connection. On a thread of its own: the driver reads what is left, and would wait for ever behind a
     * statement whose response the network has swallowed.
     */
    @Override
    public void close() {
        Thread closing = new Thread(
                () -> {
                    try {
                        connection.close();
                    } catch (SQLException e) {
                        // It was lost.
                    }
                },
                "rebuild-close");
        closing.setDaemon(true);
        closing.start();
        try {
            closing.join(CLOSING_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
