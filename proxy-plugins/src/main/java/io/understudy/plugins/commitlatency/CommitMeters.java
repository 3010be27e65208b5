package io.understudy.plugins.commitlatency;

import io.understudy.plugin.LatencyRecorder;
import io.understudy.plugin.PluginContext;

/** The histograms of whole commits, resolved once. Any thread. */
final class CommitMeters {
    private final LatencyRecorder[][] commits;

    CommitMeters(PluginContext context) {
        CommitKind[] kinds = CommitKind.values();
        SemiSync[] states = SemiSync.values();
        commits = new LatencyRecorder[kinds.length][states.length];
        for (CommitKind kind : kinds) {
            for (SemiSync state : states) {
                commits[kind.ordinal()][state.ordinal()] = context.latency(
                        "understudy_commit_seconds",
                        "From a commit's arrival at the proxy to the server's OK",
                        "kind",
                        kind.label(),
                        "semisync",
                        state.label());
            }
        }
    }

    void commit(Commit commit, SemiSync state) {
        commits[commit.kind().ordinal()][state.ordinal()].record(commit.latencyNanos());
    }
}
