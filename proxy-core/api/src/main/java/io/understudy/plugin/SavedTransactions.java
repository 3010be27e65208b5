package io.understudy.plugin;

import io.understudy.base.Secret;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Answers from what a plugin has saved in a directory, as its proxy would, if that is down. Found by
 * {@link java.util.ServiceLoader}.
 */
public interface SavedTransactions {
    /**
     * Reads a directory and changes nothing there.
     *
     * @param key that it is encrypted with, or null
     * @throws IOException if it cannot be read, with the remedy
     */
    Actions open(Path directory, @Nullable Secret key) throws IOException;

    /**
     * What can be asked; the names and parameters are those of the admin endpoint, and {@code source}, the server id of
     * that of which the standby replicates: what the directory has of servers after that is then left out, if they
     * wrote nothing themselves, and {@code leftOut} in the response has their ids.
     */
    interface Actions {
        /**
         * Runs an action.
         *
         * @return a view, or the bytes of a part of a file
         * @throws IllegalArgumentException if there is no such action, or a parameter is wrong
         */
        Object act(String name, Map<String, String> parameters);
    }
}
