package io.understudy.pages;

import java.util.List;

/**
 * The pages of one table, or of one partition, that are in the buffer pool.
 *
 * @param indexes those of which pages are in memory, the clustered one first
 * @param otherPages long values that are stored apart, and the file's own housekeeping
 * @param fileBytes the size of its file; -1 where it has none of its own
 */
public record TablePages(TableName name, List<IndexPages> indexes, long otherPages, long fileBytes) {
    public TablePages {
        indexes = List.copyOf(indexes);
    }

    /** All of its pages in memory. */
    public long pages() {
        return indexes.stream().mapToLong(IndexPages::pages).sum() + otherPages;
    }

    /** Pages that a rebuild would free. */
    public long frees(RebuildForecast forecast) {
        return indexes.stream()
                .mapToLong(index -> index.pages() - index.after(forecast))
                .sum();
    }
}
