package io.understudy.steering;

import io.understudy.plugin.ServerFlavor;
import io.understudy.servers.MariaDbGtid;
import io.understudy.servers.ReplicaStatus;
import io.understudy.servers.ServerQueries;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;
import javax.sql.DataSource;

/** Probes one standby. {@link #poll} is called by one thread at a time, never on an event loop. */
public final class StandbyWatch {
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
    private volatile long delaySeconds;
    private volatile String problem = "it was not asked yet";

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
        try (Connection connection = source.getConnection()) {
            ServerQueries server = ServerQueries.brief(connection);
            if (settings) {
                settingsAt = nanos.getAsLong();
                readSettings(server);
            }
            if (stalls.behind(name)) {
                readPosition(server);
            }
            problem = "";
        } catch (SQLException | RuntimeException e) {
            // An exception would end the schedule, and with it what is known of the other standbys.
            problem = String.valueOf(e.getMessage());
        }
    }

    private void readSettings(ServerQueries server) throws SQLException {
        Map<String, String> found = server.pairs(SETTINGS);
        found.putAll(server.pairs(COUNTS));
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

    private void readPosition(ServerQueries server) throws SQLException {
        long before = nanos.getAsLong();
        Map<Long, Long> applied = MariaDbGtid.sequences(server.text("SELECT @@global.gtid_slave_pos"));
        long after = nanos.getAsLong();
        Map<Long, Long> received = null;
        boolean running = true;
        try {
            received = new HashMap<>();
            running = false;
            long delay = 0;
            for (ReplicaStatus channel : ReplicaStatus.of(server, ServerFlavor.MARIADB)) {
                delay = Math.max(delay, channel.delay());
                // One that is late on purpose (MASTER_DELAY) is held up by nothing.
                running |= channel.applies() && channel.delay() == 0;
                MariaDbGtid.sequences(channel.received()).forEach(received::putIfAbsent);
            }
            delaySeconds = delay;
        } catch (SQLException e) {
            received = null;
            running = true;
            delaySeconds = 0;
        }
        stalls.probed(name, applied, received, running, before, after);
    }

    /** Returns what is known now. */
    public synchronized StandbyFacts facts() {
        long retries = firstRetries < 0 ? -1 : lastRetries - firstRetries;
        long late = stalls.lateMicros(name);
        return new StandbyFacts(name, workers, mode, retries, late, delaySeconds, problem);
    }
}
