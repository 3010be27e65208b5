package io.understudy.plugin;

import io.understudy.sql.Lookup;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * A statement and a session for {@link ProxyPlugin#explain}; neither need exist.
 *
 * @param user the user's name
 * @param schema default schema, or null for none
 * @param client the client's address, or null for a Unix socket
 * @param summary the statement's analysis, or null when it could not be analysed
 * @param text the statement as the client wrote it, whole, or null when it is not known
 * @param normalized the statement's normalised text, which may be cut, or null when it is not known
 * @param lookup the read of the rows that the statement writes or locks, or null if there is none
 */
public record ExplainedStatement(
        String user,
        @Nullable String schema,
        @Nullable InetAddress client,
        @Nullable StatementSummary summary,
        @Nullable String text,
        @Nullable String normalized,
        @Nullable Lookup lookup) {

    /** Returns the statement's kind, {@link StatementKind#UNKNOWN} if it could not be analysed. */
    public StatementKind kind() {
        return summary == null ? StatementKind.UNKNOWN : summary.kind();
    }
}
