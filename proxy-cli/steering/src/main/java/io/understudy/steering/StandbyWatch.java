package io.understudy.steering;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Probes one standby. {@link #poll} is called by one thread at a time, never on an event loop. */
public final class StandbyWatch {
    private static final int TIMEOUT_SECONDS = 5;
    private static final long SETTINGS_NANOS = 2_000_000_000L;
    private static final String SETTINGS =
            "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('slave_parallel_threads', 'slave_parallel_mode')";
    private static final String COUNTS = "SHOW GLOBAL STATUS LIKE 'Slave_retried_transactions'";

    private final String name;
    private final DataSource source;
    private final Stalls stalls;
    private final LongSupplier nanos;
    /** The counter at first and at last; -1 while it is not known. */
    private long firstRetries = -1;

    private long lastRetries = -1;
    private long settingsAt;
    private int workers = -1;
    private String mode = "";
    private long delaySeconds;
    private String problem = "it was not asked yet";

    public StandbyWatch(String name, DataSource source, Stalls stalls, LongSupplier nanos) {
        this.name = name;
        this.source = source;
        this.stalls = stalls;
        this.nanos = nanos;
        settingsAt = nanos.getAsLong() - SETTINGS_NANOS;
    }

    /** Probes the standby: its position if it is behind, its settings and counters at intervals. */
    public void poll() {
        poll(nanos.getAsLong() - settingsAt >= SETTINGS_NANOS);
    }

    /**
     * Probes the standby.
     *
     * @param settings whether settings and counters are read too
     */
    public void poll(boolean settings) {
        if (!settings && !stalls.behind(name)) {
            return;
        }
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(TIMEOUT_SECONDS);
            if (settings) {
                settingsAt = nanos.getAsLong();
                readSettings(statement);
            }
            if (stalls.behind(name)) {
                readPosition(statement);
            }
            know("");
        } catch (SQLException | RuntimeException e) {
            // An exception would end the schedule, and with it what is known of the other standbys.
            know(String.valueOf(e.getMessage()));
        }
    }

    private synchronized void know(String trouble) {
        problem = trouble;
    }

    private void readSettings(Statement statement) throws SQLException {
        Map<String, String> found = pairs(statement, SETTINGS);
        found.putAll(pairs(statement, COUNTS));
        synchronized (this) {
            workers = Integer.parseInt(found.getOrDefault("slave_parallel_threads", "-1"));
            mode = found.getOrDefault("slave_parallel_mode", "").toLowerCase(Locale.ROOT);
            String retries = found.get("slave_retried_transactions");
            if (retries == null) {
                return;
            }
            long now = Long.parseLong(retries);
            firstRetries = firstRetries < 0 || now < lastRetries ? now : firstRetries; // fewer: it was restarted
            lastRetries = now;
        }
    }

    private static Map<String, String> pairs(Statement statement, String sql) throws SQLException {
        Map<String, String> found = new HashMap<>();
        try (ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                found.put(rows.getString(1).toLowerCase(Locale.ROOT), rows.getString(2));
            }
        }
        return found;
    }

    private void readPosition(Statement statement) throws SQLException {
        long before = nanos.getAsLong();
        Map<Long, Long> applied;
        try (ResultSet rows = statement.executeQuery("SELECT @@global.gtid_slave_pos")) {
            applied = rows.next() ? sequences(rows.getString(1)) : Map.of();
        }
        long after = nanos.getAsLong();
        Map<Long, Long> received = null;
        boolean running = true;
        try (ResultSet rows = statement.executeQuery("SHOW ALL SLAVES STATUS")) {
            received = new HashMap<>();
            running = false;
            long delay = 0;
            while (rows.next()) {
                delay = Math.max(delay, rows.getLong("SQL_Delay"));
                // One that is late on purpose (MASTER_DELAY) is held up by nothing.
                running |= "Yes".equals(rows.getString("Slave_SQL_Running")) && rows.getLong("SQL_Delay") == 0;
                sequences(rows.getString("Gtid_IO_Pos")).forEach(received::putIfAbsent);
            }
            delayed(delay);
        } catch (SQLException e) {
            received = null;
            running = true;
            delayed(0);
        }
        stalls.probed(name, applied, received, running, before, after);
    }

    private synchronized void delayed(long seconds) {
        delaySeconds = seconds;
    }

    /** Returns the numbers of a position such as {@code 0-1-42,10-1-7} by domain. */
    static Map<Long, Long> sequences(@Nullable String position) {
        Map<Long, Long> sequences = new HashMap<>();
        if (position != null) {
            for (String part : position.split(",")) {
                String[] numbers = part.strip().split("-");
                if (numbers.length == 3) {
                    sequences.merge(Long.parseLong(numbers[0]), Long.parseUnsignedLong(numbers[2]), Math::max);
                }
            }
        }
        return sequences;
    }

    /** Returns what is known now. */
    public synchronized StandbyFacts facts() {
        long retries = firstRetries < 0 ? -1 : lastRetries - firstRetries;
        long late = stalls.lateMicros(name);
        return new StandbyFacts(name, workers, mode, retries, late, delaySeconds, problem);
    }
}
