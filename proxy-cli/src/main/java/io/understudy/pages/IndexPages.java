package io.understudy.pages;

/**
 * The pages of one index that are in the buffer pool.
 *
 * @param clustered whether it holds the rows
 * @param pages in memory
 * @param records on them, deleted ones that are not purged among them
 * @param dataBytes that the records take
 * @param old pages in the old sublist, the next to go
 * @param dirty pages that are newer than the file
 * @param compressed pages of a table with ROW_FORMAT=COMPRESSED, of which nothing is forecast
 * @param leafPages of the whole index by the server's statistics; -1 where they are not known
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

    /** Pages in memory after a rebuild of what is in memory; never more than there are. */
    public long after(RebuildForecast forecast) {
        return compressed > 0 ? pages : Math.min(pages, forecast.pages(records, dataBytes, clustered));
    }

    /**
     * Leaf pages of the whole index after a rebuild, if the rest is as full as what is in memory; -1 where not known.
     * Statistics that know of fewer pages than are in memory are old, and then what is in memory counts.
     */
    public long leafPagesAfter(RebuildForecast forecast) {
        return leafPages < 0 || pages == 0
                ? -1
                : Math.round((double) Math.max(leafPages, pages) * after(forecast) / pages);
    }
}
