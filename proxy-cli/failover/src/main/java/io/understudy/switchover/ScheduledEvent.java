package io.understudy.switchover;

import io.understudy.servers.ServerQueries;
import io.understudy.sql.Quoting;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * A scheduled event of a server.
 *
 * @param definer {@code user@host}
 * @param charset {@code character_set_client} of its creation
 * @param collation {@code collation_connection} of its creation
 */
public record ScheduledEvent(String schema, String name, String definer, String charset, String collation) {
    static final String ENABLE = "ENABLE";
    /** ER_EVENT_DOES_NOT_EXIST: a client has dropped it before the hold. */
    private static final int NO_SUCH_EVENT = 1539;

    private static final String EVENTS = "SELECT EVENT_SCHEMA, EVENT_NAME, DEFINER, CHARACTER_SET_CLIENT,"
            + " COLLATION_CONNECTION FROM information_schema.EVENTS WHERE STATUS IN (%s) ORDER BY 1, 2";

    /** Returns the events that the server executes. The account sees those of schemas where it has EVENT. */
    static List<ScheduledEvent> enabled(Node node) throws SQLException {
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
    String alter(String state) {
        int at = definer.lastIndexOf('@');
        String account = at < 0
                ? Quoting.account(definer)
                : Quoting.account(definer.substring(0, at)) + "@" + Quoting.account(definer.substring(at + 1));
        return "ALTER DEFINER=" + account + " EVENT " + Quoting.name(schema, name) + " " + state;
    }

    /**
     * Has a server execute events. One that it refuses (its only time is over, say) does not keep the others.
     *
     * @return the statements that failed, each with the reason; one that somebody has dropped is none
     */
    static List<String> enable(Node node, List<ScheduledEvent> events) {
        List<String> failed = new ArrayList<>();
        String broken = "";
        for (ScheduledEvent event : events) {
            String reason = broken;
            try {
                if (broken.isEmpty()) {
                    event.set(node, ENABLE);
                }
            } catch (SQLException e) {
                reason = e.getErrorCode() == NO_SUCH_EVENT ? "" : String.valueOf(e.getMessage());
                broken = isOfConnection(e) ? reason : "";
            }
            if (!reason.isEmpty()) {
                failed.add(event.alter(ENABLE) + " (" + reason + ")");
            }
        }
        return failed;
    }

    /** Returns whether the server may have executed the statement that failed. */
    static boolean isOfConnection(SQLException e) {
        String state = e.getSQLState();
        return state == null || state.startsWith("08");
    }

    /** Changes its state. The statement also stores the session's character set, so the event's own is set for it. */
    void set(Node node, String state) throws SQLException {
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
