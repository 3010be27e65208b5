package io.understudy.pages;

import io.understudy.sql.Quoting;
import java.util.Comparator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The name of a table, or of one partition of it.
 *
 * @param partition the partition, with a slash and its subpartition if there is one; empty for a table without
 *     partitions
 */
public record TableOrPartition(String schema, String table, String partition) implements Comparable<TableOrPartition> {
    private static final String PARTITION = " /* Partition ";
    private static final Pattern NAME = Pattern.compile("`((?:[^`]|``)*)`");
    private static final Pattern SUBPARTITION_OF_FILE = Pattern.compile("#sp#", Pattern.CASE_INSENSITIVE);
    private static final Comparator<TableOrPartition> ORDER = Comparator.comparing(TableOrPartition::schema)
            .thenComparing(TableOrPartition::table)
            .thenComparing(TableOrPartition::partition);

    /** Parses a name from {@code INNODB_BUFFER_PAGE}: {@code `shop`.`orders` /* Partition `p0` *}{@code /}. */
    static TableOrPartition quoted(String text) {
        int comment = text.indexOf(PARTITION);
        String table = comment < 0 ? text : text.substring(0, comment);
        String partition = comment < 0 ? "" : partition(text.substring(comment + PARTITION.length()));
        int dot = table.indexOf("`.`");
        if (dot < 0) {
            return new TableOrPartition("", bare(table), partition);
        }
        return new TableOrPartition(bare(table.substring(0, dot + 1)), bare(table.substring(dot + 2)), partition);
    }

    /** Parses the names of {@code innodb_index_stats}, in file name encoding. */
    public static TableOrPartition file(String schema, String table) {
        int at = table.toLowerCase(java.util.Locale.ROOT).indexOf("#p#");
        String partition = at < 0
                ? ""
                : decode(SUBPARTITION_OF_FILE.matcher(table.substring(at + 3)).replaceFirst("/"));
        return new TableOrPartition(decode(schema), decode(at < 0 ? table : table.substring(0, at)), partition);
    }

    /** Parses the name of a tablespace: {@code shop/orders#P#p0}, in file name encoding. */
    public static TableOrPartition file(String tablespace) {
        int slash = tablespace.indexOf('/');
        return file(tablespace.substring(0, slash), tablespace.substring(slash + 1));
    }

    /**
     * Parses a name as an operator writes it: {@code shop.orders}, or {@code `my.shop`.`orders`} with doubled backticks
     * within. Returns null if a part is missing.
     */
    public static @Nullable TableOrPartition written(String text) {
        int end = endOfSchema(text);
        if (end < 1 || end >= text.length() - 1 || text.charAt(end) != '.') {
            return null;
        }
        String schema = bare(text.substring(0, end));
        String table = bare(text.substring(end + 1));
        return schema.isEmpty() || table.isEmpty() ? null : new TableOrPartition(schema, table, "");
    }

    private static int endOfSchema(String text) {
        if (!text.startsWith("`")) {
            return text.indexOf('.');
        }
        int at = 1;
        while ((at = text.indexOf('`', at)) > 0 && text.startsWith("``", at)) {
            at += 2;
        }
        return at + 1;
    }

    /** Returns the table's name in the form that {@link #written(String)} parses. */
    public String written() {
        boolean plain = schema.indexOf('.') < 0 && !schema.startsWith("`") && !table.startsWith("`");
        return plain ? schema + "." + table : Quoting.name(schema, table);
    }

    private static String bare(String quoted) {
        String inner = quoted.startsWith("`") && quoted.endsWith("`") && quoted.length() > 1
                ? quoted.substring(1, quoted.length() - 1)
                : quoted;
        return inner.replace("``", "`");
    }

    /** Parses {@code `p0`} or {@code `p0`, Subpartition `s0`}. */
    private static String partition(String quoted) {
        return NAME.matcher(quoted)
                .results()
                .map(name -> name.group(1).replace("``", "`"))
                .collect(Collectors.joining("/"));
    }

    /** Returns the table without the partition. */
    TableOrPartition whole() {
        return new TableOrPartition(schema, table, "");
    }

    /** Returns the name for display: {@code shop.orders}, {@code shop.orders:p0}. */
    public String shown() {
        return schema + "." + table + (partition.isEmpty() ? "" : ":" + partition);
    }

    @Override
    public int compareTo(TableOrPartition other) {
        return ORDER.compare(this, other);
    }

    private static final int DIGITS = 4;

    /**
     * Decodes the sequences of four hexadecimal digits. Other sequences, used for a few old alphabets, stay as they
     * are.
     */
    static String decode(String name) {
        if (name.indexOf('@') < 0) {
            return name;
        }
        StringBuilder out = new StringBuilder(name.length());
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            int end = i + 1 + DIGITS;
            if (c == '@' && end <= name.length() && name.substring(i + 1, end).matches("[0-9a-fA-F]{4}")) {
                out.append((char) Integer.parseInt(name.substring(i + 1, end), 16));
                i = end - 1;
            } else {
                out.append(c);
            }
        }
        return out.toString();
    }
}
