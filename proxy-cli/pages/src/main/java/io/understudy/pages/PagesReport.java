package io.understudy.pages;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Turns the contents of a buffer pool into plain maps, sorted by what a rebuild would free. Both the JSON and the text
 * output use them.
 */
public final class PagesReport {
    private static final double MIB = 1 << 20;

    private final PoolContents contents;
    private final RebuildForecast forecast;

    private PagesReport(PoolContents contents) {
        this.contents = contents;
        this.forecast = contents.forecast();
    }

    /**
     * Returns the report.
     *
     * @param top how many tables to list
     */
    public static Map<String, Object> of(String standby, PoolContents contents, int top) {
        return new PagesReport(contents).map(standby, top);
    }

    /** Returns all tables except the server's system tables. The table whose rebuild frees most comes first. */
    public static List<TablePages> worstFirst(PoolContents contents) {
        return contents.tables().stream()
                .sorted(Comparator.<TablePages>comparingLong(table -> table.frees(contents.forecast()))
                        .thenComparingLong(TablePages::pages)
                        .reversed())
                .toList();
    }

    private Map<String, Object> map(String standby, int top) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("standby", standby);
        map.put("version", contents.version());
        map.put("pageSize", forecast.pageSize());
        map.put("poolPages", contents.totalPages());
        map.put("usedPages", contents.usedPages());
        map.put("dirtyPages", contents.dirtyPages());
        map.put("historyList", contents.historyList());
        map.put("readSeconds", contents.took().toMillis() / 1000.0);
        List<TablePages> ordered = worstFirst(contents);
        map.put(
                "freesMiB",
                mib(ordered.stream().mapToLong(table -> table.frees(forecast)).sum()));
        map.put("tables", ordered.size());
        map.put("worst", ordered.stream().limit(top).map(this::table).toList());
        map.put("others", contents.others());
        map.put("notes", notes());
        return map;
    }

    private List<String> notes() {
        List<String> notes = new ArrayList<>(contents.notes());
        if (contents.historyList() > 10_000) {
            notes.add("purge is behind (history list " + contents.historyList()
                    + "): deleted records still count as data, and a rebuild frees more than forecast once"
                    + " they are purged");
        }
        return notes;
    }

    private Map<String, Object> table(TablePages table) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("schema", table.name().schema());
        map.put("table", table.name().table());
        if (!table.name().partition().isEmpty()) {
            map.put("partition", table.name().partition());
        }
        map.put("name", table.name().shown());
        map.put("pages", table.pages());
        map.put("MiB", mib(table.pages()));
        map.put("poolShare", round((double) table.pages() / contents.totalPages(), 4));
        map.put("fill", round(fill(table), 3));
        map.put("oldPages", sum(table, IndexPages::old));
        map.put("dirtyPages", sum(table, IndexPages::dirty));
        map.put("otherPages", table.otherPages());
        map.put("fileMiB", table.fileBytes() < 0 ? null : round(table.fileBytes() / MIB, 1));
        map.put("freesPages", table.frees(forecast));
        map.put("freesMiB", mib(table.frees(forecast)));
        map.put("indexes", table.indexes().stream().map(this::index).toList());
        return map;
    }

    private Map<String, @Nullable Object> index(IndexPages index) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("index", index.name());
        map.put("clustered", index.clustered());
        map.put("pages", index.pages());
        map.put("MiB", mib(index.pages()));
        map.put("poolShare", round((double) index.pages() / contents.totalPages(), 4));
        map.put("records", index.records());
        map.put("recordsPerPage", round((double) index.records() / Math.max(1, index.pages()), 1));
        map.put("dataBytes", index.dataBytes());
        map.put("fill", round(forecast.fill(index.pages(), index.records(), index.dataBytes()), 3));
        map.put("oldPages", index.old());
        map.put("dirtyPages", index.dirty());
        map.put("pagesAfter", index.compressed() > 0 ? null : index.after(forecast));
        map.put("leafPages", index.leafPages() < 0 ? null : index.leafPages());
        map.put("leafPagesAfter", index.leafPages() < 0 ? null : index.leafPagesAfter(forecast));
        return map;
    }

    private double fill(TablePages table) {
        return forecast.fill(
                sum(table, IndexPages::pages), sum(table, IndexPages::records), sum(table, IndexPages::dataBytes));
    }

    private static long sum(TablePages table, ToLongFunction<IndexPages> figure) {
        return table.indexes().stream().mapToLong(figure).sum();
    }

    private double mib(long pages) {
        return round(pages * forecast.pageSize() / MIB, 1);
    }

    private static double round(double value, int digits) {
        double scale = Math.pow(10, digits);
        return Math.round(value * scale) / scale;
    }

    /** Below this gain a table is not worth copying. */
    private static final long LEAST_PAGES = 64;

    /** Returns at most {@code count} tables, as {@link TableOrPartition#written(String)} parses them. */
    public static List<String> worst(PoolContents contents, int count) {
        Map<String, Long> frees = new LinkedHashMap<>();
        for (TablePages table : contents.tables()) {
            frees.merge(table.name().whole().written(), table.frees(contents.forecast()), Long::sum);
        }
        return frees.entrySet().stream()
                .filter(entry -> entry.getValue() >= LEAST_PAGES)
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .limit(count)
                .map(Map.Entry::getKey)
                .toList();
    }
}
