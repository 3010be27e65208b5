package io.understudy.move;

/** Why a session cannot go on at another server. */
public final class NotMoved extends RuntimeException {
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

    /** Returns the reason in one word. */
    public String reason() {
        return reason;
    }
}
