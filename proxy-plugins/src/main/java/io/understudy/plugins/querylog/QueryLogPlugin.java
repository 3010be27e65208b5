package io.understudy.plugins.querylog;

import io.understudy.plugin.PluginContext;
import io.understudy.plugin.PluginRun;
import io.understudy.plugin.ProxyPlugin;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;

/**
 * Plugin {@code query-log}: figures for each digest at {@code /api/digests}, and the live stream at {@code /slowlog}.
 */
public final class QueryLogPlugin implements ProxyPlugin<QueryLogConfig> {
    private volatile PluginRun<QueryLogConfig> running = PluginRun.none();

    @Override
    public String id() {
        return "query-log";
    }

    @Override
    public Class<QueryLogConfig> configType() {
        return QueryLogConfig.class;
    }

    @Override
    public void start(PluginContext context, QueryLogConfig config) {
        RunningQueryLog queryLog = new RunningQueryLog(context, config);
        running = queryLog;
        queryLog.start();
    }

    @Override
    public void reload(QueryLogConfig config) {
        running.reload(config);
    }

    @Override
    public SessionObserver openSession(SessionContext session) {
        return running.openSession(session);
    }

    @Override
    public void stop() {
        PluginRun<QueryLogConfig> last = running;
        running = PluginRun.none();
        last.stop();
    }
}
