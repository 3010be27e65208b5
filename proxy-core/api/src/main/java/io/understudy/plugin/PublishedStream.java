package io.understudy.plugin;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An endless stream of bytes that the admin endpoint serves to any number of readers. Each reader takes its bytes at
 * its own pace from a queue that the plugin bounds; one that stops reading is simply no longer asked. Thread-safe.
 */
public interface PublishedStream {
    /** Returns the value of the response's {@code Content-Type}. */
    String contentType();

    /**
     * Opens the stream for one reader.
     *
     * @param parameters of the request's query
     * @param ready run, from any thread, when there is something to take after {@link Reader#take} returned null, or
     *     when the stream has ended; must be cheap to call
     * @throws IllegalArgumentException when a parameter is not valid; becomes a 400 with the message
     * @throws IllegalStateException when there are too many readers; becomes a 503 with the message
     */
    Reader open(Map<String, String> parameters, Runnable ready);

    /** One reader's end of the stream. Used by one thread, the endpoint's event loop. */
    interface Reader extends AutoCloseable {
        /** Returns the next bytes, some 64 KiB at most unless one item is larger, or null when there are none now. */
        byte @Nullable [] take();

        /** Returns whether nothing more will come, once {@link #take} returns null. */
        boolean ended();

        /** Releases the queue. Called once, when the reader has disconnected or the stream has ended. */
        @Override
        void close();
    }
}
