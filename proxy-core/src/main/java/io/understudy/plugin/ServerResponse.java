package io.understudy.plugin;

/** Told when an answer on a connection of our own is over. */
public interface ServerResponse {
    /**
     * @param response as of the last deciding packet; valid during the call
     * @param preparedId statement id when the command was COM_STMT_PREPARE and succeeded, else -1
     */
    void onResponse(ResponseView response, int preparedId);

    /** The connection ended first; the message says why. */
    void onFailure(String reason);
}
