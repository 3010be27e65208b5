package io.understudy.plugins.gtiddomain.catalog;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;

/**
 * The tables that may be written by triggers or events which the dictionary does not show the account at all: it shows
 * no row for a trigger without the TRIGGER privilege on its table, and none for an event without EVENT on its schema.
 */
final class Blindness {
    /** What the account sees of a whole schema. */
    private record Seen(boolean events, boolean triggers) {}

    private final TablePrivileges grants;
    private final boolean events;
    private final Map<String, Seen> schemas = new HashMap<>();

    /** @param events whether the server may run events */
    Blindness(TablePrivileges grants, boolean events) {
        this.grants = grants;
        this.events = events;
    }

    static Blindness of(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT @@global.event_scheduler")) {
            boolean events = row.next() && "ON".equalsIgnoreCase(row.getString(1));
            return new Blindness(TablePrivileges.of(connection), events);
        }
    }

    /** Returns whether code that the account does not see may write the table. */
    boolean hides(String schema, String table) {
        Seen seen = schemas.computeIfAbsent(
                schema, name -> new Seen(!events || grants.covers("EVENT", name), grants.covers("TRIGGER", name)));
        return !seen.events || !seen.triggers && !grants.names("TRIGGER", schema, table);
    }
}
