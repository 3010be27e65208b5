package io.understudy.plugins.gtiddomain.progress;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.understudy.plugin.ServerFlavor;
import io.understudy.servers.ReplicaStatus;
import io.understudy.servers.ServerQueries;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.TableName;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appliers that stopped with an error that dependent work in two domains can cause: row not found (1032), table not
 * found (1146), duplicate key (1062). Each is reported with the domains that wrote the table. Polled; read by any
 * thread.
 */
public final class ApplierErrors {
    private static final Logger log = LoggerFactory.getLogger(ApplierErrors.class);
    private static final Pattern TABLE = Pattern.compile("(?:on table |[Tt]able ')([^\\s;']+\\.[^\\s;']+)");
    /** For a logged statement the message contains its text and no table. */
    private static final Pattern STATEMENT =
            Pattern.compile("Default database: '([^']*)'\\. Query: '(.*)'", Pattern.DOTALL);

    /** The error with which a standby's applier stopped. */
    private record Stopped(int errno, String message, Set<String> tables, Set<String> domains) {}

    private final MeterRegistry registry;
    private final Function<String, List<String>> writersOf;
    private final Map<String, Stopped> stopped = new ConcurrentHashMap<>();
    private final Map<String, String> unknown = new ConcurrentHashMap<>();

    /**
     * @param writersOf returns the labels of the domains in which a table ({@code schema.table}) was written since the
     *     start
     */
    public ApplierErrors(MeterRegistry registry, Function<String, List<String>> writersOf) {
        this.registry = registry;
        this.writersOf = writersOf;
    }

    /** Probes one standby. Without the privilege its state stays unknown. */
    public void probe(String standby, Connection connection) {
        try {
            int errno = 0;
            String message = null;
            for (ReplicaStatus channel : ReplicaStatus.of(ServerQueries.brief(connection), ServerFlavor.MARIADB)) {
                if (!telling(errno)) {
                    errno = channel.applierErrno();
                    message = channel.applierError();
                }
            }
            unknown.remove(standby);
            seen(standby, errno, message);
        } catch (SQLException e) {
            unknown.put(standby, String.valueOf(e.getMessage()));
        }
    }

    private static boolean telling(int errno) {
        return errno == 1032 || errno == 1146 || errno == 1062;
    }

    private Stopped stopped(int errno, @Nullable String text) {
        String message = String.valueOf(text);
        Set<String> tables = tables(message);
        Set<String> domains = new TreeSet<>();
        tables.forEach(table -> domains.addAll(writersOf.apply(table)));
        return new Stopped(errno, message, tables, domains);
    }

    private static Set<String> tables(String message) {
        Set<String> tables = new TreeSet<>();
        // First, because a statement's text may contain anything.
        Matcher statement = STATEMENT.matcher(message);
        if (statement.find()) {
            byte[] sql = statement.group(2).getBytes(StandardCharsets.UTF_8);
            for (TableName table :
                    new SqlAnalyzer(65_536, 1).summarize(sql, 0, sql.length, 0).writes()) {
                String schema = table.schema() == null ? statement.group(1) : table.schema();
                tables.add((schema + "." + table.table()).toLowerCase(Locale.ROOT));
            }
            return tables;
        }
        Matcher table = TABLE.matcher(message);
        if (table.find()) {
            tables.add(table.group(1).toLowerCase(Locale.ROOT));
        }
        return tables;
    }

    /** Records that a standby's applier runs (errno 0), or has stopped with an error. */
    void seen(String standby, int errno, @Nullable String message) {
        Stopped now = telling(errno) ? stopped(errno, message) : null;
        Stopped before = now == null ? stopped.remove(standby) : stopped.put(standby, now);
        if (now == null || before != null && before.message().equals(now.message())) {
            return;
        }
        Counter.builder("understudy.gtid.domain.applier.errors")
                .description("Applier stops with an error that dependent work in two domains can cause")
                .tag("standby", standby)
                .tag("errno", Integer.toString(now.errno()))
                .register(registry)
                .increment();
        log.warn(
                "gtid-domain: the applier of standby {} stopped with error {} on table {}, written in domain {}; if"
                        + " there are two,"
                        + " START SLAVE once the others have caught up, and compare the table",
                standby,
                now.errno(),
                now.tables().isEmpty() ? "(not in its message)" : String.join(", ", now.tables()),
                now.domains().isEmpty() ? "(not seen by this proxy)" : String.join(", ", now.domains()));
    }

    /** Returns the stopped appliers for the admin endpoint, without the server's messages, which may contain values. */
    public List<Map<String, Object>> view() {
        List<Map<String, Object>> rows = new ArrayList<>();
        stopped.forEach((standby, error) -> {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("standby", standby);
            row.put("errno", error.errno());
            row.put("table", String.join(", ", error.tables()));
            row.put("domainsThatWroteIt", List.copyOf(error.domains()));
            rows.add(row);
        });
        unknown.forEach((standby, why) -> {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("standby", standby);
            row.put("unknown", "its applier cannot be probed: " + why + "; grant its account REPLICA MONITOR");
            rows.add(row);
        });
        return rows;
    }
}
