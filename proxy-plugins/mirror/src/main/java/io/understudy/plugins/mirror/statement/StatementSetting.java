package io.understudy.plugins.mirror.statement;

import io.understudy.plugin.PreparedStatement;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionSettings;
import io.understudy.sql.ReadVariables;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The session state that gives a statement its meaning, to be reproduced on a standby. Null stands for the server's
 * default.
 *
 * @param schema default schema
 * @param collation id of the login's collation
 * @param characterSet assignments made since the login, ready for SET
 * @param timeZone right side of SET, or null
 * @param sqlMode right side of SET, or null
 * @param reading assignments of variables that change how much is read, ready for SET, or null
 */
public record StatementSetting(
        @Nullable String schema,
        int collation,
        @Nullable String characterSet,
        @Nullable String timeZone,
        @Nullable String sqlMode,
        @Nullable String reading) {
    /** The name in an assignment. A quoted value may contain text of this shape; {@link ReadVariables} excludes it. */
    private static final Pattern NAME = Pattern.compile("(?:^|, )([a-z0-9_]+) = ");

    public static StatementSetting of(SessionContext session) {
        SessionSettings settings = session.settings();
        return new StatementSetting(
                session.schema(),
                settings.loginCollation(),
                settings.characterSet(),
                settings.timeZone(),
                settings.sqlMode(),
                settings.reading());
    }

    /**
     * Returns the setting for an execution: names and text keep the meaning they had when the statement was prepared.
     */
    public StatementSetting asPrepared(PreparedStatement prepared) {
        boolean same = Objects.equals(schema, prepared.schema())
                && Objects.equals(characterSet, prepared.characterSet())
                && Objects.equals(sqlMode, prepared.sqlMode());
        return same
                ? this
                : new StatementSetting(
                        prepared.schema(), collation, prepared.characterSet(), timeZone, prepared.sqlMode(), reading);
    }

    /** Returns whether everything but the schema is equal: COM_INIT_DB changes the schema. */
    public boolean sameVariables(@Nullable StatementSetting other) {
        return other != null
                && collation == other.collation
                && Objects.equals(characterSet, other.characterSet)
                && Objects.equals(timeZone, other.timeZone)
                && Objects.equals(sqlMode, other.sqlMode)
                && Objects.equals(reading, other.reading);
    }

    /** Returns whether this still describes {@code session}. The usual case, so it allocates nothing. */
    public boolean describes(SessionContext session) {
        SessionSettings settings = session.settings();
        return collation == settings.loginCollation()
                && Objects.equals(schema, session.schema())
                && Objects.equals(characterSet, settings.characterSet())
                && Objects.equals(timeZone, settings.timeZone())
                && Objects.equals(sqlMode, settings.sqlMode())
                && Objects.equals(reading, settings.reading());
    }

    /** Returns the same setting in another schema. */
    public StatementSetting in(@Nullable String other) {
        return new StatementSetting(other, collation, characterSet, timeZone, sqlMode, reading);
    }

    /** Returns the names of the variables in {@link #reading}. */
    public Set<String> readingNames() {
        String list = reading;
        if (list == null) {
            return Set.of();
        }
        Set<String> names = new LinkedHashSet<>();
        Matcher name = NAME.matcher(list);
        while (name.find()) {
            if (ReadVariables.carried(name.group(1))) {
                names.add(name.group(1));
            }
        }
        return names;
    }

    /**
     * Returns the SET statements that give a connection this setting, or null if the standby does not know the login's
     * collation.
     *
     * @param names of collations by id, see {@link StandbyCollations}
     * @param given names of the variables of {@link #reading} that the connection may have values for; they are reset
     *     first, because {@code optimizer_switch} changes only the flags that it names
     */
    @Nullable
    public List<String> setStatements(Map<Integer, String> names, Set<String> given) {
        String last = setStatement(names);
        if (last == null) {
            return null;
        }
        List<String> all = new ArrayList<>(3);
        if (!given.isEmpty()) {
            all.add("SET " + String.join(" = DEFAULT, ", given) + " = DEFAULT");
        }
        if (reading != null) {
            all.add("SET " + reading);
        }
        all.add(last);
        return all;
    }

    private @Nullable String setStatement(Map<Integer, String> names) {
        StringBuilder sql = new StringBuilder("SET ");
        String login = names.get(collation);
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
