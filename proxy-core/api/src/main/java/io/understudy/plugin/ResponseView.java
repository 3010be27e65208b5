package io.understudy.plugin;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The response to a command, as its deciding packets describe it. Borrowed: valid until the callback returns. Times are
 * monotonic, in nanoseconds.
 */
public interface ResponseView {
    /** Returns whether the response has no error. */
    boolean ok();

    /** Returns the server's error number, or 0 without an error. */
    int errorCode();

    /**
     * Returns the server's error message, which may contain values of the statement, or null when there was no error or
     * the message is not kept.
     */
    default @Nullable String errorMessage() {
        return null;
    }

    /** Returns the status bits of the response's last OK or EOF packet. */
    int status();

    /** Returns whether the session is in a transaction after the response. */
    boolean inTransaction();

    /** Returns the affected rows of the last OK packet. */
    long affectedRows();

    /** Returns the number of rows of all result sets. */
    long rows();

    /** Returns the payload bytes of the response. */
    long bytes();

    /** Returns the time of the read that delivered the response's first byte. */
    long firstByteNanos();

    /** Returns the time of the read that delivered the response's last byte. */
    long lastByteNanos();

    /**
     * Returns the GTIDs that the response reports: from MariaDB the last one, {@code 0-1-42}; from MySQL all of a
     * result, {@code uuid:5}. If several results report some, those of the last such result.
     *
     * @return null when the response reports none
     */
    @Nullable
    String gtid();

    /**
     * Returns the GTID that a response without one has left out if the command was a commit. MariaDB reports none if
     * the session's previous commit had the same sequence number, in another domain. Whether the command was a commit
     * is not known by this: the number may be one that another session has.
     *
     * @return null if the response cannot have left one out. Of a text of several statements only the domain of the
     *     last one is known
     */
    default @Nullable String omittedGtid() {
        return null;
    }

    /** Returns the time of the read that delivered {@link #gtid}, or 0 without one. */
    default long gtidNanos() {
        return 0;
    }

    /**
     * Returns the GTIDs of the results before that of {@link #gtid}, in order: a text of several statements has a
     * result for each.
     */
    default List<ResultGtid> earlierGtids() {
        return List.of();
    }
}
