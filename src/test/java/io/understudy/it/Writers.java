package io.understudy.it;

import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Sessions that insert row by row into {@code shop.t} until their connection breaks, and record each row that got an
 * OK.
 */
final class Writers {
    interface Connector {
        Connection connect() throws SQLException;
    }

    private final Set<String> answered = ConcurrentHashMap.newKeySet();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean stopped;

    static Writers start(int count, Connector connector) throws SQLException {
        Writers writers = new Writers();
        for (int i = 0; i < count; i++) {
            int number = i;
            Connection connection = connector.connect();
            Thread thread = new Thread(() -> writers.write(number, connection), "writer-" + number);
            writers.threads.add(thread);
            thread.start();
        }
        return writers;
    }

    private void write(int number, Connection connection) {
        try (connection;
                PreparedStatement insert = connection.prepareStatement("INSERT INTO t VALUES (?, ?, 'filler')")) {
            for (int n = 1; !stopped; n++) {
                insert.setInt(1, number);
                insert.setInt(2, n);
                insert.executeUpdate();
                answered.add(number + "-" + n);
            }
        } catch (SQLException gone) {
            // The expected end.
        }
    }

    void awaitRows(int count) {
        await().atMost(Duration.ofSeconds(30)).until(() -> answered.size() >= count);
    }

    /** Waits until so many more rows have got an OK. */
    void awaitMore(int count) {
        awaitRows(answered.size() + count);
    }

    void stop() {
        stopped = true;
    }

    /** Waits for the sessions to end. Returns the rows {@code w-n} that got an OK. */
    Set<String> join() throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
        return new HashSet<>(answered);
    }
}
