package io.understudy.rules;

import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * A statement and a session for {@link RuleSet#explain}; neither need exist.
 *
 * @param user the user's name
 * @param schema default schema, or null for none
 * @param client the client's address, or null for a Unix socket
 * @param summary the statement's analysis, or null when it could not be analysed
 * @param normalized the statement's normalised text, or null when it is not known
 */
public record ExplainedStatement(
        String user,
        @Nullable String schema,
        @Nullable InetAddress client,
        @Nullable StatementSummary summary,
        @Nullable String normalized) {

    StatementKind kind() {
        return summary == null ? StatementKind.UNKNOWN : summary.kind();
    }
}
