package io.understudy.plugins.commitlatency;

/** Where the parts of a commit's time come from. */
public enum Attribution {
    /** {@link #BINLOG} where the server allows it, else {@link #COUNTERS}; the log says which and why. */
    AUTO,
    /** Per commit, by the arrival of its last event on the proxy's dump connection. */
    BINLOG,
    /** Averages per interval, from the server's own counters of semi-synchronous replication. */
    COUNTERS,
    /** No parts, only whole latencies. */
    OFF;

    /** The binary log is to be read for it. */
    boolean readsBinlog() {
        return this == AUTO || this == BINLOG;
    }
}
