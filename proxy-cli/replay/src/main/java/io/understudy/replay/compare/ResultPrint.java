package io.understudy.replay.compare;

import io.understudy.plugins.capture.CapturedResult;
import org.jspecify.annotations.Nullable;

/**
 * One result, reduced to what is compared.
 *
 * @param error the server's error number, or 0
 * @param timedOut whether the server or the client gave up
 * @param rows number of rows
 * @param ordered hash of the rows in their order
 * @param unordered hash of the rows in any order
 * @param rounded like {@code unordered}, with floating-point values rounded
 * @param metadata hash of the columns' names and types
 * @param cut whether a row was longer than what is hashed of it
 * @param nanos execution time, from the command until the response's last byte
 * @param hashes as a capture has them, or null when the log has none to compare with
 */
record ResultPrint(
        int error,
        boolean timedOut,
        long rows,
        long ordered,
        long unordered,
        long rounded,
        long metadata,
        boolean cut,
        long nanos,
        @Nullable CapturedResult hashes) {

    /** The client library's error number for a connection that ended during a statement. */
    static final int LOST = 2013;

    /** Returns whether the server ended the connection during the statement. */
    boolean isLost() {
        return error == LOST;
    }

    /** Returns whether the result has the captured rows, in any order. */
    boolean isLike(@Nullable CapturedResult captured) {
        CapturedResult own = hashes;
        return own != null && captured != null && captured.to(own) != CapturedResult.Relation.DIFFERENT;
    }

    /** The difference between two results, in ascending severity. */
    enum Relation {
        EQUAL,
        /** The same rows under other names or types. */
        METADATA,
        /** The same rows in another order. */
        ORDER,
        /** The same rows but for the last digits of floating-point values. */
        ROUNDING,
        DIFFERENT,
        /** An error on one side, or another one. */
        ERROR
    }

    Relation to(ResultPrint other) {
        if (error != other.error) {
            return Relation.ERROR;
        }
        if (error != 0) {
            return Relation.EQUAL;
        }
        if (rows != other.rows || rounded != other.rounded) {
            return Relation.DIFFERENT;
        }
        if (unordered != other.unordered) {
            return Relation.ROUNDING;
        }
        if (ordered != other.ordered) {
            return Relation.ORDER;
        }
        return metadata == other.metadata ? Relation.EQUAL : Relation.METADATA;
    }
}
