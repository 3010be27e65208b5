package io.understudy.server;

/** Why something failed, in one line. */
final class Reasons {
    private Reasons() {}

    /** The innermost message: a pool says only that it waited in vain. */
    static String of(Throwable failure) {
        Throwable at = failure;
        while (at.getCause() != null && at.getCause() != at) {
            at = at.getCause();
        }
        String message = at.getMessage();
        return message == null
                ? at.getClass().getSimpleName()
                : message.lines().findFirst().orElse(message);
    }
}
