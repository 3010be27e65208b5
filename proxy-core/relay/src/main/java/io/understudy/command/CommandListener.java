package io.understudy.command;

/** Receives commands and responses as they pass. Called on the session's event loop. */
public interface CommandListener {
    /** Returns the bits of {@link io.understudy.plugin.Interest}, constant for the session. */
    int interests();

    void onCommand(Exchange exchange);

    /** Called when the response is complete, also that to an injected statement, see {@link Exchange#injected}. */
    void onResponse(Exchange exchange);

    /** Called when COM_RESET_CONNECTION or COM_CHANGE_USER has succeeded. */
    void onReset();
}
