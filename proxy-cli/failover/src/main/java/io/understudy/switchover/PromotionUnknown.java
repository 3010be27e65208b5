package io.understudy.switchover;

/** The promotion was requested, and whether it has happened is not known: nothing may be undone. */
public final class PromotionUnknown extends Exception {
    private static final long serialVersionUID = 1;

    PromotionUnknown(String message, Throwable cause) {
        super(message, cause);
    }
}
