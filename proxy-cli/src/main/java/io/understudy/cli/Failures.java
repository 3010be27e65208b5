package io.understudy.cli;

/** The text of an error on the terminal: its message, or its class if it has none. */
public final class Failures {
    private Failures() {}

    public static String sentence(Throwable failure) {
        String message = failure.getMessage();
        if (message != null && !message.isBlank()) {
            return message;
        }
        return failure.getClass().getSimpleName() + "; --verbose shows where";
    }
}
