package io.understudy.plugins.capture;

import io.understudy.plugin.PreparedStatement;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionSettings;
import io.understudy.sql.Collations;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The settings that give a session's statements their meaning; one object until one of them changes.
 *
 * @param id the proxy's number of the session
 * @param reading an assignment list for SET
 * @param transaction what follows SET SESSION TRANSACTION, for sessions that write
 * @param writing an assignment list for SET, for sessions that write
 * @param missing what the session may have from before the capture that is not known
 */
record CapturedSession(
        long id,
        long serverThread,
        String user,
        String client,
        @Nullable String schema,
        int collation,
        @Nullable String characterSet,
        @Nullable String timeZone,
        @Nullable String sqlMode,
        @Nullable String reading,
        boolean autocommit,
        @Nullable String transaction,
        @Nullable String writing,
        List<String> missing) {

    /** @param prepared the statement that is executed, whose names and text keep their meaning; or null */
    static CapturedSession of(SessionContext session, @Nullable PreparedStatement prepared, List<String> missing) {
        SessionSettings settings = session.settings();
        String address = session.clientAddress() instanceof InetSocketAddress inet && inet.getAddress() != null
                ? inet.getAddress().getHostAddress()
                : "";
        return new CapturedSession(
                session.id(),
                session.serverThreadId(),
                session.user(),
                address,
                prepared == null ? session.schema() : prepared.schema(),
                settings.loginCollation(),
                prepared == null ? settings.characterSet() : prepared.characterSet(),
                settings.timeZone(),
                prepared == null ? settings.sqlMode() : prepared.sqlMode(),
                settings.reading(),
                settings.autocommit(),
                settings.transaction(),
                settings.writing(),
                missing);
    }

    /**
     * Returns what a session that is older than the capture may have that the capture cannot say: the values of
     * variables that were set to an expression, and state that is no setting.
     */
    static List<String> missingOf(SessionContext session) {
        SessionSettings settings = session.settings();
        List<String> missing = new ArrayList<>(settings.unknownForWrites());
        if (settings.temporaryTables()) {
            missing.add("temporary tables");
        }
        if (settings.lockedTables()) {
            missing.add("locked tables");
        }
        missing.add("user variables");
        return missing;
    }

    /** Returns whether this still describes the session. The usual case, so it allocates nothing. */
    boolean describes(SessionContext session, @Nullable PreparedStatement prepared) {
        SessionSettings settings = session.settings();
        if (prepared == null) {
            return sameMeaning(session.schema(), settings.characterSet(), settings.sqlMode())
                    && describes(session, settings);
        }
        return sameMeaning(prepared.schema(), prepared.characterSet(), prepared.sqlMode())
                && describes(session, settings);
    }

    private boolean sameMeaning(
            @Nullable String nowSchema, @Nullable String nowCharacterSet, @Nullable String nowSqlMode) {
        return Objects.equals(schema, nowSchema)
                && Objects.equals(characterSet, nowCharacterSet)
                && Objects.equals(sqlMode, nowSqlMode);
    }

    private boolean describes(SessionContext session, SessionSettings settings) {
        return collation == settings.loginCollation()
                && autocommit == settings.autocommit()
                && Objects.equals(timeZone, settings.timeZone())
                && Objects.equals(reading, settings.reading())
                && Objects.equals(transaction, settings.transaction())
                && Objects.equals(writing, settings.writing())
                && user.equals(session.user());
    }

    /** Returns the settings as an assignment list for SET. */
    String settings() {
        StringBuilder list = new StringBuilder("NAMES ")
                .append(Objects.requireNonNullElse(Collations.clientCharset(collation), "DEFAULT"));
        if (characterSet != null) {
            list.append(", ").append(characterSet);
        }
        if (timeZone != null) {
            list.append(", time_zone = ").append(timeZone);
        }
        if (sqlMode != null) {
            list.append(", sql_mode = ").append(sqlMode);
        }
        if (reading != null) {
            list.append(", ").append(reading);
        }
        return list.toString();
    }

    /** Returns further settings of a session that writes, as an assignment list for SET; empty without any. */
    String writeSettings() {
        String others = writing == null ? "" : writing;
        return autocommit ? others : others.isEmpty() ? "autocommit = 0" : "autocommit = 0, " + others;
    }

    /** Returns what of the session the records do not have, separated by commas; empty if nothing is missing. */
    String notCaptured() {
        String list = String.join(", ", missing);
        if (characterSet != null || Collations.clientCharset(collation) != null) {
            return list;
        }
        return (list.isEmpty() ? "" : list + ", ") + "character set of collation " + collation;
    }
}
