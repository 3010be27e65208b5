package io.understudy.embedded;

import org.jspecify.annotations.Nullable;

/** Thrown if an embedded server cannot be unpacked, started, reached or replicated; the message says what to do. */
public final class EmbeddedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public EmbeddedException(String message) {
        super(message);
    }

    public EmbeddedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
