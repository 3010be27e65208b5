package io.understudy.steering.parallelism;

/**
 * The rows that a transaction changed, as hashes of table and logged columns. A row that one transaction leaves and
 * another finds has the same hash, so equal hashes show that both changed the same row.
 *
 * @param before the rows as the transaction found them: of UPDATE and DELETE
 * @param after the rows as it left them: of INSERT and UPDATE
 * @param complete whether these are all; false for long, compressed or many rows, and for logged statements
 */
@SuppressWarnings("ArrayRecordComponent") // not compared, and dropped once they are looked up
public record RowImages(long[] before, long[] after, boolean complete) {
    /** Most images retained of one transaction. */
    static final int MOST = 16;

    /** The images of a transaction whose rows were not read. */
    public static final RowImages UNKNOWN = new RowImages(new long[0], new long[0], false);
}
