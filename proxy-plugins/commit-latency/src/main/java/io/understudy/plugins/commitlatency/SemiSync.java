package io.understudy.plugins.commitlatency;

/** State of semi-synchronous replication when a commit's response was sent. */
enum SemiSync {
    /** A replica had acknowledged. */
    ON("on"),
    /** Not enabled on the primary. */
    OFF("off"),
    /** Enabled, but the primary had continued without an acknowledgement. */
    DEGRADED("degraded"),
    /** The primary could not be queried, or another one in another state has taken its place. */
    UNKNOWN("unknown");

    private final String label;

    SemiSync(String label) {
        this.label = label;
    }

    String label() {
        return label;
    }

    /** Returns whether the client received its OK though no replica was known to have the transaction. */
    boolean unacknowledged() {
        return this == OFF || this == DEGRADED;
    }
}
