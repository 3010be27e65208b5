package io.understudy.plugins.mirror;

import io.understudy.plugin.CheckedServer;
import io.understudy.plugins.mirror.warmth.OwnLoad;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Checks whether mirroring can keep a standby's buffer pool warm: the pool's size, its own dump and load, read-ahead,
 * and on MySQL whether page reads can be counted.
 */
final class BufferPoolCheck {
    private static final double MUCH_LARGER = 1.5;
    private static final double FAR_SMALLER = 0.5;
    private static final double MIB = 1 << 20;
    private static final String DATA = "SELECT SUM(data_length + index_length) FROM information_schema.TABLES"
            + " WHERE engine = 'InnoDB'"
            + " AND table_schema NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema')";

    /** MySQL shows sizes up to a day old otherwise. */
    private static final String FRESH = "SET SESSION information_schema_stats_expiry = 0";

    private final CheckedServer server;

    BufferPoolCheck(CheckedServer server) {
        this.server = server;
    }

    void run() throws SQLException {
        if (!server.isMariaDb()) {
            server.one(FRESH);
            probes();
        }
        OwnLoad own = OwnLoad.read(server.connection());
        if (own.poolBytes() > 0) {
            size(own.poolBytes());
        }
        ownLoad(own);
        readAhead();
    }

    /** Otherwise the pages of the whole server, divided by the statements, stand for those of a statement. */
    private void probes() {
        String why = "it does not count the page reads of a statement: ";
        String then = "; how cold it is, is then known by the whole server's reads alone, with its applier's in them";
        try {
            if (!"ON".equals(server.variable("performance_schema"))) {
                server.warning(why + "performance_schema is OFF; set it to ON in its configuration file" + then);
            } else {
                server.one("SELECT COUNT_STAR FROM performance_schema.events_waits_summary_by_thread_by_event_name"
                        + " LIMIT 1");
            }
        } catch (SQLException e) {
            server.warning(
                    why + "GRANT SELECT ON performance_schema.events_waits_summary_by_thread_by_event_name TO the"
                            + " mirror's account" + then);
        }
    }

    private void size(long pool) throws SQLException {
        if (server.primary().poolBytes() > pool * MUCH_LARGER) {
            server.warning(String.format(
                    Locale.ROOT,
                    "its buffer pool has %s, the primary's %s: no mirroring makes the primary's pages fit in"
                            + " there; after a failover it reads from disk what does not fit. Make"
                            + " innodb_buffer_pool_size the same",
                    size((double) pool),
                    size((double) server.primary().poolBytes())));
        }
        String data = server.one(DATA);
        double bytes = data == null || data.isEmpty() ? 0 : Double.parseDouble(data);
        if (bytes > 0 && bytes < pool * FAR_SMALLER) {
            server.ok(String.format(
                    Locale.ROOT,
                    "its tables have %s, less than half of its buffer pool of %s: nothing is evicted, so that"
                            + " mirroring only matters after a restart",
                    size(bytes),
                    size((double) pool)));
        }
    }

    private static String size(double bytes) {
        return String.format(Locale.ROOT, bytes < 10 * MIB ? "%.1f MiB" : "%.0f MiB", bytes / MIB);
    }

    private void ownLoad(OwnLoad own) {
        if (own.effective()) {
            server.ok("after an orderly restart it reads back " + own.dumpPercent()
                    + " % of its pages by itself (innodb_buffer_pool_dump_pct); after a crash it reads those of"
                    + " its last orderly stop");
            return;
        }
        List<String> missing = new ArrayList<>();
        if (!own.dumpsAtShutdown()) {
            missing.add("innodb_buffer_pool_dump_at_shutdown");
        }
        if (!own.loadsAtStartup()) {
            missing.add("innodb_buffer_pool_load_at_startup");
        }
        server.warning(
                missing.isEmpty()
                        ? "innodb_buffer_pool_dump_pct is 0: after a restart its buffer pool is empty, and mirroring"
                                + " alone fills it; set it to 25 or more"
                        : String.join(" and ", missing) + (missing.size() == 1 ? " is" : " are")
                                + " OFF: after a restart its buffer pool is empty, and mirroring alone fills it; set "
                                + (missing.size() == 1 ? "it" : "both") + " to ON in its configuration file");
    }

    private void readAhead() throws SQLException {
        if ("ON".equals(server.variable("innodb_random_read_ahead"))) {
            server.warning(
                    "innodb_random_read_ahead is ON: a mirrored read brings up to 64 pages that nobody asked for, which"
                            + " evict those that were, and probes do not count them; SET GLOBAL"
                            + " innodb_random_read_ahead = OFF unless the primary has it ON too");
        }
    }
}
