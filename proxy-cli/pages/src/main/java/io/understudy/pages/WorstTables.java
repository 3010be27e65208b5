package io.understudy.pages;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Selects the tables whose rebuild frees most. All partitions of a table count together. */
public final class WorstTables {
    /** Below this gain a table is not worth copying. */
    private static final long LEAST_PAGES = 64;

    private WorstTables() {}

    /** Returns at most {@code count} tables, as {@link TableOrPartition#written(String)} parses them. */
    public static List<String> of(PoolContents contents, int count) {
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
