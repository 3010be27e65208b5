package io.understudy.pages;

import java.util.Comparator;

/**
 * The name of a table, or of one partition of it.
 *
 * @param partition the partition, with its subpartition if there is one; empty for a table without partitions
 */
public record TableName(String schema, String table, String partition) implements Comparable<TableName> {
    private static final String PARTITION = " /* Partition ";
    private static final Comparator<TableName> ORDER = Comparator.comparing(TableName::schema)
            .thenComparing(TableName::table)
            .thenComparing(TableName::partition);

    /** Parses a name from {@code INNODB_BUFFER_PAGE}: {@code `shop`.`orders` /* Partition `p0` *}{@code /}. */
    static TableName quoted(String text) {
        int comment = text.indexOf(PARTITION);
        String table = comment < 0 ? text : text.substring(0, comment);
        String partition =
                comment < 0 ? "" : text.substring(comment + PARTITION.length()).replaceAll("[`*/ ]", "");
        int dot = table.indexOf("`.`");
        if (dot < 0) {
            return new TableName("", bare(table), partition);
        }
        return new TableName(bare(table.substring(0, dot + 1)), bare(table.substring(dot + 2)), partition);
    }

    /**
     * Parses a name from a tablespace or {@code innodb_index_stats}: {@code shop/orders#P#p0}, in file name encoding.
     */
    public static TableName file(String schema, String table) {
        int at = table.toLowerCase(java.util.Locale.ROOT).indexOf("#p#");
        String partition = at < 0 ? "" : FileNames.decode(table.substring(at + 3));
        return new TableName(
                FileNames.decode(schema), FileNames.decode(at < 0 ? table : table.substring(0, at)), partition);
    }

    private static String bare(String quoted) {
        String inner = quoted.startsWith("`") && quoted.endsWith("`") && quoted.length() > 1
                ? quoted.substring(1, quoted.length() - 1)
                : quoted;
        return inner.replace("``", "`");
    }

    /** Returns the table without the partition. */
    TableName whole() {
        return new TableName(schema, table, "");
    }

    /** Returns the name for display: {@code shop.orders}, {@code shop.orders:p0}. */
    public String shown() {
        return schema + "." + table + (partition.isEmpty() ? "" : ":" + partition);
    }

    @Override
    public int compareTo(TableName other) {
        return ORDER.compare(this, other);
    }
}
