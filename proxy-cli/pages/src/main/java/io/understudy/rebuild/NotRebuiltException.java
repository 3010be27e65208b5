package io.understudy.rebuild;

/** Thrown if a statement that rebuilds a table did not succeed or was not begun; the message says why. */
final class NotRebuiltException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Not a code of the server: the rebuild was ended while it waited for the table. */
    static final int HELD = -1;

    private final TableOutcome.State state;
    private final int code;

    /** @param code the server's error code, {@link #HELD} or 0 */
    NotRebuiltException(TableOutcome.State state, int code, String why) {
        super(why);
        this.state = state;
        this.code = code;
    }

    TableOutcome.State state() {
        return state;
    }

    int code() {
        return code;
    }

    String why() {
        return String.valueOf(getMessage());
    }
}
