package io.understudy.plugin;

/**
 * One function of the proxy that needs an account at a server. It reports how the account fares, so that an account
 * that is refused is one fact with one remedy, and not a symptom of each function. Thread-safe; never waits.
 */
public interface AccountUse {
    /** Reports nothing to anybody. */
    AccountUse NONE = new AccountUse() {
        @Override
        public void works() {}

        @Override
        public void refused(int code, String error) {}
    };

    /** Called when the function got what it needs. */
    void works();

    /**
     * Called when the server responded with an error. Errors that do not concern the account are ignored.
     *
     * @param code the server's error number
     * @param error the server's message
     */
    void refused(int code, String error);
}
