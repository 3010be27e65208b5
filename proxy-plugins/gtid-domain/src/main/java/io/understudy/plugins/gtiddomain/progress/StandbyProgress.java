package io.understudy.plugins.gtiddomain.progress;

import io.understudy.plugin.PluginContext;
import io.understudy.plugin.Standby;
import io.understudy.servers.ServerQueries;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All that is known of the standbys' progress: probes their positions and keeps the figures made of them.
 * {@link #probe} waits while another thread probes.
 *
 * <p>A standby that does not respond counts with its last known position. Otherwise another standby that goes back
 * meanwhile would still seem to have applied what it applies again. A standby that only stops, or whose link breaks,
 * has that position or a later one: at most a table is held for longer. If a standby is restored while unreachable, its
 * real position is lower than the one kept here. Handovers granted meanwhile can be applied out of order the second
 * time; see the warning in {@link #follow}. The entry of the present primary counts as no standby; where there is no
 * other one, nothing that is written from then on counts as applied.
 */
public final class StandbyProgress implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(StandbyProgress.class);
    private static final long APPLIERS_NANOS = 2_000_000_000L;
    /** Milliseconds: more than a standby that keeps up needs, and no load if it does not. */
    private static final int AWAITED = 10;

    private final PluginContext context;
    private final LongSupplier nanos;
    public final Progress progress;
    /** Held during a probe, so that positions are passed on in the order in which they were queried. */
    private final ReentrantLock turn = new ReentrantLock(true);

    public final ReplicaLag lag;
    public final AppliedTimes times;
    public final ApplierErrors errors;
    /** The last known position of each standby that has ever answered. */
    private final Map<String, GtidPosition> latest = new HashMap<>();

    /** Positions that servers last had as the primary: what they wrote themselves is in no {@code gtid_slave_pos}. */
    private final Map<String, GtidPosition> written = new HashMap<>();

    private long appliersProbedAt;

    /** @param writersOf returns the labels of the domains in which a table was written since the start */
    public StandbyProgress(
            PluginContext context,
            DomainIndexes indexes,
            Function<String, List<String>> writersOf,
            LongSupplier nanos) {
        this.context = context;
        this.nanos = nanos;
        progress = new Progress(indexes);
        lag = new ReplicaLag(
                context.meters(),
                indexes,
                context.standbys().stream().map(Standby::name).toList());
        times = new AppliedTimes(context, indexes, nanos);
        errors = new ApplierErrors(context.meters(), writersOf);
        appliersProbedAt = nanos.getAsLong() - APPLIERS_NANOS;
    }

    /** Compares the primary's position with the standbys'. Returns why no handover is possible at present, or null. */
    public @Nullable String probe(Connection primary) throws SQLException {
        return probe(primary, false);
    }

    /**
     * Does the same once the standbys have applied what the primary has, or some milliseconds have passed. Called when
     * no write of some table is in flight: that moment may be over before the next probe.
     */
    public void awaitApplied(Connection primary) throws SQLException {
        probe(primary, true);
    }

    private @Nullable String probe(Connection primary, boolean awaits) throws SQLException {
        turn.lock();
        try {
            progress.ask();
            GtidPosition position =
                    GtidPosition.parse(ServerQueries.brief(primary).first("SELECT @@global.gtid_binlog_pos"));
            progress.answer(position);
            return probeStandbys(position, awaits ? AWAITED : 0);
        } finally {
            turn.unlock();
        }
    }

    /** @param again how often each is asked again, at most, until it has applied what the primary has */
    private @Nullable String probeStandbys(GtidPosition primary, int again) {
        boolean appliers = nanos.getAsLong() - appliersProbedAt >= APPLIERS_NANOS;
        if (appliers) {
            appliersProbedAt = nanos.getAsLong();
        }
        Map<String, @Nullable GtidPosition> found = new LinkedHashMap<>();
        Set<String> followers = new LinkedHashSet<>();
        String trouble = null;
        for (Standby standby : context.standbys()) {
            GtidPosition position = null;
            if (standby.isPrimary()) {
                latest.remove(standby.name());
                written.put(standby.name(), primary);
                found.put(standby.name(), null);
                continue;
            }
            followers.add(standby.name());
            try (Connection connection = standby.dataSource().getConnection()) {
                position = position(standby.name(), connection);
                for (int i = 0; i < again && !position.covers(primary); i++) {
                    LockSupport.parkNanos(1_000_000);
                    position = position(standby.name(), connection);
                }
                follow(standby.name(), position);
                if (appliers) {
                    errors.probe(standby.name(), connection);
                }
            } catch (SQLException | IllegalArgumentException e) {
                trouble = "standby " + standby.name() + " cannot be queried for its position: " + e.getMessage();
            }
            found.put(standby.name(), position);
        }
        lag.update(nanos.getAsLong(), primary, found);
        if (found.isEmpty()) {
            return "no standbys are configured, so nothing is ever known to be applied";
        }
        if (followers.isEmpty()) {
            return "standby " + String.join(", ", found.keySet()) + " is the primary now, and no other server is a"
                    + " configured standby: add the server that was the primary to standbys";
        }
        if (latest.keySet().containsAll(followers)) {
            progress.standbysAt(List.copyOf(latest.values()));
        }
        return trouble;
    }

    /**
     * Returns a standby's applied position. That of a server that was the primary includes what it wrote until then,
     * unless its log does not have it any more, as after a restore.
     */
    private GtidPosition position(String standby, Connection connection) throws SQLException {
        GtidPosition applied =
                GtidPosition.parse(ServerQueries.brief(connection).first("SELECT @@global.gtid_slave_pos"));
        GtidPosition own = written.get(standby);
        if (own == null) {
            return applied;
        }
        if (applied.covers(own)) {
            written.remove(standby);
            return applied;
        }
        GtidPosition logged =
                GtidPosition.parse(ServerQueries.brief(connection).first("SELECT @@global.gtid_binlog_pos"));
        return logged.covers(own) ? applied.and(own) : applied;
    }

    /** Says that a standby applies transactions again, which may get another order than the guard has seen. */
    private void follow(String standby, GtidPosition position) {
        GtidPosition before = latest.put(standby, position);
        if (before != null && !position.covers(before)) {
            log.warn(
                    "gtid-domain: standby {} went back from {} to {}, as after a crash or when it was restored from a"
                            + " backup. What it applies again is not ordered between domains: let it catch up with"
                            + " slave_parallel_threads=0; see the holes in docs/gtid-domains.md",
                    standby,
                    before.sequences(),
                    position.sequences());
        }
    }

    /** Adds figures for the domains that a reload has added. */
    public void register() {
        lag.register();
        times.register();
    }

    @Override
    public void close() {
        times.close();
    }
}
