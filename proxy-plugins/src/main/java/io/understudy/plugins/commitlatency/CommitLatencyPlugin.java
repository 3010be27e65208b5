package io.understudy.plugins.commitlatency;

import io.understudy.plugin.PluginContext;
import io.understudy.plugin.ProxyPlugin;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;

/** Plugin {@code commit-latency}: what each commit costs, and how much of that is semi-synchronous replication. */
public final class CommitLatencyPlugin implements ProxyPlugin<CommitLatencyConfig> {
    private CommitSink sink = commit -> {};

    @Override
    public String id() {
        return "commit-latency";
    }

    @Override
    public Class<CommitLatencyConfig> configType() {
        return CommitLatencyConfig.class;
    }

    @Override
    public void start(PluginContext context, CommitLatencyConfig config) {
        CommitMeters meters = new CommitMeters(context);
        sink = commit -> meters.commit(commit, SemiSync.UNKNOWN);
    }

    @Override
    public void reload(CommitLatencyConfig config) {
        // Nothing depends on it yet that could change.
    }

    @Override
    public SessionObserver openSession(SessionContext session) {
        return new CommitObserver(session, sink);
    }

    @Override
    public void stop() {
        sink = commit -> {};
    }
}
