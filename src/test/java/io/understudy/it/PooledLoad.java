package io.understudy.it;

import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.testkit.ThinkTime;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/**
 * An application with a HikariCP of its defaults and prepared statements. Each of its threads inserts rows that no
 * other has and reads them again, every second thread in transactions of two rows. Nothing is tried twice.
 */
public final class PooledLoad implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /**
     * One call of the driver.
     *
     * @param begun by {@link System#nanoTime()}
     * @param atBoundary whether its session was in no transaction before it
     * @param problem the error; null after success
     */
    public record Step(
            int thread,
            long begun,
            long ended,
            boolean atBoundary,
            @Nullable String problem) {}

    @FunctionalInterface
    private interface Call<T> {
        T run() throws SQLException;
    }

    private final HikariDataSource pool;
    private final long pauseNanos;
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicIntegerArray requests;
    private final Queue<Step> steps = new ConcurrentLinkedQueue<>();
    /** Rows of which the client was told that they are committed. */
    private final Set<String> committed = ConcurrentHashMap.newKeySet();

    private final Map<String, Integer> failures = new ConcurrentHashMap<>();
    private final AtomicInteger wrong = new AtomicInteger();
    private volatile boolean ended;

    /** @param pause of each thread between two requests, in which its connection is in the pool */
    public PooledLoad(int port, String password, int threadCount, Duration pause) {
        pauseNanos = pause.toNanos();
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:mariadb://127.0.0.1:" + port + "/shop?sslMode=disable&useServerPrepStmts=true");
        config.setUsername("app");
        config.setPassword(password);
        pool = new HikariDataSource(config);
        requests = new AtomicIntegerArray(threadCount);
        for (int i = 0; i < threadCount; i++) {
            int number = i;
            Thread thread = new Thread(() -> work(number), "pooled-" + i);
            thread.start();
            threads.add(thread);
        }
    }

    private void work(int number) {
        for (int n = 0; !ended; n++) {
            try {
                request(number, number + "-" + n);
            } catch (SQLException e) {
                failures.merge(e.getErrorCode() + " " + e.getMessage(), 1, Integer::sum);
            }
            requests.incrementAndGet(number);
            ThinkTime.pause(pauseNanos);
        }
    }

    private void request(int number, String value) throws SQLException {
        Connection connection = timed(number, true, pool::getConnection);
        try {
            if (number % 2 == 0) {
                insert(number, connection, value, true);
                committed.add(value);
                check(number, connection, value, true);
                return;
            }
            timed(number, true, () -> {
                connection.setAutoCommit(false);
                return true;
            });
            insert(number, connection, value, true);
            insert(number, connection, value + "b", false);
            check(number, connection, value + "b", false);
            timed(number, false, () -> {
                connection.commit();
                return true;
            });
            committed.add(value);
            committed.add(value + "b");
        } finally {
            timed(number, true, () -> {
                connection.close();
                return true;
            });
        }
    }

    private void insert(int number, Connection connection, String value, boolean atBoundary) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO t (v) VALUES (?)")) {
            insert.setString(1, value);
            timed(number, atBoundary, insert::executeUpdate);
        }
    }

    private void check(int number, Connection connection, String value, boolean atBoundary) throws SQLException {
        try (PreparedStatement select =
                connection.prepareStatement("SELECT v, ? + 1 FROM t WHERE id = LAST_INSERT_ID()")) {
            select.setInt(1, number);
            try (ResultSet row = timed(number, atBoundary, select::executeQuery)) {
                if (!row.next() || !row.getString(1).equals(value) || row.getInt(2) != number + 1) {
                    wrong.incrementAndGet();
                }
            }
        }
    }

    private <T> T timed(int thread, boolean atBoundary, Call<T> call) throws SQLException {
        long begun = System.nanoTime();
        String problem = null;
        try {
            return call.run();
        } catch (SQLException e) {
            problem = String.valueOf(e.getMessage());
            throw e;
        } finally {
            steps.add(new Step(thread, begun, System.nanoTime(), atBoundary, problem));
        }
    }

    /** Waits until each thread has ended two more requests, so that one of them was begun after this call. */
    public void awaitMore() {
        int[] before = new int[requests.length()];
        for (int i = 0; i < before.length; i++) {
            before[i] = requests.get(i);
        }
        await().atMost(PATIENCE).until(() -> {
            for (int i = 0; i < before.length; i++) {
                if (requests.get(i) < before[i] + 2) {
                    return false;
                }
            }
            return true;
        });
    }

    /** Returns the calls since the last time, in the order of their ends. */
    public List<Step> takeSteps() {
        List<Step> taken = new ArrayList<>();
        for (Step step = steps.poll(); step != null; step = steps.poll()) {
            taken.add(step);
        }
        return taken;
    }

    /** Returns how many requests failed, by the error. */
    public Map<String, Integer> failures() {
        return new TreeMap<>(failures);
    }

    /** Returns how many reads had not the row that was written before. */
    public int wrong() {
        return wrong.get();
    }

    /** Returns the rows of which the client was told that they are committed, and which {@code server} lacks. */
    public Set<String> lost(EmbeddedServer server) {
        Set<String> missing = new TreeSet<>(committed);
        missing.removeAll(counts(server).keySet());
        return missing;
    }

    /** Returns the rows that {@code server} has more than once. */
    public static List<String> doubled(EmbeddedServer server) {
        return counts(server).entrySet().stream()
                .filter(row -> row.getValue() > 1)
                .map(Map.Entry::getKey)
                .toList();
    }

    private static Map<String, Integer> counts(EmbeddedServer server) {
        Map<String, Integer> counts = new HashMap<>();
        server.rows("SELECT v FROM shop.t").forEach(row -> counts.merge(String.valueOf(row.get("v")), 1, Integer::sum));
        return counts;
    }

    public int rows() {
        return committed.size();
    }

    @Override
    public void close() throws InterruptedException {
        ended = true;
        for (Thread thread : threads) {
            thread.join();
        }
        pool.close();
    }
}
