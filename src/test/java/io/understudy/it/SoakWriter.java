package io.understudy.it;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A client that reads, inserts and rolls back until it is told to stop, and connects again when its connection ends.
 */
final class SoakWriter implements Runnable {
    private static final long RECONNECT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** Commands of one connection, so that logins are part of the load. */
    private static final int LIFE = 400;

    private final SoakLedger ledger;
    private final String url;
    private final boolean prepared;
    private final long pauseNanos;
    private final Random random;
    private volatile boolean stopped;
    private volatile @Nullable Connection open;
    private final AtomicLong reconnects = new AtomicLong();
    private final AtomicLong reads = new AtomicLong();

    /**
     * @param options of the driver, which say what kind of session it is
     * @param pause between its commands
     */
    SoakWriter(SoakLedger ledger, String url, String options, Duration pause) {
        this.pauseNanos = pause.toNanos();
        this.ledger = ledger;
        this.url = url + options;
        this.prepared = options.contains("useServerPrepStmts=true");
        this.random = new Random(ledger.writer());
    }

    long reconnects() {
        return reconnects.get();
    }

    long reads() {
        return reads.get();
    }

    /** Makes it run until the next {@link #stop}. */
    void start() {
        stopped = false;
    }

    void stop() {
        stopped = true;
    }

    /** Breaks the connection from the client's side, at any moment. */
    void abort() {
        Connection present = open;
        if (present != null) {
            try {
                present.abort(Runnable::run);
            } catch (SQLException e) {
                // It has ended by itself.
            }
        }
    }

    @Override
    public void run() {
        while (!stopped) {
            try (Connection connection = DriverManager.getConnection(url)) {
                open = connection;
                for (int i = 0; i < LIFE && !stopped; i++) {
                    step(connection);
                    LockSupport.parkNanos(pauseNanos);
                }
            } catch (SQLException e) {
                LockSupport.parkNanos(RECONNECT_NANOS);
            }
            reconnects.incrementAndGet();
        }
    }

    private void step(Connection connection) throws SQLException {
        int choice = random.nextInt(10);
        if (choice < 4) {
            read(connection);
        } else if (choice < 7) {
            autocommitted(connection);
        } else {
            transaction(connection, choice == 9);
        }
    }

    private void read(Connection connection) throws SQLException {
        if (prepared) {
            try (PreparedStatement select = connection.prepareStatement("SELECT note FROM orders WHERE id = ?")) {
                select.setInt(1, 1 + random.nextInt(200));
                drain(select.executeQuery());
            }
        } else {
            try (Statement select = connection.createStatement()) {
                drain(select.executeQuery("SELECT id, note FROM orders WHERE id < " + random.nextInt(200)));
            }
        }
        reads.incrementAndGet();
    }

    private static void drain(ResultSet rows) throws SQLException {
        try (rows) {
            while (rows.next()) {
                rows.getString(1);
            }
        }
    }

    private void autocommitted(Connection connection) throws SQLException {
        List<Integer> row = List.of(ledger.nextRow());
        try {
            insert(connection, row.get(0));
        } catch (SQLException e) {
            ledger.doubt(row);
            throw e;
        }
        ledger.confirm(row);
    }

    private void transaction(Connection connection, boolean rollback) throws SQLException {
        List<Integer> rows = List.of(ledger.nextRow(), ledger.nextRow());
        boolean ending = false;
        try (Statement statement = connection.createStatement()) {
            statement.execute("START TRANSACTION");
            for (int row : rows) {
                insert(connection, row);
            }
            read(connection);
            ending = true;
            statement.execute(rollback ? "ROLLBACK" : "COMMIT");
        } catch (SQLException e) {
            if (ending && !rollback) {
                ledger.doubt(rows);
            } else {
                ledger.undo(rows);
            }
            throw e;
        }
        if (rollback) {
            ledger.undo(rows);
        } else {
            ledger.confirm(rows);
        }
    }

    private void insert(Connection connection, int row) throws SQLException {
        int amount = SoakLedger.amount(ledger.writer(), row);
        if (prepared) {
            try (PreparedStatement insert =
                    connection.prepareStatement("INSERT INTO ledger (w, n, amount) VALUES (?, ?, ?)")) {
                insert.setInt(1, ledger.writer());
                insert.setInt(2, row);
                insert.setInt(3, amount);
                insert.executeUpdate();
            }
        } else {
            try (Statement statement = connection.createStatement()) {
                statement.executeUpdate("INSERT INTO ledger (w, n, amount) VALUES (" + ledger.writer() + ", " + row
                        + ", " + amount + ")");
            }
        }
    }
}
