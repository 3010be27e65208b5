package io.understudy.plugins.mirror.verify;

import io.understudy.servers.ServerQueries;
import io.understudy.sql.TableName;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether every write to a table appears in the binary log under its name. That holds for base tables of InnoDB
 * without a foreign key that has CASCADE or SET NULL: those change rows unlogged. Used by one thread.
 */
final class TableFitness {
    private static final long KEPT_NANOS = 60_000_000_000L;
    private static final int MOST = 10_000;
    private static final String QUERY = "SELECT TABLE_TYPE, ENGINE, (SELECT COUNT(*) FROM"
            + " information_schema.REFERENTIAL_CONSTRAINTS c WHERE c.CONSTRAINT_SCHEMA = t.TABLE_SCHEMA"
            + " AND c.TABLE_NAME = t.TABLE_NAME AND (c.DELETE_RULE NOT IN ('RESTRICT', 'NO ACTION')"
            + " OR c.UPDATE_RULE NOT IN ('RESTRICT', 'NO ACTION'))) FROM information_schema.TABLES t"
            + " WHERE t.TABLE_SCHEMA = ? AND t.TABLE_NAME = ?";

    private record Known(@Nullable String reason, long nanos) {}

    private final Runnable asked;
    private final Map<TableName, Known> known = new LinkedHashMap<>();

    /** @param asked called for each query */
    TableFitness(Runnable asked) {
        this.asked = asked;
    }

    /** Returns null if reads of the tables can be compared, or the reason why not. */
    @Nullable
    String unfit(Connection primary, List<TableName> tables) throws SQLException {
        for (TableName table : tables) {
            Known entry = known.get(table);
            if (entry == null || System.nanoTime() - entry.nanos() > KEPT_NANOS) {
                if (known.size() >= MOST) {
                    known.clear();
                }
                entry = new Known(readReason(primary, table), System.nanoTime());
                known.put(table, entry);
            }
            if (entry.reason() != null) {
                return entry.reason();
            }
        }
        return tables.isEmpty() ? "no_table" : null;
    }

    private @Nullable String readReason(Connection primary, TableName table) throws SQLException {
        asked.run();
        return new ServerQueries(primary)
                .rows(QUERY, Arrays.asList(table.schema(), table.table()), TableFitness::reason).stream()
                        .findFirst()
                        .orElse(Optional.of("table")) // not visible to the account
                        .orElse(null);
    }

    private static Optional<String> reason(ResultSet row) throws SQLException {
        if (!"BASE TABLE".equals(row.getString(1)) || !"InnoDB".equals(row.getString(2))) {
            return Optional.of("table"); // a view, or another engine
        }
        return row.getInt(3) > 0 ? Optional.of("cascade") : Optional.empty();
    }
}
