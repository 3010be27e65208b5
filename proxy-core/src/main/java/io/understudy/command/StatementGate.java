package io.understudy.command;

/** Asked before a client's statement goes on, while it is held: the place where statements of ours come in. */
public interface StatementGate {
    /** Nothing is ever added. */
    StatementGate CLOSED = new StatementGate() {
        @Override
        public boolean open(int code) {
            return false;
        }

        @Override
        public void beforeStatement(Exchange exchange) {}

        @Override
        public boolean afterLogin() {
            return false;
        }
    };

    /**
     * True when a statement could be added now, so that the client's command should be held until it is known as far as anybody reads it.
     *
     * @param code of the client's command
     */
    boolean open(int code);

    /** The client's command, already last in flight if it has an answer, is about to be forwarded. */
    void beforeStatement(Exchange exchange);

    /** Sends what observers need answered before the session's first command. Returns whether there is a response to wait for. */
    boolean afterLogin();
}
