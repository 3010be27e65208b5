package io.understudy.switchover;

/** Whether the standby was promoted is not known: nothing may be undone. */
public final class PromotionUnknown extends StepFailure {
    private static final long serialVersionUID = 1;

    public PromotionUnknown(String message) {
        super(message);
    }

    PromotionUnknown(String message, Throwable cause) {
        super(message, cause);
    }
}
