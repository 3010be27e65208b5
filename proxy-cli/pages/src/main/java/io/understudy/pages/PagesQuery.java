package io.understudy.pages;

import io.understudy.config.UnderstudyConfig;
import io.understudy.pages.PoolReader.PoolTooLarge;
import io.understudy.servers.ServerQueries;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Produces one report on a standby's pages. */
public final class PagesQuery {
    /** Added to the server's own time limit before the connection is given up. */
    private static final Duration GRACE = Duration.ofSeconds(10);

    private static final int ER_STATEMENT_TIMEOUT = 1969;
    private static final int ER_QUERY_TIMEOUT = 3024;

    private final PagesAccount account;
    private final Consumer<String> warnings;

    private PagesQuery(PagesAccount account, Consumer<String> warnings) {
        this.account = account;
        this.warnings = warnings;
    }

    /**
     * Returns the query of a standby's buffer pool.
     *
     * @throws IllegalArgumentException if the configuration has no such standby or no account
     */
    public static PagesQuery of(UnderstudyConfig config, String server) {
        return new PagesQuery(PagesAccount.of(config, server), warning -> {});
    }

    /** Returns the same questions; the consumer gets a warning before a reading that costs the server much. */
    public PagesQuery warning(Consumer<String> to) {
        return new PagesQuery(account, to);
    }

    /**
     * Reads the standby's buffer pool and returns the report.
     *
     * @param schema the only schema to report on; null for all
     * @param top how many tables to list
     * @param force whether to read a pool above the configured limit too
     * @param most after this time the server gives up
     */
    public Map<String, Object> report(@Nullable String schema, int top, boolean force, Duration most)
            throws SQLException, PoolTooLarge {
        return PagesReport.of(account.standby().name(), contents(schema, force, most), top);
    }

    /** Returns the data behind {@link #report}, unsorted. */
    public PoolContents contents(@Nullable String schema, boolean force, Duration most)
            throws SQLException, PoolTooLarge {
        try (Connection connection = account.connect(most.plus(GRACE))) {
            return new PoolReader(new ServerQueries(connection), warnings)
                    .read(
                            schema,
                            new PoolReader.Limit(
                                    force
                                            ? Long.MAX_VALUE
                                            : account.config().poolLimit().bytes(),
                                    most));
        } catch (SQLException e) {
            String remedy = remedy(e, most);
            throw remedy.isEmpty()
                    ? e
                    : new SQLException(e.getMessage() + remedy, e.getSQLState(), e.getErrorCode(), e);
        }
    }

    private String remedy(SQLException e, Duration most) {
        if (ServerQueries.denied(e)) {
            return "; grant it on the standby: SET SESSION sql_log_bin = 0; "
                    + PagesAccount.reading(account.config().user());
        }
        return e.getErrorCode() == ER_STATEMENT_TIMEOUT || e.getErrorCode() == ER_QUERY_TIMEOUT
                ? "; the standby gave up reading its pool after " + most.toMillis() / 1000.0
                        + " s: try at a quieter hour, or give report pages -c a longer --timeout"
                : "";
    }
}
