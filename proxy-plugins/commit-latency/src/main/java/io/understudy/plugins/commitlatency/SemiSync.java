package io.understudy.plugins.commitlatency;

import java.util.Locale;

/** State of semi-synchronous replication when a commit's response was sent. */
enum SemiSync {
    /** A replica had acknowledged. */
    ON,
    /** Not enabled on the primary. */
    OFF,
    /** Enabled, but the primary had continued without an acknowledgement. */
    DEGRADED,
    /** The primary could not be queried, or another one in another state has taken its place. */
    UNKNOWN;

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns whether the client received its OK though no replica was known to have the transaction. */
    boolean unacknowledged() {
        return this == OFF || this == DEGRADED;
    }
}
