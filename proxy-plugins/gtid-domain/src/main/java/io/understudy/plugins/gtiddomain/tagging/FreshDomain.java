package io.understudy.plugins.gtiddomain.tagging;

import io.understudy.plugins.gtiddomain.progress.DomainIndexes;

/**
 * Initial gtid_domain_id assumed for sessions that log in between two readings of the primary's global value. The
 * second reading shows whether that was right. Thread-safe.
 */
final class FreshDomain {
    /** Whether it rests on a reading, not only on the configuration. */
    final boolean read;

    private volatile int index;
    private volatile boolean sure;

    /** @param read whether the first of the two readings showed the index */
    FreshDomain(int index, boolean read) {
        this.index = index;
        this.read = read;
        sure = read;
    }

    /** Returns the index of the domain; FOREIGN for one that no rule has, or one of two. */
    int index() {
        return index;
    }

    /** Returns whether it is believed of this primary. */
    boolean sure() {
        return sure;
    }

    /** Called when the primary may have been replaced. */
    void doubt() {
        sure = false;
    }

    /** Called with the second reading. If both differ, a session may have begun before or after the change. */
    void settle(int second) {
        index = read && index != second ? DomainIndexes.FOREIGN : second;
        sure = true;
    }
}
