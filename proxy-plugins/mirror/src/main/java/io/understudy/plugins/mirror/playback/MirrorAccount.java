package io.understudy.plugins.mirror.playback;

import io.understudy.plugin.Standby;
import io.understudy.servers.ServerQueries;
import io.understudy.sql.AccountGrants;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a standby's account can do beyond reading: the last of the layers that keep a standby unwritten. It is queried
 * when the standby is first reached, after each outage, and every ten minutes, and logged when it has changed.
 */
final class MirrorAccount {
    private static final Logger log = LoggerFactory.getLogger(MirrorAccount.class);
    private static final long AGAIN_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Standby standby;
    private final Executor queries;
    /** Used by {@link #sweep} alone. */
    private boolean wasReachable;

    private volatile long nextNanos;
    private volatile boolean running;
    private volatile @Nullable List<String> excess;

    /** @param queries executes what waits for the standby */
    MirrorAccount(Standby standby, Executor queries) {
        this.standby = standby;
        this.queries = queries;
    }

    /** Has the privileges queried when that is due. Called by one thread; never blocks. */
    void sweep(long nowNanos) {
        boolean reachable = standby.state().reachable();
        boolean back = reachable && !wasReachable;
        wasReachable = reachable;
        if (reachable && !running && (back || nowNanos - nextNanos >= 0)) {
            running = true;
            queries.execute(this::query);
        }
    }

    private void query() {
        long pause = RETRY_NANOS;
        try (ServerQueries server = ServerQueries.of(standby.dataSource())) {
            found(server.grants());
            pause = AGAIN_NANOS;
        } catch (SQLException | RuntimeException e) {
            log.debug("the privileges of the account on {} could not be read", standby.name(), e);
        } finally {
            nextNanos = System.nanoTime() + pause;
            running = false;
        }
    }

    private void found(AccountGrants grants) {
        List<AccountGrants.Excess> more = grants.beyondReading();
        List<String> privileges = more.stream().map(MirrorAccount::text).toList();
        if (!privileges.equals(excess)) {
            excess = privileges;
            if (!privileges.isEmpty()) {
                log.warn(
                        "the account for standby {} can do more than read: {}. Its reads are mirrored in read-only"
                                + " transactions all the same; to take the privileges from it, on the primary: {}",
                        standby.name(),
                        String.join("; ", privileges),
                        String.join(
                                "; ",
                                more.stream().map(AccountGrants.Excess::revoke).toList()));
            }
        }
    }

    private static String text(AccountGrants.Excess one) {
        return String.join(", ", one.privileges()) + (one.object().isEmpty() ? "" : " ON " + one.object());
    }

    /** Returns what the account can do beyond reading, or null before that is known. Thread-safe. */
    @Nullable
    List<String> excess() {
        return excess;
    }
}
