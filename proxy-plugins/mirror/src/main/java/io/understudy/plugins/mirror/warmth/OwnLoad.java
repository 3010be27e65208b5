package io.understudy.plugins.mirror.warmth;

import io.understudy.servers.ServerQueries;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A server's own restoring of its buffer pool after a restart: it writes the list of its pages when it stops and reads
 * them when it starts. A crash leaves the list of the last orderly stop.
 *
 * @param dumpsAtShutdown {@code innodb_buffer_pool_dump_at_shutdown}
 * @param loadsAtStartup {@code innodb_buffer_pool_load_at_startup}
 * @param dumpPercent {@code innodb_buffer_pool_dump_pct}: the share of the most recently used pages in the list, or -1
 * @param poolBytes {@code innodb_buffer_pool_size}, or -1
 * @param status {@code Innodb_buffer_pool_load_status}, the server's text
 */
public record OwnLoad(boolean dumpsAtShutdown, boolean loadsAtStartup, int dumpPercent, long poolBytes, String status) {
    private static final String VARIABLES = "SHOW GLOBAL VARIABLES WHERE Variable_name IN ("
            + "'innodb_buffer_pool_dump_at_shutdown','innodb_buffer_pool_load_at_startup',"
            + "'innodb_buffer_pool_dump_pct','innodb_buffer_pool_size')";
    private static final String STATUS = "SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_load_status'";

    /** Reads it. */
    public static OwnLoad read(Connection connection) throws SQLException {
        ServerQueries server = new ServerQueries(connection);
        Map<String, String> values = server.pairs(VARIABLES);
        values.putAll(server.pairs(STATUS));
        return new OwnLoad(
                ServerQueries.isOn(values.get("innodb_buffer_pool_dump_at_shutdown")),
                ServerQueries.isOn(values.get("innodb_buffer_pool_load_at_startup")),
                (int) number(values.get("innodb_buffer_pool_dump_pct")),
                number(values.get("innodb_buffer_pool_size")),
                values.getOrDefault("innodb_buffer_pool_load_status", ""));
    }

    private static long number(@Nullable String value) {
        try {
            return value == null ? -1 : Long.parseLong(value);
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    /**
     * Returns the state of the load: {@code loading}, {@code completed}, {@code incomplete} (aborted, or no list was
     * found), or {@code none}.
     */
    public String state() {
        String text = status.toLowerCase(Locale.ROOT);
        if (text.isEmpty() || text.contains("not yet started") || text.contains("not started")) {
            return "none";
        }
        if (text.contains("completed")) {
            return "completed";
        }
        return text.startsWith("loading") || text.startsWith("loaded") ? "loading" : "incomplete";
    }

    /** Returns whether the server reads its pages back after an orderly restart. */
    public boolean effective() {
        return dumpsAtShutdown && loadsAtStartup && dumpPercent != 0;
    }

    /** Returns the figures of {@code /api/standbys}. */
    public Map<String, Object> view() {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("dumpsAtShutdown", dumpsAtShutdown);
        view.put("loadsAtStartup", loadsAtStartup);
        view.put("dumpPercent", dumpPercent);
        view.put("state", state());
        view.put("status", status);
        return view;
    }
}
