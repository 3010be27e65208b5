package io.understudy.plugins.mirror.selection;

import java.util.Locale;

/** Reasons why a selected statement did not reach a standby. */
public enum DropReason {
    QUEUE_FULL,
    BYTES_FULL,
    TOO_OLD,
    PAUSED,
    STANDBY_DOWN,
    NOT_READ_ONLY,
    RATE_LIMITED,
    /** It reads a view that is not certainly a pure read. */
    VIEW,
    /** It reads a table whose engine is not known to be local: the read might leave the standby. */
    ENGINE,
    /** It reads a name that the standby does not have, does not show, or may be about to change. */
    TABLE_UNKNOWN,
    /** The account must not read a name: the standby has refused that read, so it counts as executed in error. */
    NOT_GRANTED,
    /**
     * The standby's dictionary cannot be read, or was not read again since an outage or a reload: its names may be any.
     */
    DICTIONARY_UNREAD,
    /** It reads a table that an operator rebuilds on the standby. */
    TABLE_SKIPPED,
    /** An execution whose parameter types were never sent, or whose query attributes cannot be told from its values. */
    NOT_REPRODUCIBLE;

    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
