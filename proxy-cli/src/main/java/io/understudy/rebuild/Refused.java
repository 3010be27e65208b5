package io.understudy.rebuild;

/** A rebuild was not begun; the message says why and what to do. */
public final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    Refused(String message) {
        super(message);
    }
}
