package io.understudy.plugins.gtiddomain;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appliers that stopped with an error that dependent work in two domains can cause: a row not found (1032), a table not there
 * (1146), a row already there (1062). Each is held against the domains that wrote the table. Polled; read by anyone.
 */
final class ApplierErrors {
    private static final Logger log = LoggerFactory.getLogger(ApplierErrors.class);
    private static final Pattern TABLE = Pattern.compile("(?:on table |[Tt]able ')([^\\s;']+\\.[^\\s;']+)");
    private static final int TIMEOUT_SECONDS = 5;

    /** What a standby's applier said. */
    private record Stopped(
            int errno, String message, @Nullable String table, List<Long> domains) {}

    private final MeterRegistry registry;
    private final Function<String, List<Long>> writersOf;
    private final Map<String, Stopped> stopped = new ConcurrentHashMap<>();
    private final Map<String, String> unknown = new ConcurrentHashMap<>();

    /** @param writersOf domains in which a table was written since the start */
    ApplierErrors(MeterRegistry registry, Function<String, List<Long>> writersOf) {
        this.registry = registry;
        this.writersOf = writersOf;
    }

    /** Looks at one standby; an account that may not look leaves it unknown. */
    void look(String standby, Connection connection) {
        try (Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(TIMEOUT_SECONDS);
            try (ResultSet rows = statement.executeQuery("SHOW ALL SLAVES STATUS")) {
                Stopped found = null;
                while (rows.next() && found == null) {
                    found = stopped(rows.getInt("Last_SQL_Errno"), rows.getString("Last_SQL_Error"));
                }
                unknown.remove(standby);
                seen(standby, found);
            }
        } catch (SQLException e) {
            unknown.put(standby, String.valueOf(e.getMessage()));
        }
    }

    private @Nullable Stopped stopped(int errno, @Nullable String message) {
        if (errno != 1032 && errno != 1146 && errno != 1062) {
            return null;
        }
        Matcher table = TABLE.matcher(String.valueOf(message));
        String name = table.find() ? table.group(1).toLowerCase(Locale.ROOT) : null;
        return new Stopped(errno, String.valueOf(message), name, name == null ? List.of() : writersOf.apply(name));
    }

    private void seen(String standby, @Nullable Stopped now) {
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
                "gtid-domain: the applier of standby {} stopped with error {} on table {}, which was written in the domains {};"
                        + " if these are two, START SLAVE once the others have caught up, and compare the table",
                standby,
                now.errno(),
                now.table(),
                now.domains());
    }

    /** For the admin endpoint; without the server's message, which may hold values. */
    List<Map<String, Object>> view() {
        List<Map<String, Object>> rows = new ArrayList<>();
        stopped.forEach((standby, error) -> {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("standby", standby);
            row.put("errno", error.errno());
            row.put("table", error.table() == null ? "" : error.table());
            row.put("domainsThatWroteIt", error.domains());
            rows.add(row);
        });
        unknown.forEach((standby, why) -> {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("standby", standby);
            row.put("unknown", "its applier cannot be looked at: " + why + "; grant its account REPLICA MONITOR");
            rows.add(row);
        });
        return rows;
    }
}
