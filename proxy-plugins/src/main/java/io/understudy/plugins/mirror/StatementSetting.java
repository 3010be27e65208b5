package io.understudy.plugins.mirror;

import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionSettings;
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

    /** Equal but for the schema, which is changed by a command of its own. */
    boolean sameVariables(@Nullable StatementSetting other) {
        return other != null
                && collation == other.collation
                && java.util.Objects.equals(characterSet, other.characterSet)
                && java.util.Objects.equals(timeZone, other.timeZone)
                && java.util.Objects.equals(sqlMode, other.sqlMode);
    }

    /** True while this still describes {@code session}: the usual case, checked without allocating. */
    boolean describes(SessionContext session) {
        SessionSettings settings = session.settings();
        return collation == settings.loginCollation()
                && java.util.Objects.equals(schema, session.schema())
                && java.util.Objects.equals(characterSet, settings.characterSet())
                && java.util.Objects.equals(timeZone, settings.timeZone())
                && java.util.Objects.equals(sqlMode, settings.sqlMode());
    }

    /** One SET statement that brings a connection there. */
    String setStatement(CollationNames names) {
        StringBuilder sql = new StringBuilder("SET ");
        String login = names.setNames(collation);
        if (login != null) {
            sql.append(login).append(", ");
        }
        if (characterSet != null) {
            sql.append(characterSet).append(", ");
        }
        sql.append("time_zone = ").append(timeZone == null ? "DEFAULT" : timeZone);
        sql.append(", sql_mode = ").append(sqlMode == null ? "DEFAULT" : sqlMode);
        return sql.toString();
    }
}
