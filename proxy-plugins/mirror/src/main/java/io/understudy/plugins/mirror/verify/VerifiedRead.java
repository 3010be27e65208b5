package io.understudy.plugins.mirror.verify;

import io.understudy.plugin.Standby;
import io.understudy.sql.ParameterValues;
import io.understudy.sql.SingleLine;
import io.understudy.sql.SqlModes;
import io.understudy.sql.TableName;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A mirrored read to check.
 *
 * @param text as the client sent it, or as it prepared it; null if it is not known
 * @param values of an execution; null for a text statement
 * @param schema the session's default schema, or null
 * @param sqlMode right side of SET, or null for the server's
 * @param tables that it reads, with their schemas
 */
public record VerifiedRead(
        Standby standby,
        byte @Nullable [] text,
        @Nullable ParameterValues values,
        @Nullable String schema,
        @Nullable String sqlMode,
        List<TableName> tables,
        long digest) {
    private static final int MOST_BYTES = 64 * 1024;

    /**
     * Returns the statement, with literals in place of an execution's values, for a session with escapes; null if it is
     * not known, or a value is too long or has more than ASCII. Allocates.
     */
    @Nullable
    String sql() {
        byte[] known = text;
        ParameterValues parameters = values;
        if (known == null || parameters == null) {
            return known == null ? null : new String(known, StandardCharsets.US_ASCII);
        }
        if (parameters.size() > MOST_BYTES) {
            return null;
        }
        SingleLine line = new SingleLine();
        SingleLine.Parameters literals = parameters.literals();
        SingleLine.Refusal refusal =
                line.write(known, 0, known.length, SqlModes.NONE, null, index -> ascii(literals.literal(index)));
        return refusal == null ? new String(line.bytes(), 0, line.length(), StandardCharsets.US_ASCII) : null;
    }

    private static byte @Nullable [] ascii(byte @Nullable [] literal) {
        if (literal != null) {
            for (byte b : literal) {
                if (b < 0) {
                    return null; // its meaning depends on the client's character set
                }
            }
        }
        return literal;
    }
}
