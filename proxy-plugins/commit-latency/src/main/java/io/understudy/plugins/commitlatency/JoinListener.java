package io.understudy.plugins.commitlatency;

import io.understudy.plugins.binlog.BinlogTransaction;

/** Receives every commit that was joined with its event, on the worker: for tests that must see each one. */
interface JoinListener {
    void joined(Commit commit, BinlogTransaction event, Breakdown parts);
}
