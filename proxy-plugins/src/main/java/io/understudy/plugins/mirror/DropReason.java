package io.understudy.plugins.mirror;

import java.util.Locale;

/** Reasons why a selected statement did not reach a standby. */
enum DropReason {
    QUEUE_FULL,
    BYTES_FULL,
    TOO_OLD,
    PAUSED,
    STANDBY_DOWN,
    NOT_READ_ONLY,
    RATE_LIMITED,
    /** An execution whose parameter types were never sent, or whose query attributes cannot be told from its values. */
    NOT_REPRODUCIBLE;

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
