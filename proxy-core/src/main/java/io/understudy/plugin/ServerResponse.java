package io.understudy.plugin;

/**
 * Handles the response to one command on a {@link ServerConnection}. One of the methods is called, once: on the
 * connection's event loop, or on the calling thread if that loop has already ended.
 */
public interface ServerResponse {
    /**
     * Called when the response is complete.
     *
     * @param response as of the last deciding packet; valid during the call
     * @param preparedId statement id when the command was COM_STMT_PREPARE and succeeded, else -1
     */
    void onResponse(ResponseView response, int preparedId);

    /** Called when the connection ended before the response was complete; the message says why. */
    void onFailure(String reason);
}
