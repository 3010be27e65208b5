package io.understudy.pages;

import java.util.List;

/**
 * The pages of one table, or of one partition, that are in the buffer pool.
 *
 * @param indexes the indexes that have pages in memory, the clustered index first
 * @param otherPages pages of externally stored values and of the file's own bookkeeping
 * @param fileBytes the size of the table's file; -1 if it has no file of its own
 */
public record TablePages(TableOrPartition name, List<IndexPages> indexes, long otherPages, long fileBytes) {
    public TablePages {
        indexes = List.copyOf(indexes);
    }

    /** Returns the number of the table's pages in memory. */
    public long pages() {
        return indexes.stream().mapToLong(IndexPages::pages).sum() + otherPages;
    }

    /** Returns the number of pages that a rebuild would free. */
    public long frees(RebuildForecast forecast) {
        return indexes.stream()
                .mapToLong(index -> index.pages() - index.after(forecast))
                .sum();
    }
}
