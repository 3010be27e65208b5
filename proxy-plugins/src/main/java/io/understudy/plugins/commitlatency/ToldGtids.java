package io.understudy.plugins.commitlatency;

import io.understudy.plugins.binlog.MySqlGtidSet;
import org.jspecify.annotations.Nullable;

/** What the GTIDs of a command's response say about the command's other transactions. */
final class ToldGtids {
    private final String last;
    private final @Nullable MySqlGtidSet all;

    /**
     * Reads what a response told.
     *
     * @throws IllegalArgumentException when it cannot be read
     */
    ToldGtids(String told) {
        last = Gtids.last(told);
        all = told.indexOf(':') < 0 ? null : MySqlGtidSet.parse(told);
    }

    /** The last transaction told. */
    String last() {
        return last;
    }

    /** Every transaction of the command is told: MySQL's session tracking. */
    boolean complete() {
        return all != null;
    }

    /** Number of transactions told. */
    long count() {
        return all == null ? 1 : all.count();
    }

    /**
     * Returns whether a transaction can be one of the command's. MariaDB tells the last one only: an earlier one has a lower number in the same
     * domain of the same server.
     */
    boolean admits(String gtid) {
        if (all != null) {
            return all.contains(gtid);
        }
        int end = last.lastIndexOf('-') + 1;
        return gtid.startsWith(last.substring(0, end))
                && Long.parseUnsignedLong(gtid.substring(end)) <= Long.parseUnsignedLong(last.substring(end));
    }
}
