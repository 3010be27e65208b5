package io.understudy.plugins.commitlatency;

import io.understudy.plugins.binlog.WitnessState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tables and figures of the commits so far, under one monitor. Written by the worker, read by any thread. */
final class CommitReport {
    private static final String NONE = "-";

    private final CommitTable users;
    private final CommitTable schemas;
    private final CommitTable digests;
    private final Prediction prediction = new Prediction();

    CommitReport(int rows) {
        users = new CommitTable(rows, Commit::user);
        schemas = new CommitTable(rows, commit -> key(commit.schema()));
        digests = new CommitTable(rows, commit -> key(commit.digest()));
    }

    private static String key(@Nullable String name) {
        return name == null ? NONE : name;
    }

    synchronized void commit(Commit commit) {
        users.commit(commit);
        schemas.commit(commit);
        digests.commit(commit);
        prediction.commit(commit);
    }

    synchronized void attributed(Commit commit, Breakdown parts) {
        users.attributed(commit, parts);
        schemas.attributed(commit, parts);
        digests.attributed(commit, parts);
        prediction.attributed(parts);
    }

    synchronized List<CommitTable.Line> users() {
        return users.lines();
    }

    synchronized List<CommitTable.Line> schemas() {
        return schemas.lines();
    }

    synchronized List<CommitTable.Line> digests() {
        return digests.lines();
    }

    /** @param nanos round trip to the primary */
    synchronized void pinged(long nanos) {
        prediction.pinged(nanos);
    }

    synchronized Prediction.Figures prediction(long nowNanos, WitnessState witness) {
        return prediction.figures(nowNanos, witness);
    }
}
