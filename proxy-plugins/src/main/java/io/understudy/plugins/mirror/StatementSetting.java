package io.understudy.plugins.mirror;

import io.understudy.plugin.PreparedStatement;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionSettings;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What gives a session's statements their meaning, as it is reproduced on a standby. Null stands for the server's default.
 *
 * @param schema default schema
 * @param collation id of the login's collation
 * @param characterSet assignments made since, ready for SET
 * @param timeZone right side of SET, or null
 * @param sqlMode right side of SET, or null
 */
record StatementSetting(
        @Nullable String schema,
        int collation,
        @Nullable String characterSet,
        @Nullable String timeZone,
        @Nullable String sqlMode) {

    static StatementSetting of(SessionContext session) {
        SessionSettings settings = session.settings();
        return new StatementSetting(
                session.schema(),
                settings.loginCollation(),
                settings.characterSet(),
                settings.timeZone(),
                settings.sqlMode());
    }

    /** For an execution: names and text mean what they meant when the statement was prepared. */
    StatementSetting asPrepared(PreparedStatement prepared) {
        boolean same = Objects.equals(schema, prepared.schema())
                && Objects.equals(characterSet, prepared.characterSet())
                && Objects.equals(sqlMode, prepared.sqlMode());
        return same
                ? this
                : new StatementSetting(
                        prepared.schema(), collation, prepared.characterSet(), timeZone, prepared.sqlMode());
    }

    /** Equal but for the schema, which is changed by a command of its own. */
    boolean sameVariables(@Nullable StatementSetting other) {
        return other != null
                && collation == other.collation
                && Objects.equals(characterSet, other.characterSet)
                && Objects.equals(timeZone, other.timeZone)
                && Objects.equals(sqlMode, other.sqlMode);
    }

    /** True while this still describes {@code session}: the usual case, checked without allocating. */
    boolean describes(SessionContext session) {
        SessionSettings settings = session.settings();
        return collation == settings.loginCollation()
                && Objects.equals(schema, session.schema())
                && Objects.equals(characterSet, settings.characterSet())
                && Objects.equals(timeZone, settings.timeZone())
                && Objects.equals(sqlMode, settings.sqlMode());
    }

    /** The same in another schema. */
    StatementSetting in(@Nullable String other) {
        return new StatementSetting(other, collation, characterSet, timeZone, sqlMode);
    }

    /** One SET statement that brings a connection there; null when the standby does not know the login's collation. */
    @Nullable
    String setStatement(CollationNames names) {
        StringBuilder sql = new StringBuilder("SET ");
        String login = names.setNames(collation);
        if (login == null) {
            return null;
        }
        sql.append(login).append(", ");
        if (characterSet != null) {
            sql.append(characterSet).append(", ");
        }
        sql.append("time_zone = ").append(timeZone == null ? "DEFAULT" : timeZone);
        sql.append(", sql_mode = ").append(sqlMode == null ? "DEFAULT" : sqlMode);
        return sql.toString();
    }
}
