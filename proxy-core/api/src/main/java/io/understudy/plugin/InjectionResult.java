package io.understudy.plugin;

/**
 * The result of an injected statement.
 *
 * @param errorCode 0 for success, else the server's error number
 * @param message the server's error message, empty for success
 */
public record InjectionResult(int errorCode, String message) {
    public static final InjectionResult OK = new InjectionResult(0, "");

    /** Returns whether the statement succeeded. */
    public boolean ok() {
        return errorCode == 0;
    }
}
