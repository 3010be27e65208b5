package io.understudy.switchover;

/** A step cannot be done. The message says what was found, where, and what to do. */
public class StepFailure extends Exception {
    private static final long serialVersionUID = 1;

    public StepFailure(String message) {
        super(message);
    }

    public StepFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
