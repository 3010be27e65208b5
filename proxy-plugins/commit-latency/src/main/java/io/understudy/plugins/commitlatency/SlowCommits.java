package io.understudy.plugins.commitlatency;

import java.util.Locale;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs slow commits, a bounded number per minute; the others are counted in the next minute's first line. Used by the
 * worker only.
 */
final class SlowCommits {
    private static final Logger log = LoggerFactory.getLogger(SlowCommits.class);
    private static final int PER_MINUTE = 20;
    private static final long MINUTE = 60_000_000_000L;

    private final LongSupplier nanoClock;
    private long minuteBegan;
    private int logged;
    private long suppressed;
    private long total;

    SlowCommits(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /**
     * Logs the commit if it was slow.
     *
     * @param limitNanos commits slower than this are slow; 0 for none
     */
    void record(Tracked tracked, long limitNanos) {
        Commit commit = tracked.commit();
        if (limitNanos <= 0 || commit.latencyNanos() <= limitNanos) {
            return;
        }
        long nowNanos = nanoClock.getAsLong();
        if (total++ == 0 || nowNanos - minuteBegan > MINUTE) {
            if (suppressed > 0) {
                log.warn("{} more slow commits in the last minute were not logged", suppressed);
            }
            minuteBegan = nowNanos;
            logged = 0;
            suppressed = 0;
        }
        if (logged >= PER_MINUTE) {
            suppressed++;
            return;
        }
        logged++;
        log.atWarn()
                .addKeyValue("session", commit.session())
                .addKeyValue("serverThreadId", commit.thread())
                .addKeyValue("user", commit.user())
                .addKeyValue("digest", commit.digest())
                .log("{}", describe(commit, tracked.breakdown()));
    }

    static String describe(Commit commit, @Nullable Breakdown parts) {
        String schema = commit.schema();
        String digest = commit.digest();
        StringBuilder line = new StringBuilder("slow commit: ")
                .append(millis(commit.latencyNanos()))
                .append(" ms, kind ")
                .append(commit.kind().label())
                .append(", session ")
                .append(commit.session())
                .append(", user ")
                .append(commit.user())
                .append(", schema ")
                .append(schema == null ? "-" : schema)
                .append(", digest ")
                .append(digest == null ? "-" : digest);
        if (parts == null) {
            return line.append(", parts unknown").toString();
        }
        return line.append(": execution and flush ")
                .append(millis(parts.executeNanos()))
                .append(", queued behind other acknowledgements ")
                .append(millis(parts.queuedNanos()))
                .append(", own acknowledgement ")
                .append(millis(parts.ackNanos()))
                .toString();
    }

    private static String millis(long nanos) {
        return String.format(Locale.ROOT, "%.1f", nanos / 1e6);
    }
}
