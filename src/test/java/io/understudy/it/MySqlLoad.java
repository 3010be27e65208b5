package io.understudy.it;

import static org.awaitility.Awaitility.await;

import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/** Sessions that insert rows into {@code shop.t (round, w, n)}, and connect again when their connection has ended. */
final class MySqlLoad {
    private final Set<String> answered = ConcurrentHashMap.newKeySet();
    private final Set<String> failures = ConcurrentHashMap.newKeySet();
    private final List<Thread> threads = new ArrayList<>();
    private final int round;
    private final String url;
    private final String password;
    private volatile boolean ended;

    private MySqlLoad(int round, InetSocketAddress address, String password) {
        this.round = round;
        this.password = password;
        url = "jdbc:mariadb://127.0.0.1:" + address.getPort()
                + "/shop?sslMode=disable&allowPublicKeyRetrieval=true&socketTimeout=20000";
    }

    static MySqlLoad start(int round, int sessions, InetSocketAddress address, String password) {
        MySqlLoad load = new MySqlLoad(round, address, password);
        for (int i = 0; i < sessions; i++) {
            int number = i;
            Thread thread = new Thread(() -> load.write(number), "load-" + i);
            load.threads.add(thread);
            thread.start();
        }
        return load;
    }

    private void write(int number) {
        int n = 0;
        while (!ended) {
            String doing = "login";
            try (Connection connection = DriverManager.getConnection(url, "app", password);
                    Statement statement = connection.createStatement()) {
                doing = "INSERT";
                while (!ended) {
                    n++;
                    statement.execute("INSERT INTO t VALUES (" + round + ", " + number + ", " + n + ")");
                    answered.add(round + "-" + number + "-" + n);
                }
            } catch (SQLException e) {
                failures.add(doing + " " + e.getErrorCode());
            }
        }
    }

    void awaitMore(int rows) {
        int before = answered.size();
        await().atMost(Duration.ofSeconds(60)).until(() -> answered.size() >= before + rows);
    }

    /** Ends the sessions and returns the rows with an OK. */
    Set<String> stop() throws InterruptedException {
        ended = true;
        for (Thread thread : threads) {
            thread.join();
        }
        return new HashSet<>(answered);
    }

    Set<String> failures() {
        return new TreeSet<>(failures);
    }
}
