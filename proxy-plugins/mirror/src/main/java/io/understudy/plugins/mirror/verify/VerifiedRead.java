package io.understudy.plugins.mirror.verify;

import io.understudy.plugin.Standby;
import io.understudy.sql.TableName;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A mirrored read to check.
 *
 * @param text as the client sent it, or as it prepared it; null if it is not known
 * @param values of an execution, or null if they cannot be bound again; empty for a text statement
 * @param schema the session's default schema, or null
 * @param sqlMode right side of SET, or null for the server's
 * @param tables that it reads, with their schemas
 */
public record VerifiedRead(
        Standby standby,
        byte @Nullable [] text,
        @Nullable BoundValues values,
        @Nullable String schema,
        @Nullable String sqlMode,
        List<TableName> tables,
        long digest) {}
