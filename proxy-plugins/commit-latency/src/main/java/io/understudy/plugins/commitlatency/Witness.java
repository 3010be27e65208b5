package io.understudy.plugins.commitlatency;

import io.understudy.plugins.binlog.BinlogTransaction;

/** Receives every commit that was joined with its event, on the worker: for tests that must see each one. */
interface Witness {
    void joined(Commit commit, BinlogTransaction event, Breakdown parts);
}
