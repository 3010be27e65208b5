package io.understudy.plugins.mirror;

import io.understudy.plugin.CheckedServer;
import io.understudy.plugin.ExplainedStatement;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.PluginDecision;
import io.understudy.plugin.PluginRun;
import io.understudy.plugin.RunningPlugin;
import io.understudy.plugin.StandbyFigures;
import io.understudy.plugins.mirror.selection.MirrorConfig;
import io.understudy.plugins.mirror.selection.MirrorExplanation;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Plugin {@code mirror}: executes a sample of the sessions' reads on the standbys, to keep their caches warm. */
public final class MirrorPlugin extends RunningPlugin<MirrorConfig> {
    @Override
    public String id() {
        return "mirror";
    }

    @Override
    public Class<MirrorConfig> configType() {
        return MirrorConfig.class;
    }

    @Override
    public void check(MirrorConfig config, CheckedServer server) throws SQLException {
        new MirrorCheck(config, server).run();
    }

    @Override
    public List<String> monitorPrivileges(MirrorConfig config) {
        return config.verifies() ? List.of("SHOW DATABASES", "SELECT", "REPLICATION SLAVE") : List.of("SHOW DATABASES");
    }

    @Override
    public PluginDecision explain(@Nullable MirrorConfig config, ExplainedStatement statement) {
        return MirrorExplanation.of(config, statement);
    }

    @Override
    public StandbyFigures figures(MirrorConfig config) {
        return new StandbyFigures(config.target(), config.verifies(), false);
    }

    @Override
    protected PluginRun<MirrorConfig> create(PluginContext context, MirrorConfig config) {
        return new RunningMirror(context, config);
    }
}
