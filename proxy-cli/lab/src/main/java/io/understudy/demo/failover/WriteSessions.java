package io.understudy.demo.failover;

import io.understudy.demo.Sessions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Sessions that insert through the proxy until they are stopped, every second one in transactions of three rows. A
 * session whose connection has ended connects again. Remembers every transaction that got an OK.
 */
final class WriteSessions implements AutoCloseable {
    /** Most rows of one transaction. */
    static final int ROWS = 3;

    private static final long PAUSE_NANOS = Duration.ofMillis(2).toNanos();
    private static final long RETRY_NANOS = Duration.ofMillis(20).toNanos();

    private final String url;
    private final String password;
    private final String table;
    /** Session and number of the first row of each transaction. */
    private final Set<String> answered = ConcurrentHashMap.newKeySet();

    private final Map<String, Long> failures = new ConcurrentHashMap<>();
    private final Sessions threads;

    private WriteSessions(String url, String password, String table, int sessions) {
        this.url = url;
        this.password = password;
        this.table = table;
        threads = Sessions.start("demo-session", sessions, this::run);
    }

    /** @param table with columns w, n and filler, of which w and n are the primary key */
    static WriteSessions start(String url, String password, String table, int sessions) {
        return new WriteSessions(url, password, table, sessions);
    }

    private void run(Sessions load, int number) {
        int next = 0;
        while (!load.ended()) {
            String doing = "login";
            try (Connection connection = DriverManager.getConnection(url, "app", password);
                    Statement statement = connection.createStatement()) {
                while (!load.ended()) {
                    int begin = next;
                    int rows = number % 2 == 0 ? 1 : ROWS;
                    // A number whose response was lost is not used again: its row may be there.
                    next += rows;
                    if (rows > 1) {
                        doing = "START TRANSACTION";
                        statement.execute("START TRANSACTION");
                    }
                    doing = rows > 1 ? "INSERT in a transaction" : "INSERT";
                    for (int n = begin; n < next; n++) {
                        statement.execute("INSERT INTO " + table + " VALUES (" + number + ", " + n + ", 'a row')");
                    }
                    if (rows > 1) {
                        doing = "COMMIT";
                        statement.execute("COMMIT");
                    }
                    answered.add(number + "-" + begin);
                    LockSupport.parkNanos(PAUSE_NANOS);
                }
            } catch (SQLException e) {
                failures.merge(doing + " " + code(e), 1L, Long::sum);
                LockSupport.parkNanos(RETRY_NANOS);
            }
        }
    }

    private static String code(SQLException e) {
        return e.getErrorCode() == 0 || e.getErrorCode() == -1 ? "connection lost" : String.valueOf(e.getErrorCode());
    }

    /** Waits until so many more transactions got an OK. */
    boolean awaitMore(int transactions, Duration patience) throws InterruptedException {
        int goal = answered.size() + transactions;
        long deadline = System.nanoTime() + patience.toNanos();
        while (answered.size() < goal) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            Thread.sleep(1);
        }
        return true;
    }

    /** Returns the transactions with an OK, each by its first row. */
    Set<String> answered() {
        return new HashSet<>(answered);
    }

    /** Returns how many statements failed, by statement and error code. */
    Map<String, Long> failures() {
        return new TreeMap<>(failures);
    }

    @Override
    public void close() throws Exception {
        threads.close();
    }
}
