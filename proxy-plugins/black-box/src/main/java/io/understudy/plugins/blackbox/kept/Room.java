package io.understudy.plugins.blackbox.kept;

import io.understudy.plugins.blackbox.history.Histories;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The bytes that a {@link BlackBox} may use for transactions. Guarded by its lock. */
final class Room {
    private static final Logger log = LoggerFactory.getLogger(Room.class);

    private final long limit;
    private final boolean drops;
    private final Histories histories;
    /** Whether some were dropped, and there was not room again since. */
    private boolean full;

    /**
     * @param limit bytes
     * @param drops whether the oldest are dropped for want of room; else the newest are not taken
     */
    Room(long limit, boolean drops, Histories histories) {
        this.limit = limit;
        this.drops = drops;
        this.histories = histories;
    }

    /**
     * Returns whether what is kept, and the transaction in transit, are within the limit, perhaps after a drop.
     *
     * @param inTransit its bytes so far
     */
    boolean suffices(long inTransit) {
        while (histories.bytes() + inTransit > limit) {
            if (!drops || !histories.dropOldest()) {
                return false;
            }
            warn();
        }
        return true;
    }

    /** Returns whether there is room again for the largest transaction that is kept. */
    boolean sufficesAgain() {
        return histories.bytes() <= limit / 2;
    }

    /** Called when transactions were released. */
    void released() {
        full &= !sufficesAgain();
    }

    /** Logs it once, until there is room again. */
    private void warn() {
        if (!full) {
            full = true;
            log.warn("black-box: full: the oldest transactions are dropped before every standby has applied them;"
                    + " reports will show them as a gap. See why a standby lags; after RESET MASTER"
                    + " docs/black-box.md has what to do. plugins.black-box.memory can be raised once all have caught"
                    + " up: a restart forgets what no directory has");
        }
    }
}
