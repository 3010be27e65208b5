package io.understudy.plugins.blackbox;

import io.understudy.plugin.ServerFlavor;
import org.jspecify.annotations.Nullable;

/**
 * The server that goes on in the primary's place, or would, as it was when asked.
 *
 * @param name a standby's name, {@code primary}, or an address
 * @param applied what it has
 * @param received what it has received and keeps in relay logs; null when not known
 * @param position for people
 * @param chosen why it is this one
 */
record Survivor(
        String name, Applied applied, @Nullable Applied received, String position, boolean readOnly, String chosen) {
    /**
     * By what a server told.
     *
     * @throws IllegalArgumentException when its positions cannot be read
     */
    static Survivor of(String name, ServerFlavor flavor, Positions.Told told, String chosen) {
        String received = told.received();
        return new Survivor(
                name,
                Applied.of(flavor, told.replicated(), told.logged()),
                received == null ? null : Applied.of(flavor, received, ""),
                told.replicated(),
                told.readOnly(),
                chosen);
    }

    Survivor because(String why) {
        return new Survivor(name, applied, received, position, readOnly, why);
    }
}
