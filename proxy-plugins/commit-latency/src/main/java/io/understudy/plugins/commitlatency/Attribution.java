package io.understudy.plugins.commitlatency;

/** Source of the parts of a commit's latency. */
public enum Attribution {
    /** {@link #BINLOG} if the server allows it, else {@link #COUNTERS}; the log says which one and the reason. */
    AUTO,
    /** Per commit, by the arrival of its last event on the proxy's dump connection. */
    BINLOG,
    /** Averages per interval, from the server's own counters of semi-synchronous replication. */
    COUNTERS,
    /** No parts, only whole latencies. */
    OFF;

    /** Returns whether this attribution reads the binary log. */
    boolean readsBinlog() {
        return this == AUTO || this == BINLOG;
    }
}
