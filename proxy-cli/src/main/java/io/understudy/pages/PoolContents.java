package io.understudy.pages;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * What a buffer pool held when it was read.
 *
 * @param version of the server
 * @param totalPages that fit
 * @param usedPages in use by files
 * @param dirtyPages newer than their files
 * @param historyList undo logs that purge has still to work through: deleted records that still take room
 * @param tables by name
 * @param others pages of no known table by type
 * @param notes what is missing here and why
 * @param took how long the question about pages ran on the server
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
