package io.understudy.plugins.commitlatency;

import io.understudy.plugin.Interest;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.PluginRun;
import io.understudy.plugin.RunningPlugin;

/**
 * Plugin {@code commit-latency}: measures the latency of each commit and the share of semi-synchronous replication in
 * it.
 */
public final class CommitLatencyPlugin extends RunningPlugin<CommitLatencyConfig> {
    static final String ID = "commit-latency";

    private final Witness witness;

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
    protected PluginRun<CommitLatencyConfig> create(PluginContext context, CommitLatencyConfig config) {
        return new CommitMeasurement(context, config, witness);
    }

    /** Commits are joined with the binary log by their GTIDs. */
    @Override
    public int possibleInterests() {
        return Interest.GTIDS;
    }
}
