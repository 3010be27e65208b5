package io.understudy.plugin;

import io.netty.buffer.ByteBuf;

/**
 * Sees the rows of one response while they pass, see {@link CommandView#watchRows}. Called on the session's event loop.
 * The rows are forwarded whether or not the watcher has seen them.
 */
public interface RowWatcher {
    /**
     * Returns how many bytes of each row to show. Asked once for each row. Of a row that arrives in several reads, as
     * many bytes are copied.
     */
    int rowBytes();

    /**
     * Called for each row of every result of the response.
     *
     * @param buf holds {@code shown} bytes of the row's packet from {@code index}; valid during the call
     * @param length payload bytes of the row's packet; of a row in several packets, those of the first
     */
    void onRow(ByteBuf buf, int index, int shown, int length);
}
