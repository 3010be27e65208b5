package io.understudy.base;

import java.util.function.BooleanSupplier;

/**
 * Decides which failures of a server's periodic query are logged: the third in a row, and then the end. One failure is
 * no news, because a first connection may take its time. While the server's monitor has found it unreachable none is:
 * the monitor has logged the cause with the remedy. Not thread-safe.
 */
public final class QueryFailures {
    private static final int NEWS = 3;

    private final BooleanSupplier unreachable;
    private int inRow;
    private boolean logged;

    /** @param unreachable whether the server's monitor has found and logged that it does not respond */
    public QueryFailures(BooleanSupplier unreachable) {
        this.unreachable = unreachable;
    }

    /** Counts a failure. Returns whether it is to be logged. */
    public boolean failed() {
        if (unreachable.getAsBoolean()) {
            inRow = 0;
            return false;
        }
        if (logged || ++inRow < NEWS) {
            return false;
        }
        logged = true;
        return true;
    }

    /** Records a success. Returns whether it is to be logged, because a failure was. */
    public boolean succeeded() {
        boolean news = logged;
        logged = false;
        inRow = 0;
        return news;
    }
}
