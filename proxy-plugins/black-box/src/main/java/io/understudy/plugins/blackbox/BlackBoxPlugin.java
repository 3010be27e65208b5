package io.understudy.plugins.blackbox;

import io.understudy.plugin.CheckedServer;
import io.understudy.plugin.Interest;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.PluginRun;
import io.understudy.plugin.RunningPlugin;
import io.understudy.plugin.StandbyFigures;
import io.understudy.plugins.blackbox.witness.SourceProbe;
import io.understudy.plugins.blackbox.witness.WitnessAdvice;
import io.understudy.servers.SemiSyncSource;
import io.understudy.servers.ServerQueries;
import java.sql.SQLException;
import java.util.List;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plugin {@code black-box}: retains the transactions that standbys have not applied yet, and reports those that a new
 * primary lacks.
 */
public final class BlackBoxPlugin extends RunningPlugin<BlackBoxConfig> {
    static final String ID = "black-box";

    private static final Logger log = LoggerFactory.getLogger(BlackBoxPlugin.class);
    /** Versions of MariaDB before 11.5, which log the connection of a transaction with rows. */
    private static final Pattern WITHOUT_CONNECTION = Pattern.compile("^(10|11\\.[0-4])\\.");

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
            server.needsBinaryLog(
                    CheckedServer.Level.ERROR, "no transaction is kept, so that nothing could be reported or rescued");
            outcomes(server);
            if (config.acknowledge() != BlackBoxConfig.Acknowledge.OFF) {
                witness(server);
            }
        }
    }

    /** What the outcome of a lost statement needs, as otherwise the first death of a primary shows that it lacks. */
    private static void outcomes(CheckedServer server) throws SQLException {
        needs(server, "whether a session whose connection broke still runs there", "PROCESS");
        needs(
                server,
                "whether binlog-ignore-db keeps databases out of the binary log",
                "REPLICATION CLIENT",
                "BINLOG MONITOR",
                "SUPER");
        if (server.isMariaDb()
                && WITHOUT_CONNECTION.matcher(server.version()).find()
                && "ROW".equalsIgnoreCase(server.variable("binlog_format"))) {
            server.report(
                    CheckedServer.Level.WARNING,
                    "",
                    "with binlog_format=ROW this version does not log which connection wrote a transaction: what became"
                            + " of a statement without a response is mostly unknown. Set binlog_format=MIXED, or have"
                            + " clients send tokens (docs/outcomes.md#a-token)");
        }
    }

    private static void needs(CheckedServer server, String what, String... oneOf) throws SQLException {
        if (!server.grants().hasAny(oneOf)) {
            server.report(
                    CheckedServer.Level.WARNING,
                    "",
                    "what became of a statement without a response can stay unknown, as " + what
                            + " is not to be seen: GRANT " + oneOf[0] + " ON *.* TO " + server.account());
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
        return List.of("REPLICATION SLAVE", "REPLICATION CLIENT", "PROCESS");
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
