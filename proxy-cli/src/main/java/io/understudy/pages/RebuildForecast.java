package io.understudy.pages;

/**
 * How many pages an index will have after a rebuild. A rebuild fills pages in key order: it leaves a sixteenth of a
 * clustered index's leaf pages free, of secondary indexes nothing, and with {@code innodb_fill_factor} below 100 that
 * share of both.
 *
 * @param pageSize {@code innodb_page_size}
 * @param fillFactor {@code innodb_fill_factor}
 */
public record RebuildForecast(int pageSize, int fillFactor) {
    /** File header, page header, infimum and supremum, trailer. */
    private static final int FRAME = 128;
    /** A directory slot of two bytes for four records. */
    private static final double SLOT = 0.5;

    private static final int CLUSTERED_RESERVE = 16;
    private static final int LEAST_RECORDS = 2;

    /**
     * Returns the pages for these records.
     *
     * @param records in the index
     * @param dataBytes that these records take, with their headers
     * @param clustered whether the index holds the rows
     */
    public long pages(long records, long dataBytes, boolean clustered) {
        if (records <= 0) {
            return 1;
        }
        int reserve =
                fillFactor >= 100 ? clustered ? pageSize / CLUSTERED_RESERVE : 0 : pageSize * (100 - fillFactor) / 100;
        double record = (double) dataBytes / records + SLOT;
        long each = Math.max(LEAST_RECORDS, (long) ((pageSize - FRAME - reserve) / record));
        return Math.max(1, (records + each - 1) / each);
    }

    /** The share of a page's usable bytes that records take. */
    public double fill(long pages, long records, long dataBytes) {
        return pages == 0 ? 0 : Math.min(1, (dataBytes + SLOT * records) / ((double) pages * (pageSize - FRAME)));
    }
}
