package io.understudy.pages;

/**
 * The pages of one index that are in the buffer pool.
 *
 * @param clustered whether this is the clustered index, which holds the rows
 * @param pages number of pages in memory
 * @param records records on these pages, including deleted records that are not purged yet, without those of pages that
 *     no longer belong to the index
 * @param dataBytes bytes that these records take
 * @param old pages in the old sublist of the LRU list, which are evicted first
 * @param dirty pages not yet written to the file
 * @param compressed pages of a table with ROW_FORMAT=COMPRESSED; the forecast leaves these out
 * @param leafPages leaf pages of the whole index according to the server's statistics; -1 if unknown
 */
public record IndexPages(
        String name,
        boolean clustered,
        long pages,
        long records,
        long dataBytes,
        long old,
        long dirty,
        long compressed,
        long leafPages) {

    /** Returns the number of pages that the records in memory will take after a rebuild; never more than now. */
    public long after(RebuildForecast forecast) {
        return compressed > 0 ? pages : Math.min(pages, forecast.pages(records, dataBytes, clustered));
    }

    /**
     * Returns the leaf pages of the whole index after a rebuild, or -1 if unknown. Assumes that the other pages are as
     * full as those in memory. Statistics that count fewer pages than are in memory are outdated; the pages in memory
     * count then.
     */
    public long leafPagesAfter(RebuildForecast forecast) {
        return leafPages < 0 || pages == 0
                ? -1
                : Math.round((double) Math.max(leafPages, pages) * after(forecast) / pages);
    }
}
