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
 * @param warning why it is reachable but cannot be queried, for people; null when it can, or without an account
 */
public record PrimaryState(
        boolean reachable,
        @Nullable ServerFlavor flavor,
        @Nullable String version,
        @Nullable Boolean readOnly,
        @Nullable String identity,
        @Nullable String problem,
        @Nullable String warning) {
    public static final PrimaryState UNKNOWN =
            new PrimaryState(false, null, null, null, null, "not yet contacted", null);

    /** Returns the state without what is known of {@code read_only}. */
    PrimaryState withoutRole() {
        return readOnly == null ? this : new PrimaryState(reachable, flavor, version, null, identity, problem, warning);
    }

    /** Returns the state of the same server, which does not respond. */
    PrimaryState down(String why) {
        return new PrimaryState(false, flavor, version, null, identity, why, null);
    }

    /** Returns the state of the same server, which is alive for another reason than a probe. */
    PrimaryState alive(@Nullable String why) {
        return new PrimaryState(true, flavor, version, null, identity, null, why);
    }
}
