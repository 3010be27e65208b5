package io.understudy.plugins.blackbox;

import io.understudy.plugin.CheckedServer;
import io.understudy.plugin.Interest;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.PluginRun;
import io.understudy.plugin.RunningPlugin;
import io.understudy.plugin.StandbyFigures;
import io.understudy.servers.SemiSyncSource;
import io.understudy.servers.ServerQueries;
import java.sql.SQLException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plugin {@code black-box}: retains the transactions that standbys have not applied yet, and reports those that a new
 * primary lacks.
 */
public final class BlackBoxPlugin extends RunningPlugin<BlackBoxConfig> {
    static final String ID = "black-box";

    private static final Logger log = LoggerFactory.getLogger(BlackBoxPlugin.class);

    @Override
    public String id() {
        return ID;
    }

    @Override
    public Class<BlackBoxConfig> configType() {
        return BlackBoxConfig.class;
    }

    @Override
    public void check(BlackBoxConfig config, CheckedServer server) throws SQLException {
        if (server.isPrimary()) {
            server.needsBinaryLog("no transaction is kept, so that nothing could be reported or rescued");
            if (config.acknowledge() != BlackBoxConfig.Acknowledge.OFF) {
                witness(server);
            }
        }
    }

    private static void witness(CheckedServer server) throws SQLException {
        ServerQueries queries = new ServerQueries(server.connection());
        SemiSyncSource source = SemiSyncSource.of(queries);
        for (WitnessAdvice.Note note : WitnessAdvice.of(source, server.isMariaDb(), SourceProbe.logInEngine(queries))) {
            server.report(
                    note.warning() ? CheckedServer.Level.WARNING : CheckedServer.Level.OK, "acknowledge", note.text());
        }
        if (source.enabled()) {
            server.report(
                    CheckedServer.Level.OK,
                    "acknowledge",
                    "semi-synchronous replication is ON, and " + source.clients() + " replicas are registered");
        }
    }

    @Override
    public List<String> monitorPrivileges(BlackBoxConfig config) {
        return List.of("REPLICATION SLAVE");
    }

    @Override
    public StandbyFigures figures(BlackBoxConfig config) {
        return new StandbyFigures(null, false, true);
    }

    @Override
    protected PluginRun<BlackBoxConfig> create(PluginContext context, BlackBoxConfig config) {
        if (context.primary().dataSource() == null) {
            throw new IllegalArgumentException(
                    "black-box reads the primary's binary log and needs an account for that: add"
                            + " primary.monitor with user and password, and GRANT REPLICATION SLAVE ON *.* to it");
        }
        if (context.standbys().isEmpty()) {
            log.warn(
                    "black-box: no standbys are configured, so nothing is ever known to be applied: the last {} of"
                            + " the binary log are kept",
                    config.memory());
        }
        return new RunningBlackBox(context, config);
    }

    /** Responses are joined with the binary log by their GTIDs. */
    @Override
    public int possibleInterests() {
        return Interest.GTIDS;
    }
}
