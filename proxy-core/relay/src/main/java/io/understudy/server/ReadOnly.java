package io.understudy.server;

import org.jspecify.annotations.Nullable;

/** Values of {@code read_only}. */
final class ReadOnly {
    private ReadOnly() {}

    /**
     * Returns whether a value means on. MariaDB 12 has several words for on. MySQL's {@code super_read_only} needs no
     * query of its own: the server switches {@code read_only} on with it, and off only after it.
     */
    static boolean isOn(@Nullable String value) {
        return value != null && !value.equals("0") && !value.equalsIgnoreCase("OFF");
    }
}
