package io.understudy.plugins.commitlatency;

import io.understudy.base.QueryFailures;
import io.understudy.plugin.ServerFlavor;
import io.understudy.servers.ServerQueries;
import java.sql.SQLException;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Probes the primary's semi-synchronous replication; needs no privilege. Runs on the executor, one probe at a time. */
final class SemiSyncPoller implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(SemiSyncPoller.class);

    // No backslashes: with the sql_mode NO_BACKSLASH_ESCAPES they would match nothing, as if semi-sync were off.
    private static final String STATUS = "SHOW GLOBAL STATUS WHERE Variable_name LIKE 'Rpl_semi_sync_%'"
            + " OR Variable_name IN ('Binlog_group_commits', 'Uptime')";
    private static final String SETTINGS = "SHOW GLOBAL VARIABLES WHERE Variable_name LIKE 'rpl_semi_sync_%'"
            + " OR Variable_name IN ('binlog_commit_wait_count', 'binlog_commit_wait_usec',"
            + " 'binlog_group_commit_sync_delay', 'server_uuid', 'server_id', 'hostname', 'port', 'datadir', '"
            + SemiSyncSample.GROUP_NAME + "')";

    private final DataSource source;
    private final Supplier<ServerFlavor> flavor;
    private final LongSupplier nanoClock;
    private final Consumer<SemiSyncSample> out;
    private final LongConsumer pings;
    private final QueryFailures failures;

    private volatile boolean stopped;
    private boolean saidGroup;

    /** @param pings receives round trips to the primary */
    SemiSyncPoller(
            DataSource source,
            Supplier<ServerFlavor> flavor,
            BooleanSupplier unreachable,
            LongSupplier nanoClock,
            Consumer<SemiSyncSample> out,
            LongConsumer pings) {
        this.failures = new QueryFailures(unreachable);
        this.source = source;
        this.flavor = flavor;
        this.nanoClock = nanoClock;
        this.out = out;
        this.pings = pings;
    }

    /**
     * Called when the connections are about to close: a probe that fails from here on says nothing about the primary.
     */
    void stop() {
        stopped = true;
    }

    @Override
    public void run() {
        long sentNanos = nanoClock.getAsLong();
        try (ServerQueries server = ServerQueries.of(source)) {
            Map<String, String> values = server.pairs(SETTINGS);
            values.putAll(server.pairs(STATUS));
            if (failures.succeeded()) {
                log.info("the state of semi-synchronous replication is known again");
            }
            if (SemiSyncSample.inGroup(values) && !saidGroup) {
                saidGroup = true;
                log.warn(
                        "the primary is a member of the Group Replication group {}, which this proxy does not know:"
                                + " commits are timed, but who acknowledges them, and which could be lost, is unknown",
                        values.get(SemiSyncSample.GROUP_NAME));
            }
            out.accept(SemiSyncSample.of(sentNanos, nanoClock.getAsLong(), flavor.get(), values));
            long pinged = nanoClock.getAsLong();
            if (server.connection().isValid(1)) {
                pings.accept(nanoClock.getAsLong() - pinged);
            }
        } catch (SQLException | RuntimeException e) {
            if (stopped) {
                return;
            }
            if (failures.failed()) {
                log.warn(
                        "the state of semi-synchronous replication is unknown, as the primary cannot be queried: {};"
                                + " check primary.monitor and that the primary is up",
                        e.getMessage());
            }
            out.accept(SemiSyncSample.unknown(sentNanos, nanoClock.getAsLong()));
        }
    }
}
