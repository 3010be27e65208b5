package io.understudy.plugin;

/**
 * How an injected statement ended.
 *
 * @param errorCode 0 for success, else the server's error number
 * @param message the server's message, empty for success
 */
public record InjectionResult(int errorCode, String message) {
    public static final InjectionResult OK = new InjectionResult(0, "");

    public boolean ok() {
        return errorCode == 0;
    }
}
