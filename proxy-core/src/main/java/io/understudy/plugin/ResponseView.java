package io.understudy.plugin;

import org.jspecify.annotations.Nullable;

/** What the answer's deciding packets said, borrowed for the length of a callback. */
public interface ResponseView {
    boolean ok();

    /** The server's error number, 0 when there was none. */
    int errorCode();

    /** Status bits of the answer's last OK or EOF packet. */
    int status();

    /** The session is in a transaction after the answer. */
    boolean inTransaction();

    /** Of the last OK packet. */
    long affectedRows();

    /** Rows of all result sets. */
    long rows();

    /** Payload bytes of the answer. */
    long bytes();

    /** Monotonic time of the read that brought the answer's first byte. */
    long firstByteNanos();

    /** Monotonic time of the read that brought the answer's last byte. */
    long lastByteNanos();

    /** Text of the GTIDs that this command committed: MariaDB {@code 0-1-42}, MySQL {@code uuid:5}; null if not told. */
    @Nullable
    String gtid();
}
