package io.understudy.pages;

import io.understudy.servers.ServerQueries;
import io.understudy.sql.Quoting;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the number of leaf pages of each index from the server's persistent statistics. MariaDB writes 1 for an index
 * that it has read completely; the sample size is the true number then.
 */
public final class LeafPages {
    private LeafPages() {}

    private record Row(TableOrPartition table, String index, long pages) {}

    /**
     * Reads the statistics of all tables and partitions.
     *
     * @param schema the only schema to read, as {@code innodb_index_stats} writes it; null for all
     */
    public static Map<TableOrPartition, Map<String, Long>> read(ServerQueries queries, @Nullable String schema)
            throws SQLException {
        Map<TableOrPartition, Map<String, Long>> leaves = new HashMap<>();
        for (Row row : queries.rows(
                "SELECT database_name, table_name, index_name, MAX(IF(stat_name = 'n_leaf_pages', stat_value,"
                        + " IF(stat_name LIKE 'n\\_diff%', COALESCE(sample_size, 0), 0))) FROM mysql.innodb_index_stats"
                        + (schema == null ? "" : " WHERE database_name = " + Quoting.text(schema))
                        + " GROUP BY database_name, table_name, index_name"
                        + " ORDER BY index_name <> 'PRIMARY', index_name",
                row -> new Row(
                        TableOrPartition.file(ServerQueries.text(row, 1), ServerQueries.text(row, 2)),
                        ServerQueries.text(row, 3),
                        row.getLong(4)))) {
            leaves.computeIfAbsent(row.table, key -> new LinkedHashMap<>()).put(row.index, row.pages);
        }
        return leaves;
    }
}
