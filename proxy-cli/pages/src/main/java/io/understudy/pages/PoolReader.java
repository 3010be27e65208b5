package io.understudy.pages;

import io.understudy.servers.Dialect;
import io.understudy.servers.ServerQueries;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Queries the contents of a buffer pool from a server of either product. The server first fills a temporary table with
 * one row for each page of the pool, whatever the condition, and then groups it. docs/pages.md says what that costs.
 * Pools above a limit are therefore refused.
 */
public final class PoolReader {
    private static final String INDEX = "INDEX";
    /** Groups by fill that a page's size is divided into. */
    private static final int FILL_STEPS = 32;
    /** Leaf pages for each page above them, at least. */
    private static final int FAN_OUT = 100;
    /** The server's own schemas, whose tables are not proposed for a rebuild. */
    private static final Set<String> SYSTEM = Set.of("mysql", "sys", "performance_schema", "information_schema");

    /** The tables in which the server keeps full-text indexes. */
    private static final Pattern FULLTEXT = Pattern.compile("fts_[0-9a-f]{16}_", Pattern.CASE_INSENSITIVE);

    /** Time that the server's thread needs for one page, measured on both products (docs/pages.md). */
    private static final Duration COST_OF_PAGE = Duration.ofNanos(10_000);

    private final ServerQueries queries;
    private final boolean mariaDb;
    private final InnodbNames names;
    private final Consumer<String> warnings;
    private final List<String> notes = new ArrayList<>();

    /** @param warnings takes a warning before a reading that costs the server more than a second */
    PoolReader(ServerQueries queries, Consumer<String> warnings) throws SQLException {
        this.queries = queries;
        this.mariaDb = queries.isMariaDb();
        this.names = InnodbNames.of(queries);
        this.warnings = warnings;
    }

    /**
     * The limits of one reading.
     *
     * @param poolBytes the largest buffer pool that is read
     * @param time after this time the server gives up
     */
    public record Limit(long poolBytes, Duration time) {}

    private record Group(
            long space,
            String type,
            String table,
            String index,
            long pages,
            long records,
            long bytes,
            long old,
            long dirty,
            long compressed,
            int fill) {}

    /**
     * Reads the pool.
     *
     * @param schema the schema whose pages are assigned to tables; null for all
     * @throws PoolTooLarge if the pool is above the limit; the message estimates the cost of reading it
     */
    public PoolContents read(@Nullable String schema, Limit limit) throws SQLException, PoolTooLarge {
        notes.clear();
        int pageSize = Integer.parseInt(queries.variable("innodb_page_size"));
        long total = Math.max(queries.status("Innodb_buffer_pool_pages_total"), 1);
        long poolBytes = Math.max(Long.parseLong(queries.variable("innodb_buffer_pool_size")), total * pageSize);
        if (poolBytes > limit.poolBytes()) {
            throw new PoolTooLarge(tooLarge(poolBytes, pageSize, limit));
        }
        String warning = warning(poolBytes, pageSize);
        if (!warning.isEmpty()) {
            warnings.accept(warning);
        }
        queries.execute("SET SESSION " + Dialect.of(queries.flavor()).limit(limit.time()));
        long start = System.nanoTime();
        List<Group> groups = groups(pageSize);
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        Map<Long, File> files = files();
        List<TablePages> tables = tables(groups, files, schema);
        String factor = queries.variable("innodb_fill_factor");
        return new PoolContents(
                queries.text("SELECT VERSION()"),
                total,
                groups.stream().mapToLong(Group::pages).sum(),
                groups.stream().mapToLong(Group::dirty).sum(),
                historyList(),
                new RebuildForecast(pageSize, factor.isEmpty() ? 100 : Integer.parseInt(factor)),
                tables,
                others(groups, files),
                List.copyOf(notes),
                took);
    }

    private static String tooLarge(long poolBytes, int pageSize, Limit limit) {
        return String.format(
                Locale.ROOT,
                "the buffer pool has %,d MiB, more than the %,d MiB of pages.poolLimit: reading it would keep a"
                        + " thread of the server busy for"
                        + " about %d s; raise pages.poolLimit, or read it all the same with report pages --force"
                        + " and name the tables to defragment",
                poolBytes >> 20,
                limit.poolBytes() >> 20,
                COST_OF_PAGE.multipliedBy(poolBytes / pageSize).toSeconds() + 1);
    }

    /** Returns a warning about the cost of a reading, or an empty text below one second. */
    static String warning(long poolBytes, int pageSize) {
        long seconds = COST_OF_PAGE.multipliedBy(poolBytes / pageSize).toSeconds();
        return seconds < 1
                ? ""
                : String.format(
                        Locale.ROOT,
                        "reading a buffer pool of %,d MiB keeps a thread of the server busy for up to %d s of CPU time,"
                                + " and creates a temporary table with a row for each page",
                        poolBytes >> 20,
                        seconds + 1);
    }

    private List<Group> groups(int pageSize) throws SQLException {
        // MariaDB leaves freed pages out, MySQL does not: there the pages are also grouped by how full they are.
        String fill = mariaDb ? "0" : "DATA_SIZE DIV " + pageSize / FILL_STEPS;
        return queries.rows(
                "SELECT SPACE, PAGE_TYPE, TABLE_NAME, INDEX_NAME, COUNT(*), SUM(NUMBER_RECORDS), SUM(DATA_SIZE), SUM("
                        + names.isOld() + "), SUM(OLDEST_MODIFICATION > 1), SUM(COMPRESSED_SIZE > 0), " + fill
                        + " AS FILL"
                        + " FROM information_schema.INNODB_BUFFER_PAGE WHERE PAGE_STATE = 'FILE_PAGE'"
                        + " GROUP BY SPACE, PAGE_TYPE, TABLE_NAME, INDEX_NAME, FILL",
                row -> new Group(
                        row.getLong(1),
                        ServerQueries.text(row, 2),
                        ServerQueries.text(row, 3),
                        // MySQL quotes some names here, MariaDB quotes none.
                        ServerQueries.text(row, 4).replace("`", ""),
                        row.getLong(5),
                        row.getLong(6),
                        row.getLong(7),
                        row.getLong(8),
                        row.getLong(9),
                        row.getLong(10),
                        row.getInt(11)));
    }

    private record File(TableOrPartition name, long bytes) {}

    /** Returns the files that belong to one table or partition each, by tablespace. */
    private Map<Long, File> files() throws SQLException {
        return queries
                .rows(
                        "SELECT SPACE, FILE_SIZE, NAME FROM " + names.tablespaces() + " WHERE NAME LIKE '%/%'",
                        row -> Map.entry(
                                row.getLong(1),
                                new File(TableOrPartition.file(ServerQueries.text(row, 3)), row.getLong(2))))
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, (first, second) -> first));
    }

    private List<TablePages> tables(List<Group> groups, Map<Long, File> files, @Nullable String schema)
            throws SQLException {
        Map<TableOrPartition, List<Group>> byTable = new TreeMap<>();
        Map<Long, Long> other = new HashMap<>();
        Map<TableOrPartition, Long> spaces = new HashMap<>();
        SpaceNames names = names(groups, files);
        for (Group group : groups) {
            if (isListed(group)) {
                TableOrPartition name = names.of(group.space, TableOrPartition.quoted(group.table));
                if (name != null) {
                    byTable.computeIfAbsent(name, key -> new ArrayList<>()).add(group);
                    spaces.put(name, group.space);
                }
            } else {
                other.merge(group.space, group.pages, Long::sum);
            }
        }
        byTable.keySet().removeIf(name -> schema != null && !name.schema().equals(schema));
        Map<TableOrPartition, Map<String, Long>> leaves = leaves();
        Set<TableOrPartition> outdated = outdated(byTable.keySet());
        Set<String> clustered = clustered(byTable);
        List<TablePages> tables = new ArrayList<>();
        byTable.forEach((name, parts) -> {
            long space = spaces.getOrDefault(name, -1L);
            File file = files.get(space);
            List<IndexPages> indexes = parts.stream()
                    .collect(Collectors.groupingBy(Group::index, TreeMap::new, Collectors.toList()))
                    .entrySet()
                    .stream()
                    .map(entry -> index(
                            entry.getKey(),
                            entry.getValue(),
                            isPrimary(entry.getKey()) || clustered.contains(space + " " + entry.getKey()),
                            leaves.getOrDefault(name, Map.of()).getOrDefault(entry.getKey(), -1L),
                            outdated.contains(name)))
                    .sorted((a, b) -> Boolean.compare(b.clustered(), a.clustered()))
                    .toList();
            long others = file == null ? 0 : other.getOrDefault(space, 0L);
            tables.add(new TablePages(name, indexes, others, file == null ? -1 : file.bytes));
        });
        return tables;
    }

    private SpaceNames names(List<Group> groups, Map<Long, File> files) {
        Map<Long, TableOrPartition> names = new HashMap<>();
        files.forEach((space, file) -> names.put(space, file.name));
        SpaceNames found = new SpaceNames(names);
        groups.stream()
                .filter(group -> isListed(group) && files.containsKey(group.space))
                .forEach(group -> found.saw(group.space, TableOrPartition.quoted(group.table)));
        if (!found.note().isEmpty()) {
            notes.add(found.note());
        }
        return found;
    }

    private IndexPages index(String name, List<Group> groups, boolean clustered, long leaves, boolean outdated) {
        long pages = groups.stream().mapToLong(Group::pages).sum();
        Contents live = !mariaDb && leaves > 0 && !outdated
                ? live(groups, pages - leaves - upperPages(leaves))
                : live(groups, 0);
        return new IndexPages(
                name,
                clustered,
                pages,
                live.records,
                live.bytes,
                groups.stream().mapToLong(Group::old).sum(),
                groups.stream().mapToLong(Group::dirty).sum(),
                groups.stream().mapToLong(Group::compressed).sum(),
                leaves);
    }

    private static long upperPages(long leaves) {
        return 1 + leaves / FAN_OUT;
    }

    private record Contents(long records, long bytes) {}

    /**
     * Returns what the pages hold that still belong to the index. A page that was merged with its neighbour is freed,
     * but stays in memory with its old records until its frame is needed. When it was merged it was less full than the
     * others.
     *
     * @param freed pages in memory above the size of the index; not positive if there are none
     */
    private static Contents live(List<Group> groups, long freed) {
        double records = 0;
        double bytes = 0;
        long left = Math.max(0, freed);
        for (Group group :
                groups.stream().sorted(Comparator.comparingInt(Group::fill)).toList()) {
            long gone = Math.min(left, group.pages);
            left -= gone;
            double share = (double) (group.pages - gone) / group.pages;
            records += share * group.records;
            bytes += share * group.bytes;
        }
        return new Contents(Math.round(records), Math.round(bytes));
    }

    private static boolean isListed(Group group) {
        TableOrPartition name = TableOrPartition.quoted(group.table);
        return isIndex(group)
                && !SYSTEM.contains(name.schema())
                && !FULLTEXT.matcher(name.table()).lookingAt();
    }

    private static boolean isIndex(Group group) {
        return group.type.equals(INDEX) && group.table.contains(".") && !group.index.isEmpty();
    }

    private static boolean isPrimary(String index) {
        return index.equals("PRIMARY") || index.equals("GEN_CLUST_INDEX");
    }

    /** Returns the leaf pages according to the server's statistics; empty if the account may not read them. */
    private Map<TableOrPartition, Map<String, Long>> leaves() throws SQLException {
        try {
            return LeafPages.read(queries, null);
        } catch (SQLException e) {
            if (!ServerQueries.denied(e)) {
                throw e;
            }
            notes.add("how large whole indexes are is not known: GRANT SELECT ON mysql.innodb_index_stats to the"
                    + " account");
            return Map.of();
        }
    }

    /**
     * Returns the tables of which more has changed since their last statistics than the server itself tolerates. On
     * MySQL the report tells by the statistics which pages are freed.
     */
    private Set<TableOrPartition> outdated(Set<TableOrPartition> tables) throws SQLException {
        if (mariaDb) {
            return Set.of();
        }
        Set<TableOrPartition> outdated = new TreeSet<>(queries.rows(
                "SELECT NAME FROM information_schema.INNODB_TABLESTATS"
                        + " WHERE MODIFIED_COUNTER > NUM_ROWS / 10 + 16 AND NAME LIKE '%/%'",
                row -> TableOrPartition.file(ServerQueries.text(row, 1))));
        outdated.retainAll(tables);
        if (!outdated.isEmpty()) {
            notes.add("the statistics of these tables are outdated, so freed pages count as theirs; ANALYZE LOCAL TABLE"
                    + " them on the standby and report again: "
                    + outdated.stream().map(TableOrPartition::shown).collect(Collectors.joining(", ")));
        }
        return outdated;
    }

    /**
     * Returns the clustered indexes that are not named PRIMARY, as {@code SPACE NAME}: those of tables without a
     * primary key.
     */
    private Set<String> clustered(Map<TableOrPartition, List<Group>> byTable) throws SQLException {
        boolean allPrimary =
                byTable.values().stream().allMatch(groups -> groups.stream().anyMatch(group -> isPrimary(group.index)));
        if (allPrimary) {
            return Set.of();
        }
        return Set.copyOf(queries.rows(
                "SELECT SPACE, NAME FROM " + names.indexes() + " WHERE TYPE & 1 = 1",
                row -> row.getLong(1) + " " + ServerQueries.text(row, 2)));
    }

    private static Map<String, Long> others(List<Group> groups, Map<Long, File> files) {
        Map<String, Long> others = new TreeMap<>();
        for (Group group : groups) {
            if (isIndex(group)) {
                if (!isListed(group)) {
                    others.merge("the server's own tables", group.pages, Long::sum);
                }
            } else if (group.type.equals(INDEX)) {
                others.merge("index of no known table", group.pages, Long::sum);
            } else if (!files.containsKey(group.space)) {
                others.merge(group.type.toLowerCase(Locale.ROOT), group.pages, Long::sum);
            }
        }
        return others;
    }

    private long historyList() throws SQLException {
        long named = queries.status("Innodb_history_list_length");
        return named > 0 || mariaDb
                ? named
                : queries.number(
                        "SELECT COUNT FROM information_schema.INNODB_METRICS WHERE NAME = 'trx_rseg_history_len'");
    }

    /** Thrown if the buffer pool is larger than the caller allows. */
    public static final class PoolTooLarge extends Exception {
        private static final long serialVersionUID = 1L;

        PoolTooLarge(String message) {
            super(message);
        }
    }
}
