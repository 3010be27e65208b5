package io.understudy.server;

import io.understudy.plugin.ServerFlavor;
import org.jspecify.annotations.Nullable;

/**
 * The result of the last probe of the primary.
 *
 * @param reachable it responded, or, without a monitor account, accepted a connection
 * @param flavor null when it was never queried
 * @param version the value of {@code VERSION()}; null when it was never queried
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
