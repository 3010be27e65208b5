package io.understudy.it;

import io.understudy.embedded.EmbeddedServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads from a server's general log, in table form, which statements it received. */
final class GeneralLog {
    /**
     * One entry of the log.
     *
     * @param command {@code Query}, {@code Execute}…
     * @param schema the connection's default schema at that time, or an empty text
     */
    record Line(String command, String schema, String text) {}

    private final EmbeddedServer server;

    GeneralLog(EmbeddedServer server) {
        this.server = server;
        server.execute("SET GLOBAL log_output = 'TABLE'", "SET GLOBAL general_log = 1");
    }

    /** Returns the statements of {@code user} whose text contains {@code marker}, in order. */
    List<Line> of(String user, String marker) throws SQLException {
        List<Line> lines = new ArrayList<>();
        Map<Long, String> schemas = new HashMap<>();
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet rows =
                        statement.executeQuery("SELECT thread_id, command_type, CONVERT(argument USING utf8mb4)"
                                + " FROM mysql.general_log WHERE user_host LIKE '" + user + "[%'")) {
            while (rows.next()) {
                long thread = rows.getLong(1);
                String text = rows.getString(3);
                if (rows.getString(2).equals("Init DB")) {
                    schemas.put(thread, text);
                } else if (text.contains(marker)) {
                    lines.add(new Line(rows.getString(2), schemas.getOrDefault(thread, ""), text));
                }
            }
        }
        return lines;
    }
}
