package io.understudy.move;

/** A part of a session's state is not known; the message says which. */
final class UnknownStateException extends RuntimeException {
    private static final long serialVersionUID = 1;

    UnknownStateException(String message) {
        super(message);
    }
}
