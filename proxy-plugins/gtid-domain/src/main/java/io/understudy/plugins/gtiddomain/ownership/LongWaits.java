package io.understudy.plugins.gtiddomain.ownership;

import io.understudy.plugins.gtiddomain.progress.GtidPosition;
import io.understudy.servers.ServerQueries;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds that no standby may ever reach, because the primary itself has lost them: a failover lost the end of a domain,
 * or {@code DELETE_DOMAIN_ID} removed it. They get a bound from the present primary. A write that the primary does not
 * have is in no order there, and a standby that lacks it cannot get it from the primary any more. Used by the poller;
 * {@link #problem} is thread-safe.
 *
 * <p>A server that became the primary while it still applied its relay log may yet get those writes. So nothing is
 * forgotten while it has applier threads, nor if the monitor account may not see them, nor in the first seconds.
 */
public final class LongWaits {
    private static final Logger log = LoggerFactory.getLogger(LongWaits.class);

    private static final String APPLIERS = "SELECT COUNT(*) FROM information_schema.PROCESSLIST"
            + " WHERE USER = 'system user' AND COMMAND <> 'Daemon'";
    private static final long PAUSE_NANOS = 1_000_000_000L;
    private static final long PATIENCE_NANOS = 10_000_000_000L;
    private static final long LONG_NANOS = 30_000_000_000L;

    private final LongSupplier nanos;
    private long nextQuery;
    /** Since when it lasts; null if it does not. */
    private @Nullable Long lostSince;

    private @Nullable Long inheritedSince;
    private volatile @Nullable String problem;

    /** Nothing is waited for. */
    public LongWaits(LongSupplier nanos) {
        this.nanos = nanos;
        nextQuery = nanos.getAsLong();
    }

    /** Returns what is waited for, if that has lasted or will not end by itself; or null. */
    public @Nullable String problem() {
        return problem;
    }

    /** Called at each poll; compares about once a second. */
    public void settle(Connection primary, TableOwnership ownership) throws SQLException {
        long now = nanos.getAsLong();
        if (now - nextQuery < 0) {
            return;
        }
        nextQuery = now + PAUSE_NANOS;
        // The bounds first: a primary that goes on is then beyond them.
        Map<Long, Long> awaited = ownership.unapplied();
        Map<Long, Long> lost = new TreeMap<>();
        GtidPosition position = new GtidPosition(Map.of());
        if (!awaited.isEmpty()) {
            position = GtidPosition.parse(ServerQueries.brief(primary).first("SELECT @@global.gtid_binlog_pos"));
            for (Map.Entry<Long, Long> one : awaited.entrySet()) {
                if (position.sequence(one.getKey()) < one.getValue()) {
                    lost.put(one.getKey(), one.getValue());
                }
            }
        }
        String inherited = inherited(now, ownership);
        problem = lost(now, lost, position, primary, ownership);
        if (problem == null) {
            problem = inherited;
        }
    }

    private @Nullable String lost(
            long now, Map<Long, Long> lost, GtidPosition position, Connection primary, TableOwnership ownership)
            throws SQLException {
        if (lost.isEmpty()) {
            lostSince = null;
            return null;
        }
        Long since = lostSince;
        if (since == null) {
            lostSince = now;
            return null; // as long as another server is about to be the primary
        }
        Map.Entry<Long, Long> first = lost.entrySet().iterator().next();
        String what = "the primary's gtid_binlog_pos has domain " + first.getKey() + " up to "
                + position.sequence(first.getKey()) + ", but writes up to " + first.getValue()
                + " are waited for: a failover lost them, or DELETE_DOMAIN_ID removed the domain";
        if (now - since < PATIENCE_NANOS) {
            return what;
        }
        if (!Orphans.seesAllThreads(primary)) {
            return what + ". Whether they may still arrive is not known without PROCESS: restart the proxy";
        }
        if (!"0".equals(ServerQueries.brief(primary).first(APPLIERS))) {
            return what + ". They may still arrive, since the primary replicates from another server";
        }
        log.warn("gtid-domain: {}; they are waited for no more", what);
        ownership.forget(position);
        lostSince = null;
        return null;
    }

    private @Nullable String inherited(long now, TableOwnership ownership) {
        Map<Long, Long> inherited = ownership.inherited();
        if (inherited.isEmpty()) {
            inheritedSince = null;
            return null;
        }
        Long since = inheritedSince;
        if (since == null) {
            inheritedSince = now;
            return null;
        }
        Map.Entry<Long, Long> first = inherited.entrySet().iterator().next();
        return now - since < LONG_NANOS
                ? null
                : "some standby has not applied domain " + first.getKey() + " up to " + first.getValue()
                        + ", which the primary had when the guard began";
    }
}
