package io.understudy.plugins.capture;

import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionSettings;
import java.net.InetSocketAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The settings that give a session's statements their meaning; one object until one of them changes.
 *
 * @param id the proxy's number of the session
 * @param reading an assignment list for SET
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
        @Nullable String reading) {

    static CapturedSession of(SessionContext session, @Nullable String schema) {
        SessionSettings settings = session.settings();
        String address = session.clientAddress() instanceof InetSocketAddress inet && inet.getAddress() != null
                ? inet.getAddress().getHostAddress()
                : "";
        return new CapturedSession(
                session.id(),
                session.serverThreadId(),
                session.user(),
                address,
                schema,
                settings.loginCollation(),
                settings.characterSet(),
                settings.timeZone(),
                settings.sqlMode(),
                settings.reading());
    }

    /** Returns whether this still describes the session. The usual case, so it allocates nothing. */
    boolean describes(SessionContext session, @Nullable String nowSchema) {
        SessionSettings settings = session.settings();
        return collation == settings.loginCollation()
                && Objects.equals(schema, nowSchema)
                && Objects.equals(characterSet, settings.characterSet())
                && Objects.equals(timeZone, settings.timeZone())
                && Objects.equals(sqlMode, settings.sqlMode())
                && Objects.equals(reading, settings.reading())
                && user.equals(session.user());
    }

    /** Returns the settings as an assignment list for SET. */
    String settings() {
        StringBuilder list = new StringBuilder("NAMES ").append(charset(collation));
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

    /** Source: {@code information_schema.COLLATIONS} of both products. */
    private static String charset(int id) {
        return switch (id) {
            case 63 -> "binary";
            case 11, 65 -> "ascii";
            case 5, 8, 15, 31, 47, 48, 49, 94 -> "latin1";
            case 1, 84 -> "big5";
            case 13, 88 -> "sjis";
            case 28, 87 -> "gbk";
            case 95, 96 -> "cp932";
            case 248, 249, 250 -> "gb18030";
            default -> "utf8mb4";
        };
    }
}
