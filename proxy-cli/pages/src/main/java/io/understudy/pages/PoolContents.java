package io.understudy.pages;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The contents of a buffer pool at the time of reading.
 *
 * @param version the server's version
 * @param totalPages size of the pool in pages
 * @param usedPages pages that hold data of files
 * @param dirtyPages pages not yet written to their files
 * @param historyList length of the history list: undo logs not purged yet, whose deleted records still take room
 * @param tables pages by table name
 * @param others pages that belong to no known table, by type
 * @param notes what is missing from this report and why
 * @param took how long the query ran on the server
 */
public record PoolContents(
        String version,
        long totalPages,
        long usedPages,
        long dirtyPages,
        long historyList,
        RebuildForecast forecast,
        List<TablePages> tables,
        Map<String, Long> others,
        List<String> notes,
        Duration took) {}
