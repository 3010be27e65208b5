package io.understudy.switchover;

import io.understudy.testkit.ThinkTime;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Sessions that insert rows through the proxy, every second one in transactions of three, and connect again. */
final class WriteLoad implements AutoCloseable {
    private static final long PAUSE_NANOS = Duration.ofMillis(2).toNanos();
    private static final int ROWS = 3;

    private final String url;
    private final List<Thread> threads = new ArrayList<>();
    /** Rows that a client was told to be committed. */
    private final AtomicLong committed = new AtomicLong();

    private final Map<String, Long> failures = new ConcurrentHashMap<>();
    private volatile boolean ended;

    WriteLoad(InetSocketAddress proxy, int sessions) {
        url = "jdbc:mariadb://127.0.0.1:" + proxy.getPort() + "/shop?sslMode=disable&socketTimeout=20000";
        for (int i = 0; i < sessions; i++) {
            boolean transactions = i % 2 == 1;
            Thread thread = new Thread(() -> write(transactions), "load-" + i);
            thread.start();
            threads.add(thread);
        }
    }

    long committed() {
        return committed.get();
    }

    /** Returns how many statements failed, by the statement's kind and the error's code. */
    Map<String, Long> failures() {
        return new TreeMap<>(failures);
    }

    private void write(boolean transactions) {
        while (!ended) {
            String doing = "login";
            try (Connection connection = DriverManager.getConnection(url, "app", "secret");
                    Statement statement = connection.createStatement()) {
                while (!ended) {
                    if (transactions) {
                        doing = "begin";
                        statement.execute("START TRANSACTION");
                        doing = "in transaction";
                        for (int i = 0; i < ROWS; i++) {
                            statement.execute("INSERT INTO t (v) VALUES ('transaction')");
                        }
                        doing = "commit";
                        statement.execute("COMMIT");
                        committed.addAndGet(ROWS);
                    } else {
                        doing = "autocommit";
                        statement.execute("INSERT INTO t (v) VALUES ('autocommit')");
                        committed.incrementAndGet();
                    }
                    doing = "end";
                    ThinkTime.pause(PAUSE_NANOS);
                }
            } catch (SQLException e) {
                failures.merge(doing + " " + e.getErrorCode(), 1L, Long::sum);
            }
        }
    }

    @Override
    public void close() throws InterruptedException {
        ended = true;
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
