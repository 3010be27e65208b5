package io.understudy.unplanned;

/** A transaction cannot be applied over a client's connection. The message says which one, and why. */
final class NotApplicable extends Exception {
    private static final long serialVersionUID = 1;

    NotApplicable(String message) {
        super(message);
    }
}
