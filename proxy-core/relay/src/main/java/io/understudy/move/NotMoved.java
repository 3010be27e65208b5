package io.understudy.move;

/** Why a session cannot go on at another server. */
public final class NotMoved extends RuntimeException {
    /** The reason for which a session may wait for a primary. */
    public static final String UNREACHABLE = "unreachable";

    private static final long serialVersionUID = 1L;

    private final String reason;

    /**
     * @param reason a word, for the metric
     * @param detail for people
     */
    public NotMoved(String reason, String detail) {
        super(detail, null, false, false);
        this.reason = reason;
    }

    /** Returns that a part of the session's state is not known. */
    static NotMoved unknownState(String what) {
        return new NotMoved("unknown_state", what);
    }

    /** Returns the reason in one word. */
    public String reason() {
        return reason;
    }
}
