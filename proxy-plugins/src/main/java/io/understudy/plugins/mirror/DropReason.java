package io.understudy.plugins.mirror;

import java.util.Locale;

/** Why a statement that was chosen did not reach a standby. */
enum DropReason {
    QUEUE_FULL,
    BYTES_FULL,
    TOO_OLD,
    PAUSED,
    STANDBY_DOWN,
    NOT_READ_ONLY,
    RATE_LIMITED,
    /** An execution whose parameter types were never seen, or whose query attributes cannot be told from its values. */
    NOT_REPRODUCIBLE;

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
