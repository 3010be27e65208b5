package io.understudy.rebuild;

import io.understudy.pages.Ask;
import io.understudy.pages.LeafPages;
import io.understudy.pages.Product;
import io.understudy.pages.TableName;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The size of a table according to the server's statistics.
 *
 * @param leafPages leaf pages by index, all partitions together
 * @param fileBytes the size of its files
 */
record TableSize(Map<String, Long> leafPages, long fileBytes) {

    static TableSize of(Standby standby, Subject subject) throws SQLException {
        Map<String, Long> leaves = new LinkedHashMap<>();
        LeafPages.read(standby.ask(), null).forEach((name, indexes) -> {
            if (name.schema().equals(subject.schema()) && name.table().equals(subject.table())) {
                indexes.forEach((index, pages) -> leaves.merge(index, pages, Long::sum));
            }
        });
        return new TableSize(leaves, fileBytes(standby, subject.schema(), subject.table()));
    }

    /** Returns the size of a table's files; 0 for a table without files of its own. */
    static long fileBytes(Standby standby, String schema, String table) throws SQLException {
        List<Long> sizes = standby.ask()
                .rows(
                        "SELECT NAME, FILE_SIZE FROM " + standby.product().tablespaces() + " WHERE NAME LIKE '%/%'",
                        row -> {
                            String name = Ask.text(row, 1);
                            int slash = name.indexOf('/');
                            TableName file = TableName.file(name.substring(0, slash), name.substring(slash + 1));
                            return file.schema().equals(schema) && file.table().equals(table) ? row.getLong(2) : 0L;
                        });
        long bytes = sizes.stream().mapToLong(Long::longValue).sum();
        return bytes > 0 || isAscii(schema + table) ? bytes : estimatedBytes(standby, schema, table);
    }

    private static boolean isAscii(String name) {
        return name.chars().allMatch(c -> c < 128);
    }

    /** For names whose letters the server writes in file names by a table of its own. */
    private static long estimatedBytes(Standby standby, String schema, String table) throws SQLException {
        if (standby.product() == Product.MYSQL) {
            standby.ask().execute("SET SESSION information_schema_stats_expiry = 0");
        }
        return standby.ask()
                .number("SELECT DATA_LENGTH + INDEX_LENGTH + DATA_FREE FROM information_schema.TABLES"
                        + " WHERE TABLE_SCHEMA = " + Ask.quote(schema) + " AND TABLE_NAME = " + Ask.quote(table));
    }

    long allLeafPages() {
        return leafPages.values().stream().mapToLong(Long::longValue).sum();
    }
}
