package io.understudy.cli.explain;

import org.jspecify.annotations.Nullable;

/**
 * A statement to be explained.
 *
 * @param id returned with the result, or null
 * @param sql the text
 * @param user the session's user, or null
 * @param schema default schema, or null
 * @param client the client's address, or null
 * @param dialect {@code mariadb} or {@code mysql}, or null
 */
public record ExplainRequest(
        @Nullable Object id,
        String sql,
        @Nullable String user,
        @Nullable String schema,
        @Nullable String client,
        @Nullable String dialect) {}
