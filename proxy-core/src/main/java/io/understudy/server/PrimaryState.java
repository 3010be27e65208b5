package io.understudy.server;

import io.understudy.plugin.ServerFlavor;
import org.jspecify.annotations.Nullable;

/**
 * What the last look at the primary found.
 *
 * @param reachable it answered, or, without a monitor account, took a connection
 * @param flavor null when it was never asked
 * @param version as {@code VERSION()} says it; null when it was never asked
 * @param problem why it is not reachable, for people; null when it is
 */
public record PrimaryState(
        boolean reachable,
        @Nullable ServerFlavor flavor,
        @Nullable String version,
        @Nullable String problem) {
    public static final PrimaryState UNKNOWN = new PrimaryState(false, null, null, "not yet contacted");

    static PrimaryState down(PrimaryState before, String why) {
        return new PrimaryState(false, before.flavor(), before.version(), why);
    }
}
