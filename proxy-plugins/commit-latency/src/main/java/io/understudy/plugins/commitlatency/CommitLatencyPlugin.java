package io.understudy.plugins.commitlatency;

import io.understudy.plugin.CheckedServer;
import io.understudy.plugin.Interest;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.PluginRun;
import io.understudy.plugin.RunningPlugin;
import java.sql.SQLException;
import java.util.List;

/**
 * Plugin {@code commit-latency}: measures the latency of each commit and the share of semi-synchronous replication in
 * it.
 */
public final class CommitLatencyPlugin extends RunningPlugin<CommitLatencyConfig> {
    static final String ID = "commit-latency";

    private final CommitWorker.JoinListener listener;

    public CommitLatencyPlugin() {
        this((commit, event, parts) -> {});
    }

    /** @param listener called with every commit that was joined with its event */
    CommitLatencyPlugin(CommitWorker.JoinListener listener) {
        this.listener = listener;
    }

    @Override
    public String id() {
        return ID;
    }

    @Override
    public Class<CommitLatencyConfig> configType() {
        return CommitLatencyConfig.class;
    }

    @Override
    public void check(CommitLatencyConfig config, CheckedServer server) throws SQLException {
        if (server.isPrimary()) {
            server.needsBinaryLog(
                    CheckedServer.Level.WARNING,
                    "commits are timed, but the wait for acknowledgements is known only as averages of"
                            + " the server's counters");
            server.needsInjection("their commits are timed without their GTIDs");
            semiSync(server);
        }
    }

    @Override
    public List<String> monitorPrivileges(CommitLatencyConfig config) {
        return List.of("REPLICATION SLAVE");
    }

    private static void semiSync(CheckedServer server) throws SQLException {
        if (!"ON".equals(server.variable("log_bin"))) {
            return;
        }
        String source = server.isMariaDb() ? null : server.variable("rpl_semi_sync_source_enabled");
        String enabled = source == null ? server.variable("rpl_semi_sync_master_enabled") : source;
        server.ok("semi-synchronous replication is " + (enabled == null ? "not installed" : enabled));
        if (server.isMariaDb() && "AFTER_SYNC".equals(server.variable("rpl_semi_sync_master_wait_point"))) {
            server.warning("rpl_semi_sync_master_wait_point is AFTER_SYNC: on MariaDB a commit then also waits for the"
                    + " acknowledgements of those before it; AFTER_COMMIT, its default, does not");
        }
    }

    @Override
    protected PluginRun<CommitLatencyConfig> create(PluginContext context, CommitLatencyConfig config) {
        return new CommitMeasurement(context, config, listener);
    }

    /** Commits are joined with the binary log by their GTIDs. */
    @Override
    public int possibleInterests() {
        return Interest.GTIDS;
    }
}
