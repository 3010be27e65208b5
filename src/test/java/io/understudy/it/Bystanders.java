package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/** Sessions that work while others attack the proxy. Each checks every result it gets. */
final class Bystanders implements AutoCloseable {
    private static final Duration LONG = Duration.ofSeconds(90);

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Future<?>> sessions = new ArrayList<>();
    private final List<AtomicLong> results = new ArrayList<>();
    private volatile boolean over;

    Bystanders(ServerUnderTest server, InetSocketAddress address) {
        for (int i = 0; i < 2; i++) {
            start(done -> repeated(server, address, done, "SELECT 1", 1));
            start(done -> repeated(server, address, done, "SELECT seq, REPEAT('x', 500) FROM seq_1_to_5000", 5000));
        }
        start(done -> compressed(server, address, done));
    }

    private interface Work {
        void run(AtomicLong done) throws Exception;
    }

    private void start(Work work) {
        AtomicLong done = new AtomicLong();
        results.add(done);
        Callable<?> task = () -> {
            work.run(done);
            return null;
        };
        sessions.add(threads.submit(task));
    }

    /** Waits until each session has received some more results; fails where one of them is harmed. */
    void awaitResults(int more) throws Exception {
        List<Long> before = results();
        await().atMost(LONG).until(() -> areHarmed() || haveMore(before, more));
        for (Future<?> session : sessions) {
            if (session.isDone()) {
                session.get();
            }
        }
    }

    /** Whether a session has ended by itself. */
    boolean areHarmed() {
        return sessions.stream().anyMatch(Future::isDone);
    }

    private boolean haveMore(List<Long> before, int more) {
        List<Long> now = results();
        return IntStream.range(0, now.size()).allMatch(i -> now.get(i) >= before.get(i) + more);
    }

    List<Long> results() {
        return results.stream().map(AtomicLong::get).toList();
    }

    /** Ends the sessions after their current statement; fails where one of them was harmed. */
    void finish() throws Exception {
        over = true;
        for (Future<?> session : sessions) {
            session.get(LONG.toSeconds(), TimeUnit.SECONDS);
        }
    }

    private void repeated(ServerUnderTest server, InetSocketAddress address, AtomicLong done, String sql, int rows)
            throws Exception {
        try (RawClient client = RawClient.login(address, server)) {
            // Slow is not harmed: the attackers' statements keep the server's processors busy too.
            client.timeout(LONG);
            while (!over) {
                client.query(sql);
                List<Packet> packets = client.readResult();
                assertThat(packets).noneMatch(Packet::isErr);
                int columns = packets.get(0).first();
                // Count, definitions, EOF, rows, EOF.
                assertThat(packets).hasSize(1 + columns + 1 + rows + 1);
                done.incrementAndGet();
            }
        }
    }

    /** Long compressed frames in both directions. */
    private void compressed(ServerUnderTest server, InetSocketAddress address, AtomicLong done) throws Exception {
        String literal = "x".repeat(1 << 20);
        String url = "jdbc:mariadb://127.0.0.1:" + address.getPort() + "/?sslMode=disable&useCompression=true";
        try (Connection connection = DriverManager.getConnection(url, server.user(), server.password());
                Statement statement = connection.createStatement()) {
            while (!over) {
                try (ResultSet rows = statement.executeQuery("SELECT '" + literal + "'")) {
                    assertThat(rows.next()).isTrue();
                    assertThat(rows.getString(1)).isEqualTo(literal);
                }
                done.incrementAndGet();
            }
        }
    }

    @Override
    public void close() {
        over = true;
        threads.shutdownNow();
    }
}
