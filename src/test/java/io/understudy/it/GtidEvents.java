package io.understudy.it;

import io.understudy.embedded.EmbeddedServer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;

/** Flags of the GTID events in a server's newest binary log file. */
final class GtidEvents {
    private static final int GTID_EVENT = 162;
    private static final int HEADER = 19;
    private static final int ALLOW_PARALLEL = 0x08;

    private final Map<String, Integer> flags = new HashMap<>();

    private GtidEvents() {}

    /** Returns the server's newest binary log file. */
    static Path newest(EmbeddedServer server) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SHOW MASTER STATUS")) {
            rows.next();
            return Path.of(server.query("SELECT @@log_bin_basename")).resolveSibling(rows.getString(1));
        }
    }

    static GtidEvents of(EmbeddedServer server) throws IOException, SQLException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(newest(server))).order(ByteOrder.LITTLE_ENDIAN);
        GtidEvents events = new GtidEvents();
        for (int at = 4; at + HEADER <= bytes.limit(); at += bytes.getInt(at + 9)) {
            if ((bytes.get(at + 4) & 0xFF) == GTID_EVENT) {
                String gtid =
                        bytes.getInt(at + HEADER + 8) + "-" + bytes.getInt(at + 5) + "-" + bytes.getLong(at + HEADER);
                events.flags.put(gtid, bytes.get(at + HEADER + 12) & 0xFF);
            }
        }
        return events;
    }

    /** Returns whether replicas may apply the transaction in parallel with those before it. */
    boolean allowsParallel(String gtid) {
        Integer found = flags.get(gtid);
        if (found == null) {
            throw new AssertionError("the log has no " + gtid + " but " + flags.keySet());
        }
        return (found & ALLOW_PARALLEL) != 0;
    }
}
