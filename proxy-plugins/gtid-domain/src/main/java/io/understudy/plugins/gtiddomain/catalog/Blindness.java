package io.understudy.plugins.gtiddomain.catalog;

import io.understudy.servers.ServerQueries;
import io.understudy.sql.AccountGrants;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/**
 * The tables that may be written by triggers or events which the dictionary does not show the account at all: it shows
 * no row for a trigger without the TRIGGER privilege on its table, and none for an event without EVENT on its schema.
 */
final class Blindness {
    /** What the account sees of a whole schema. */
    private record Seen(boolean events, boolean triggers) {}

    private final AccountGrants grants;
    private final boolean events;
    private final Map<String, Seen> schemas = new HashMap<>();

    /** @param events whether the server may run events */
    Blindness(AccountGrants grants, boolean events) {
        this.grants = grants;
        this.events = events;
    }

    static Blindness of(Connection connection) throws SQLException {
        ServerQueries server = new ServerQueries(connection);
        boolean events = server.text("SELECT @@global.event_scheduler").equalsIgnoreCase("ON");
        return new Blindness(server.grants(), events);
    }

    /** Returns whether code that the account does not see may write the table. */
    boolean hides(String schema, String table) {
        Seen seen = schemas.computeIfAbsent(
                schema, name -> new Seen(!events || grants.has("EVENT", name), grants.has("TRIGGER", name)));
        return !seen.events || !seen.triggers && !grants.has("TRIGGER", schema, table);
    }
}
