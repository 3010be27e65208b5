package io.understudy.command;

/** Called before a client's statement is forwarded, while it is held, to inject statements ahead of it. */
public interface StatementGate {
    /**
     * Returns whether a statement could be injected now, so that the client's command must be held until all bytes that
     * an observer uses have arrived.
     *
     * @param code code of the client's command
     */
    boolean open(int code);

    /** Called before the client's command is forwarded; if it has a response, it is already last in flight. */
    void beforeStatement(Exchange exchange);
}
