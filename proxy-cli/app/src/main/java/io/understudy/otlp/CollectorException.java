package io.understudy.otlp;

/** A push that failed; the message says why and what to do. */
final class CollectorException extends Exception {
    private static final long serialVersionUID = 1;

    CollectorException(String message) {
        super(message);
    }

    CollectorException(String message, Throwable cause) {
        super(message, cause);
    }
}
