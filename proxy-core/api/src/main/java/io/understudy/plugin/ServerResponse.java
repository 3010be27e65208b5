package io.understudy.plugin;

import io.netty.buffer.ByteBuf;

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

    /**
     * Returns how many bytes of each row to show to {@link #onRow}. Asked once for each row, or once for several if it
     * is 0; the rest is discarded, so that memory does not grow with a result.
     */
    default int rowBytes() {
        return 0;
    }

    /**
     * Called for each row while {@link #rowBytes} is positive.
     *
     * @param buf holds {@code shown} bytes of the row's packet from {@code index}; valid during the call
     * @param length payload bytes of the row's packet
     */
    default void onRow(ByteBuf buf, int index, int shown, int length) {}

    /**
     * Called for each column definition of a result if {@link #rowBytes} is positive when it arrives.
     *
     * @param buf holds the definition's packet from {@code index}; valid during the call
     */
    default void onColumn(ByteBuf buf, int index, int length) {}

    /** Called when the connection ended before the response was complete; the message says why. */
    void onFailure(String reason);
}
