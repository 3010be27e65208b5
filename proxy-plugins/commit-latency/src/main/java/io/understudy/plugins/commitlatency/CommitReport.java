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
        users = new CommitTable(rows);
        schemas = new CommitTable(rows);
        digests = new CommitTable(rows);
    }

    synchronized void commit(Commit commit) {
        long latency = commit.latencyNanos();
        users.commit(commit.user(), latency);
        schemas.commit(key(commit.schema()), latency);
        digests.commit(key(commit.digest()), latency);
        prediction.commit(commit);
    }

    synchronized void attributed(Commit commit, Breakdown parts) {
        long latency = commit.latencyNanos();
        users.attributed(commit.user(), latency, parts);
        schemas.attributed(key(commit.schema()), latency, parts);
        digests.attributed(key(commit.digest()), latency, parts);
        prediction.attributed(parts);
    }

    private static String key(@Nullable String name) {
        return name == null ? NONE : name;
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

    /** @param nanos round trip to the primary; negative if it is not known */
    synchronized void pinged(long nanos) {
        if (nanos >= 0) {
            prediction.pinged(nanos);
        }
    }

    synchronized Prediction.Figures prediction(long nowNanos, WitnessState witness) {
        return prediction.figures(nowNanos, witness);
    }
}
