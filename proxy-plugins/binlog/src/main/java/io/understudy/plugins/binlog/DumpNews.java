package io.understudy.plugins.binlog;

import io.understudy.base.QueryFailures;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is logged of a dump connection's losses: one line for each cause. An outage of the primary is logged by its
 * monitor; a loss of this connection alone when it is read again, with the time that is missing, or at the third
 * attempt that fails. Guarded by the {@link BinlogDump}.
 */
final class DumpNews {
    private static final Logger log = LoggerFactory.getLogger(BinlogDump.class);

    private final BooleanSupplier unreachable;
    private final LongSupplier nanoClock;
    private final QueryFailures failures;
    /** Whether the next stream is logged in any case: the first, and one after a warning or another primary. */
    private boolean due = true;
    /** Why the last stream ended, until that is explained. */
    private @Nullable String loss;

    private long lostNanos;

    DumpNews(BooleanSupplier unreachable, LongSupplier nanoClock) {
        this.unreachable = unreachable;
        this.nanoClock = nanoClock;
        this.failures = new QueryFailures(unreachable);
    }

    void primaryChanged() {
        due = true;
        loss = null;
    }

    /** Called when the monitor has found the primary reachable again, and with it what ended the stream. */
    void outageEnded() {
        loss = null;
    }

    /**
     * Called when a connection failed or a stream broke.
     *
     * @param lost why a stream ended, or null if there was none, or one that had only begun
     * @return whether that is to be logged now
     */
    boolean connectionFailed(@Nullable String lost) {
        if (lost != null) {
            loss = lost;
            lostNanos = nanoClock.getAsLong();
        }
        boolean telling = failures.failed();
        if (telling) {
            due = true;
            loss = null;
        }
        return telling;
    }

    /** Called when the server refused. Returns true: that is always logged. */
    boolean refused() {
        due = true;
        loss = null;
        return true;
    }

    void streamBegan(String position, long serverId) {
        failures.succeeded();
        String lost = loss;
        loss = null;
        if (due) {
            log.info("reading the primary's binary log from {} as server id {}", position, serverId);
        } else if (lost != null && !unreachable.getAsBoolean()) {
            log.warn(
                    "no binary log from the primary for {} ms: {}; it is read again from {} as server id {}, nothing to"
                            + " do unless this repeats",
                    TimeUnit.NANOSECONDS.toMillis(nanoClock.getAsLong() - lostNanos),
                    lost,
                    position,
                    serverId);
        } else {
            log.debug("reading the primary's binary log again from {} as server id {}", position, serverId);
        }
        due = false;
    }
}
