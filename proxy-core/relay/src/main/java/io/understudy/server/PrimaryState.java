package io.understudy.server;

import io.understudy.plugin.ServerFlavor;
import org.jspecify.annotations.Nullable;

/**
 * The result of the last probe of the primary.
 *
 * @param reachable it responded, or, without a monitor account, accepted a connection
 * @param flavor null when it was never queried
 * @param version the value of {@code VERSION()}; null when it was never queried
 * @param readOnly whether {@code read_only} is on; null when that is not known
 * @param identity tells two servers apart, whatever their addresses; null when it was never queried
 * @param problem why it is not reachable, for people; null when it is
 */
public record PrimaryState(
        boolean reachable,
        @Nullable ServerFlavor flavor,
        @Nullable String version,
        @Nullable Boolean readOnly,
        @Nullable String identity,
        @Nullable String problem) {
    public static final PrimaryState UNKNOWN = new PrimaryState(false, null, null, null, null, "not yet contacted");

    /** Returns the state without what is known of {@code read_only}. */
    PrimaryState withoutRole() {
        return readOnly == null ? this : new PrimaryState(reachable, flavor, version, null, identity, problem);
    }

    /** Returns the state of the same server, which does not respond. */
    PrimaryState down(String why) {
        return new PrimaryState(false, flavor, version, null, identity, why);
    }

    /** Returns the state of the same server, which is alive, though no probe could query it. */
    PrimaryState alive() {
        return new PrimaryState(true, flavor, version, null, identity, null);
    }
}
