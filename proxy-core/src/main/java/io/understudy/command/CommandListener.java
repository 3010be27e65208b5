package io.understudy.command;

/** Told of commands and answers as they pass. Called on the session's event loop. */
public interface CommandListener {
    /** Bits of {@link io.understudy.plugin.Interest}, constant for the session. */
    int interests();

    void onCommand(Exchange exchange);

    /** The answer is over; for one of ours see {@link Exchange#injected}. */
    void onResponse(Exchange exchange);

    /** COM_RESET_CONNECTION or COM_CHANGE_USER has succeeded. */
    void onReset();
}
