package io.understudy.plugins.commitlatency;

/** State of semi-synchronous replication when a commit was answered. */
enum SemiSync {
    /** A replica had acknowledged. */
    ON("on"),
    /** Not enabled on the primary. */
    OFF("off"),
    /** Enabled, but the primary had gone on without an acknowledgement. */
    DEGRADED("degraded"),
    /** The primary could not be asked. */
    UNKNOWN("unknown");

    private final String label;

    SemiSync(String label) {
        this.label = label;
    }

    String label() {
        return label;
    }

    /** The client was told OK though no replica was known to have the transaction. */
    boolean unacknowledged() {
        return this == OFF || this == DEGRADED;
    }
}
