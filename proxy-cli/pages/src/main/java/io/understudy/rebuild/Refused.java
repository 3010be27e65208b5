package io.understudy.rebuild;

/** Thrown if a rebuild was not started; the message says why and what to do. */
public final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    Refused(String message) {
        super(message);
    }
}
