package io.understudy.plugins.commitlatency;

import io.understudy.plugin.Interest;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.PluginRun;
import io.understudy.plugin.ProxyPlugin;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;

/**
 * Plugin {@code commit-latency}: measures the latency of each commit and the share of semi-synchronous replication in
 * it.
 */
public final class CommitLatencyPlugin implements ProxyPlugin<CommitLatencyConfig> {
    static final String ID = "commit-latency";

    private final Witness witness;
    private volatile PluginRun<CommitLatencyConfig> running = PluginRun.none();

    public CommitLatencyPlugin() {
        this((commit, event, parts) -> {});
    }

    /** @param witness called with every commit that was joined with its event */
    CommitLatencyPlugin(Witness witness) {
        this.witness = witness;
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
    public void start(PluginContext context, CommitLatencyConfig config) {
        CommitMeasurement measurement = new CommitMeasurement(context, config, witness);
        running = measurement;
        measurement.start();
    }

    @Override
    public void reload(CommitLatencyConfig next) {
        running.reload(next);
    }

    /** Commits are joined with the binary log by their GTIDs. */
    @Override
    public int possibleInterests() {
        return Interest.GTIDS;
    }

    @Override
    public SessionObserver openSession(SessionContext session) {
        return running.openSession(session);
    }

    @Override
    public void stop() {
        PluginRun<CommitLatencyConfig> last = running;
        running = PluginRun.none();
        last.stop();
    }
}
