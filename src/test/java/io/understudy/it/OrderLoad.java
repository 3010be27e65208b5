package io.understudy.it;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An application with a HikariCP that writes orders, a half with autocommit, into {@code shop.orders}, where nothing
 * keeps an order from being written twice. It repeats an order as {@code docs/outcomes.md} says.
 */
final class OrderLoad implements AutoCloseable {
    /** Asks the proxy; returns {@code committed}, {@code not_committed}, or what else it says. */
    @FunctionalInterface
    interface Asked {
        String outcome(String token) throws Exception;
    }

    private final String prefix;
    private final HikariDataSource pool;
    private final Asked asked;
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger repeated = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();
    /** Orders that the application gave up, by the reason. */
    private final Map<String, String> unknown = new ConcurrentHashMap<>();

    private volatile boolean stopped;

    /** @param name of the load: with another one it names its transactions anew */
    OrderLoad(String name, int port, String user, String password, int clients, Asked asked) {
        prefix = name + ".order-";
        this.asked = asked;
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:mariadb://127.0.0.1:" + port + "/shop?sslMode=disable&allowPublicKeyRetrieval=true");
        config.setUsername(user);
        config.setPassword(password);
        config.setMaximumPoolSize(clients);
        pool = new HikariDataSource(config);
        for (int i = 0; i < clients; i++) {
            boolean transaction = i % 2 == 1;
            Thread thread = new Thread(() -> work(transaction), "orders-" + i);
            threads.add(thread);
            thread.start();
        }
    }

    private void work(boolean transaction) {
        while (!stopped) {
            int order = next.incrementAndGet();
            try {
                write(prefix + order, transaction);
            } catch (Exception e) {
                unknown.put(prefix + order, String.valueOf(e));
            }
            ended.incrementAndGet();
        }
    }

    private void write(String order, boolean transaction) throws Exception {
        for (int attempt = 1; ; attempt++) {
            String token = order + "." + attempt;
            boolean begun = false;
            try (Connection connection = pool.getConnection()) {
                connection.setAutoCommit(!transaction);
                begun = true;
                insert(connection, order, token, transaction);
                return;
            } catch (SQLException e) {
                String known = !begun || "40001".equals(e.getSQLState()) ? "not_committed" : asked.outcome(token);
                if (known.equals("committed")) {
                    return;
                }
                if (!known.equals("not_committed")) {
                    throw new SQLException(known + " after " + e.getMessage(), e);
                }
                repeated.incrementAndGet();
            }
        }
    }

    private static void insert(Connection connection, String order, String token, boolean transaction)
            throws SQLException {
        String comment = "/* understudy:txn=" + token + " */ ";
        if (transaction) {
            try (PreparedStatement insert =
                    connection.prepareStatement(comment + "INSERT INTO orders (v) VALUES (?)")) {
                insert.setString(1, order);
                insert.executeUpdate();
            }
            connection.commit();
        } else {
            try (Statement insert = connection.createStatement()) {
                insert.executeUpdate(comment + "INSERT INTO orders (v) VALUES ('" + order + "')");
            }
        }
    }

    /** Returns how many orders were ended. */
    int ended() {
        return ended.get();
    }

    int repeated() {
        return repeated.get();
    }

    /** Returns the orders that the application gave up, since it could not know, by the reason. */
    Map<String, String> unknown() {
        return new HashMap<>(unknown);
    }

    /**
     * Returns what is wrong: orders that are there twice, or not.
     *
     * @param rows orders as the table has them
     */
    List<String> wrong(List<String> rows) {
        Map<String, Integer> counts = new HashMap<>();
        rows.forEach(row -> counts.merge(row, 1, Integer::sum));
        List<String> wrong = new ArrayList<>();
        Set<String> open = unknown.keySet();
        for (int order = 1; order <= next.get(); order++) {
            String name = prefix + order;
            int count = counts.getOrDefault(name, 0);
            if (count > 1 || count == 0 && !open.contains(name)) {
                wrong.add(name + " is there " + count + " times");
            }
        }
        return wrong;
    }

    /** Lets each thread end its order. */
    @Override
    public void close() throws InterruptedException {
        stopped = true;
        for (Thread thread : threads) {
            thread.join();
        }
        pool.close();
    }
}
