package io.understudy.replay.compare;

import io.understudy.plugin.HashedResult;
import org.jspecify.annotations.Nullable;

/**
 * One result, reduced to what is compared.
 *
 * @param error the server's error number, or 0
 * @param timedOut whether the server or the client gave up
 * @param result the rows
 * @param floating the rows with their floating-point values apart, or null if there are none
 * @param metadata hash of the columns' names and types
 * @param nanos execution time, from the command until the response's last byte
 * @param likeCaptured the rows hashed as a capture does, or null when the log has none to compare with
 */
record ResultPrint(
        int error,
        boolean timedOut,
        HashedResult result,
        @Nullable FloatingRows floating,
        long metadata,
        long nanos,
        @Nullable HashedResult likeCaptured) {

    /** The client library's error number for a connection that ended during a statement. */
    static final int LOST = 2013;

    /** Returns a result without rows. */
    static ResultPrint ofError(int error, boolean timedOut, long nanos) {
        return new ResultPrint(error, timedOut, new HashedResult(0, 0, 0, false), null, 0, nanos, null);
    }

    /** Returns whether the server ended the connection during the statement. */
    boolean isLost() {
        return error == LOST;
    }

    /** Returns whether the result has the captured rows, in any order. */
    boolean isLike(@Nullable HashedResult captured) {
        HashedResult own = likeCaptured;
        return own != null && captured != null && captured.to(own) != HashedResult.Relation.DIFFERENT;
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
        return switch (result.to(other.result)) {
            case DIFFERENT -> roundingOnly(other) ? Relation.ROUNDING : Relation.DIFFERENT;
            case ORDER -> Relation.ORDER;
            case EQUAL -> metadata == other.metadata ? Relation.EQUAL : Relation.METADATA;
        };
    }

    private boolean roundingOnly(ResultPrint other) {
        FloatingRows own = floating;
        FloatingRows others = other.floating;
        return own != null && others != null && own.isLike(others);
    }
}
