package io.understudy.readiness;

import org.jspecify.annotations.Nullable;

/**
 * A fact, or the reason why it is not known.
 *
 * @param value null if it is not known
 * @param reason why it is not known; empty otherwise
 * @param statement what makes it readable, mostly a statement; may be empty
 */
public record Known<T>(@Nullable T value, String reason, String statement) {
    static final String LATE = "no response in time";

    public static <T> Known<T> of(T value) {
        return new Known<>(value, "", "");
    }

    public static <T> Known<T> unknown(String reason, String statement) {
        return new Known<>(null, reason, statement);
    }

    /** Returns the state of a fact before the response to its query. */
    static <T> Known<T> late() {
        return unknown(LATE, "");
    }
}
