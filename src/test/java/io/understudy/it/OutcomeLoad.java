package io.understudy.it;

import static org.awaitility.Awaitility.await;

import io.understudy.testkit.ThinkTime;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Clients that write rows into {@code shop.t} which no other has, each row once: a half with autocommit and a half in
 * transactions, and of each a half with prepared statements. They record what they were told of each row.
 */
final class OutcomeLoad implements AutoCloseable {
    /** What the client of a row was told. */
    enum Told {
        COMMITTED,
        NOT_COMMITTED,
        UNKNOWN,
        /** Nothing of the kind: the connection broke. */
        NOTHING
    }

    /**
     * A statement that failed.
     *
     * @param thread the session's connection id on the server
     * @param token in the text of the row's transaction
     * @param begun when the row's transaction began
     * @param opened time before the session's first commit on that connection
     * @param before how many of its commits were answered there
     * @param commits whether the statement may have committed the row
     */
    record Failed(
            String row,
            long thread,
            String token,
            Instant begun,
            Instant opened,
            int before,
            boolean commits,
            Told told,
            String message) {}

    private final Writers.Connector connector;
    private final String tokens;
    private final List<Thread> threads = new ArrayList<>();
    private final Set<String> answered = ConcurrentHashMap.newKeySet();
    private final Queue<Failed> failed = new ConcurrentLinkedQueue<>();
    private final AtomicInteger connected = new AtomicInteger();
    private volatile boolean ended;

    /** @param tokens begin of the rows' tokens, which no other load has */
    OutcomeLoad(int clients, String tokens, Writers.Connector connector) {
        this.connector = connector;
        this.tokens = tokens;
        for (int i = 0; i < clients; i++) {
            int number = i;
            Thread thread = new Thread(() -> work(number), "client-" + i);
            threads.add(thread);
            thread.start();
        }
    }

    private void work(int number) {
        int n = 0;
        while (!ended) {
            try (Connection connection = connector.connect()) {
                connected.incrementAndGet();
                n = session(number, n, connection);
            } catch (SQLException e) {
                n++;
                ThinkTime.pause(TimeUnit.MILLISECONDS.toNanos(20));
            }
        }
    }

    private int session(int number, int first, Connection connection) throws SQLException {
        Instant opened = Instant.now();
        int before = 0;
        long thread = thread(connection);
        for (int n = first; !ended; n++) {
            Row row = new Row(number, n, connection, thread, opened, before);
            if (row.write()) {
                before++;
            } else {
                if (!connection.isValid(5)) {
                    return n + 1;
                }
                opened = Instant.now();
                before = 0;
                thread = thread(connection);
            }
        }
        return 0;
    }

    static long thread(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT CONNECTION_ID()")) {
            row.next();
            return row.getLong(1);
        }
    }

    /** One row's transaction. */
    private final class Row {
        private final int number;
        private final int n;
        private final String token;
        private final String comment;
        private final Connection connection;
        private final long thread;
        private final Instant begun = Instant.now();
        private final Instant opened;
        private final int before;
        /** Whether what is in flight may commit the row. */
        private boolean commits;

        Row(int number, int n, Connection connection, long thread, Instant opened, int before) {
            this.opened = opened;
            this.before = before;
            this.number = number;
            this.n = n;
            token = tokens + "." + number + "." + n;
            comment = " /* understudy:txn=" + token + " */";
            this.connection = connection;
            this.thread = thread;
        }

        boolean write() {
            try {
                boolean transaction = number % 2 == 1;
                if (transaction) {
                    execute("BEGIN");
                }
                insert(transaction);
                if (transaction) {
                    commits = true;
                    execute("COMMIT");
                }
                answered.add(number + "-" + n);
                return true;
            } catch (SQLException e) {
                failed.add(new Failed(
                        number + "-" + n,
                        thread,
                        token,
                        begun,
                        opened,
                        before,
                        commits,
                        told(e),
                        e.getErrorCode() + " " + e.getMessage()));
                return false;
            }
        }

        private void insert(boolean transaction) throws SQLException {
            if (number % 4 < 2) {
                commits = !transaction;
                execute("INSERT INTO t VALUES (" + number + ", " + n + ", 'text')");
                return;
            }
            // The comment makes it another statement each time: it is prepared anew.
            try (PreparedStatement insert =
                    connection.prepareStatement("INSERT INTO t VALUES (?, ?, 'prepared')" + comment)) {
                insert.setInt(1, number);
                insert.setInt(2, n);
                commits = !transaction;
                insert.executeUpdate();
            }
        }

        private void execute(String sql) throws SQLException {
            try (Statement statement = connection.createStatement()) {
                statement.execute(sql + comment);
            }
        }
    }

    static Told told(SQLException e) {
        if (e.getErrorCode() == 1213) {
            return Told.NOT_COMMITTED;
        } else if ("08007".equals(e.getSQLState())) {
            return String.valueOf(e.getMessage()).contains("ommitted as ") ? Told.COMMITTED : Told.UNKNOWN;
        }
        return Told.NOTHING;
    }

    /** Waits until so many more rows have got an OK. */
    void awaitMore(int count) {
        int goal = answered.size() + count;
        await().atMost(Duration.ofSeconds(60)).until(() -> answered.size() >= goal);
    }

    /** Returns the rows {@code w-n} that got an OK. */
    Set<String> answered() {
        return new HashSet<>(answered);
    }

    List<Failed> failed() {
        return List.copyOf(failed);
    }

    /** Lets each client end its row. */
    @Override
    public void close() throws InterruptedException {
        ended = true;
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
