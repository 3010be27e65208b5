package io.understudy.plugins.blackbox.outcome;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The transactions that a session has in the binary log, or those of a token.
 *
 * @param transactions in the log's order
 * @param since the log is known without a gap from then on; null if nothing is known of it
 * @param open why there may be more, or some may be of another session; null if the session has ended on its server,
 *     and the log was read up to there
 * @param settled whether that stays so
 */
public record LoggedTransactions(
        List<Entry> transactions,
        @Nullable Instant since,
        @Nullable String open,
        boolean settled) {
    /** With what may still become known if it is open. */
    public LoggedTransactions(List<Entry> transactions, @Nullable Instant since, @Nullable String open) {
        this(transactions, since, open, open == null);
    }

    /**
     * One of them.
     *
     * @param serverName the server that has executed it, as {@code server_id 11}
     * @param when it arrived in the log
     */
    public record Entry(String gtid, String serverName, Instant when) {}

    /** Finds them. */
    public interface Source {
        /** Returns the transactions of a connection since then, null for all. */
        LoggedTransactions of(long connection, @Nullable Instant since);

        /** Returns the transactions whose texts in the log have a token; null if there is none. */
        @Nullable
        LoggedTransactions of(String token);
    }
}
