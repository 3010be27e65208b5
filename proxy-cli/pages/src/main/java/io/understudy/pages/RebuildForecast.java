package io.understudy.pages;

/**
 * Forecasts how many pages an index will have after a rebuild. A rebuild fills pages in key order. It leaves one
 * sixteenth of a clustered index's leaf pages free and nothing in secondary indexes. With {@code innodb_fill_factor}
 * below 100 it leaves that share free in both.
 *
 * @param pageSize {@code innodb_page_size}
 * @param fillFactor {@code innodb_fill_factor}
 */
public record RebuildForecast(int pageSize, int fillFactor) {
    /** Bytes of the file header, page header, infimum and supremum records and trailer. */
    private static final int FRAME = 128;
    /** Bytes of page directory per record: one slot of two bytes for four records. */
    private static final double SLOT = 0.5;

    private static final int CLUSTERED_RESERVE = 16;
    private static final int LEAST_RECORDS = 2;

    /**
     * Returns the number of pages for these records.
     *
     * @param records number of records in the index
     * @param dataBytes bytes that these records take, with their headers
     * @param clustered whether this is the clustered index
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

    /** Returns the share of the pages' usable bytes that the records take. */
    public double fill(long pages, long records, long dataBytes) {
        return pages == 0 ? 0 : Math.min(1, (dataBytes + SLOT * records) / ((double) pages * (pageSize - FRAME)));
    }
}
