package io.understudy.plugins.binlog;

import java.util.function.LongConsumer;

/**
 * The rows that a transaction changed, as hashes of table and logged columns. A row that one transaction leaves and
 * another finds has the same hash, so equal hashes show that both changed the same row. Immutable.
 */
public final class RowImages {
    /** Most images retained of one transaction. */
    static final int MOST = 16;

    /** Of a transaction whose rows were not read. */
    public static final RowImages UNKNOWN = new RowImages(new long[0], new long[0], false);

    /** Of a transaction without rows. */
    static final RowImages NONE = new RowImages(new long[0], new long[0], true);

    private final long[] before;
    private final long[] after;
    private final boolean complete;

    RowImages(long[] before, long[] after, boolean complete) {
        this.before = before;
        this.after = after;
        this.complete = complete;
    }

    /** Passes the hashes of the rows as the transaction found them: of UPDATE and DELETE. */
    public void before(LongConsumer out) {
        for (long image : before) {
            out.accept(image);
        }
    }

    /** Passes the hashes of the rows as the transaction left them: of INSERT and UPDATE. */
    public void after(LongConsumer out) {
        for (long image : after) {
            out.accept(image);
        }
    }

    /** Returns whether these are all rows; false for long, compressed or many rows, and for logged statements. */
    public boolean complete() {
        return complete;
    }
}
