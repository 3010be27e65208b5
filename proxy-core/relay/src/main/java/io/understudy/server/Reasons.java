package io.understudy.server;

/** Describes in one line why something failed. */
final class Reasons {
    private Reasons() {}

    /** Returns the innermost message: that of a pool says only that it waited in vain. */
    static String of(Throwable failure) {
        Throwable at = failure;
        while (at.getCause() != null && at.getCause() != at) {
            at = at.getCause();
        }
        String message = at.getMessage();
        if (message != null && message.contains("cannot be called on a closed connection")) {
            return "no response in time"; // what the driver says after it has given up
        }
        return message == null
                ? at.getClass().getSimpleName()
                : message.lines().findFirst().orElse(message);
    }
}
