package io.understudy.plugin;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the answer's deciding packets said, borrowed for the length of a callback. */
public interface ResponseView {
    boolean ok();

    /** The server's error number, 0 when there was none. */
    int errorCode();

    /** The server's error message, which may hold values of the statement; null when there was no error, or it is not kept. */
    default @Nullable String errorMessage() {
        return null;
    }

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

    /**
     * Text of the GTIDs that the response told: MariaDB the last one, {@code 0-1-42}; MySQL all of a result, {@code uuid:5}. Where several
     * results told some, the last of them. Null if none did.
     */
    @Nullable
    String gtid();

    /** Monotonic time of the read that brought {@link #gtid}; 0 without one. */
    default long gtidNanos() {
        return 0;
    }

    /** What results before that of {@link #gtid} told, in their order: a text of several statements has a result for each. */
    default List<ResultGtid> earlierGtids() {
        return List.of();
    }
}
