package io.understudy.replay.log;

import org.jspecify.annotations.Nullable;

/**
 * The settings of a session that writes, beside those that every read needs.
 *
 * @param transaction what follows SET SESSION TRANSACTION, or null for the server's values
 * @param assignments an assignment list for SET, or null
 * @param resets how often the client has reset the session so far
 */
public record WriteSettings(
        @Nullable String transaction, @Nullable String assignments, int resets) {
    static final WriteSettings NONE = new WriteSettings(null, null, 0);
}
