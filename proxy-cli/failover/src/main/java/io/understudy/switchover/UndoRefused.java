package io.understudy.switchover;

/** An undo would do harm, now and later: it is not tried again. */
final class UndoRefused extends Exception {
    private static final long serialVersionUID = 1L;

    /** @param message says what was found and what to do by hand */
    UndoRefused(String message) {
        super(message);
    }
}
