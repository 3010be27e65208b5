package io.understudy.server;

import io.understudy.servers.ServerQueries;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads periodically which accounts have MAX_QUERIES_PER_HOUR, if the monitor account may read {@code mysql.user}. */
public final class QueryLimits implements AutoCloseable {
    /** Limits rarely change. */
    public static final Duration INTERVAL = Duration.ofMinutes(1);

    /** Selects the names of accounts with such a limit, one per row. */
    public static final String SQL = "SELECT DISTINCT user FROM mysql.user WHERE max_questions > 0";

    private static final Logger log = LoggerFactory.getLogger(QueryLimits.class);

    private final DataSource queries;
    private final Consumer<Set<String>> listener;
    private final Polling polling;

    /** @param listener receives all such accounts after each successful query */
    public QueryLimits(DataSource queries, ScheduledExecutorService executor, Consumer<Set<String>> listener) {
        this.queries = queries;
        this.listener = listener;
        polling = new Polling(executor, INTERVAL, this::poll);
    }

    public void start() {
        polling.start();
    }

    private void poll() {
        try (ServerQueries server = ServerQueries.of(queries)) {
            listener.accept(new HashSet<>(server.column(SQL)));
        } catch (SQLException e) {
            log.debug("accounts with MAX_QUERIES_PER_HOUR are not known: {}", e.getMessage());
        }
    }

    @Override
    public void close() {
        polling.stop();
    }
}
