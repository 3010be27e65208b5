package io.understudy.switchover;

import io.understudy.servers.ServerQueries;
import io.understudy.sql.Quoting;
import java.sql.SQLException;
import java.util.List;

/**
 * A scheduled event of a server.
 *
 * @param definer {@code user@host}
 * @param charset {@code character_set_client} of its creation
 * @param collation {@code collation_connection} of its creation
 */
public record ScheduledEvent(String schema, String name, String definer, String charset, String collation) {
    private static final String EVENTS = "SELECT EVENT_SCHEMA, EVENT_NAME, DEFINER, CHARACTER_SET_CLIENT,"
            + " COLLATION_CONNECTION FROM information_schema.EVENTS WHERE STATUS IN (%s) ORDER BY 1, 2";

    /** Returns the events that the server executes. The account sees those of schemas where it has EVENT. */
    public static List<ScheduledEvent> enabled(Node node) throws SQLException {
        return withStatus(node, "'ENABLED'");
    }

    /** Returns the events that are in the state that replication gives them on a standby. */
    public static List<ScheduledEvent> disabledAsOnStandby(Node node) throws SQLException {
        return withStatus(node, "'SLAVESIDE_DISABLED', 'REPLICA_SIDE_DISABLED'");
    }

    private static List<ScheduledEvent> withStatus(Node node, String status) throws SQLException {
        return node.ask(
                "its scheduled events",
                server -> server.rows(
                        EVENTS.formatted(status),
                        row -> new ScheduledEvent(
                                ServerQueries.text(row, 1),
                                ServerQueries.text(row, 2),
                                ServerQueries.text(row, 3),
                                ServerQueries.text(row, 4),
                                ServerQueries.text(row, 5))));
    }

    /** Returns an event of another name, otherwise the same. */
    ScheduledEvent named(String other) {
        return new ScheduledEvent(schema, other, definer, charset, collation);
    }

    /** Returns the statement that changes its state. Without the definer it would become the account's own. */
    public String alter(String state) {
        int at = definer.lastIndexOf('@');
        String account = at < 0
                ? Quoting.account(definer)
                : Quoting.account(definer.substring(0, at)) + "@" + Quoting.account(definer.substring(at + 1));
        return "ALTER DEFINER=" + account + " EVENT " + Quoting.name(schema, name) + " " + state;
    }

    /** Changes its state. The statement also stores the session's character set, so the event's own is set for it. */
    public void set(Node node, String state) throws SQLException {
        String statement = alter(state);
        if (charset.isEmpty() || !statement.chars().allMatch(c -> c < 128)) { // it could not be read in another one
            node.execute(statement);
            return;
        }
        // The driver closes a connection that it sees leave UTF-8.
        node.execute("SET SESSION session_track_system_variables=''");
        node.execute("SET SESSION character_set_client=" + charset + ", collation_connection=" + collation);
        try {
            node.execute(statement);
        } finally {
            node.execute("SET NAMES utf8mb4");
        }
    }

    @Override
    public String toString() {
        return schema + "." + name;
    }
}
