package io.understudy.plugins.querylog;

import io.understudy.plugin.PluginContext;
import io.understudy.plugin.PluginRun;
import io.understudy.plugin.RunningPlugin;

/**
 * Plugin {@code query-log}: figures for each digest at {@code /api/digests}, and the live stream at {@code /slowlog}.
 */
public final class QueryLogPlugin extends RunningPlugin<QueryLogConfig> {
    @Override
    public String id() {
        return "query-log";
    }

    @Override
    public Class<QueryLogConfig> configType() {
        return QueryLogConfig.class;
    }

    @Override
    protected PluginRun<QueryLogConfig> create(PluginContext context, QueryLogConfig config) {
        return new RunningQueryLog(context, config);
    }
}
