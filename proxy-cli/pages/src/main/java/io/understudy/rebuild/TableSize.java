package io.understudy.rebuild;

import io.understudy.pages.InnodbNames;
import io.understudy.pages.LeafPages;
import io.understudy.pages.TableOrPartition;
import io.understudy.servers.ServerQueries;
import io.understudy.sql.Quoting;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The size of a table according to the server's statistics.
 *
 * @param leafPages leaf pages by index, all partitions together
 * @param fileBytes the size of its files
 */
record TableSize(Map<String, Long> leafPages, long fileBytes) {

    static TableSize of(StandbyQueries standby, Subject subject) throws SQLException {
        Map<String, Long> leaves = new LinkedHashMap<>();
        LeafPages.read(standby.queries(), null).forEach((name, indexes) -> {
            if (name.schema().equals(subject.schema()) && name.table().equals(subject.table())) {
                indexes.forEach((index, pages) -> leaves.merge(index, pages, Long::sum));
            }
        });
        return new TableSize(leaves, fileBytes(standby, subject.schema(), subject.table()));
    }

    /** Returns the size of a table's files; 0 for a table without files of its own. */
    static long fileBytes(StandbyQueries standby, String schema, String table) throws SQLException {
        long bytes =
                files(standby, schema, table).stream().mapToLong(File::bytes).sum();
        return bytes > 0 || isAscii(schema + table) ? bytes : estimatedBytes(standby, schema, table);
    }

    /**
     * A file of a table.
     *
     * @param name the table, with the partition that the file belongs to
     * @param space the identifier of its tablespace
     */
    record File(TableOrPartition name, long bytes, long space) {
        /** Returns the partition, without its subpartition; empty for a table without partitions. */
        String partition() {
            return name.partition().split("/", 2)[0];
        }
    }

    /** Returns the files of a table; empty for a table without files of its own. */
    static List<File> files(StandbyQueries standby, String schema, String table) throws SQLException {
        return files(standby).stream()
                .filter(file ->
                        file.name.schema().equals(schema) && file.name.table().equals(table))
                .toList();
    }

    /** Returns the files of all tables. */
    static List<File> files(StandbyQueries standby) throws SQLException {
        return standby.queries()
                .rows(
                        "SELECT NAME, FILE_SIZE, SPACE FROM "
                                + InnodbNames.of(standby.queries()).tablespaces() + " WHERE NAME LIKE '%/%'",
                        row -> new File(
                                TableOrPartition.file(ServerQueries.text(row, 1)), row.getLong(2), row.getLong(3)));
    }

    /** Returns the paths of files by their tablespaces, absolute or relative to the server's data folder. */
    static Map<Long, String> paths(StandbyQueries standby, List<File> files) throws SQLException {
        Map<Long, String> paths = new HashMap<>();
        if (!files.isEmpty()) {
            String spaces =
                    files.stream().map(file -> Long.toString(file.space)).collect(Collectors.joining(", "));
            standby.queries()
                    .rows(
                            InnodbNames.of(standby.queries()).paths() + " WHERE SPACE IN (" + spaces + ")",
                            row -> Map.entry(row.getLong(1), ServerQueries.text(row, 2)))
                    .forEach(path -> paths.put(path.getKey(), path.getValue()));
        }
        return paths;
    }

    private static boolean isAscii(String name) {
        return name.chars().allMatch(c -> c < 128);
    }

    /** For names whose letters the server writes in file names by a table of its own. */
    private static long estimatedBytes(StandbyQueries standby, String schema, String table) throws SQLException {
        if (!standby.queries().isMariaDb()) {
            standby.queries().execute("SET SESSION information_schema_stats_expiry = 0");
        }
        return standby.queries()
                .number("SELECT DATA_LENGTH + INDEX_LENGTH + DATA_FREE FROM information_schema.TABLES"
                        + " WHERE TABLE_SCHEMA = " + Quoting.text(schema) + " AND TABLE_NAME = "
                        + Quoting.text(table));
    }

    long allLeafPages() {
        return leafPages.values().stream().mapToLong(Long::longValue).sum();
    }
}
