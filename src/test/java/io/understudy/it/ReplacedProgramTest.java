package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.epoll.Epoll;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.ServerOptions;
import io.understudy.testkit.FreePort;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code understudy run --replace} under load. Clients reconnect at a boundary and repeat the statement: each row is
 * there once, no transaction is cut, no login fails.
 */
@Timeout(180)
@Tag("long")
class ReplacedProgramTest {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int REPLACEMENTS = Integer.getInteger("takeovers", 2);
    private static final int WRITERS = 4;

    @TempDir
    private Path folder;

    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final AtomicInteger reconnected = new AtomicInteger();
    private final AtomicInteger done = new AtomicInteger();
    private volatile boolean stopped;

    private Process run(Path log, String... more) throws IOException {
        return RunProgram.start(folder.resolve("run.yaml"), log, more);
    }

    /** Inserts rows 1, 2, 3, …: odd ones in autocommit, each even one with the next in a transaction. */
    private void write(int writer, String url) {
        int row = 1;
        Connection connection = null;
        try {
            connection = DriverManager.getConnection(url);
            while (!stopped) {
                boolean begun = false;
                try (Statement statement = connection.createStatement()) {
                    if (row % 3 == 1) {
                        insert(statement, writer, row);
                        row += 1;
                    } else {
                        statement.execute("START TRANSACTION");
                        begun = true;
                        insert(statement, writer, row);
                        insert(statement, writer, row + 1);
                        statement.execute("COMMIT");
                        row += 2;
                    }
                    done.incrementAndGet();
                } catch (SQLException e) {
                    if (begun || e.getSQLState() == null || !e.getSQLState().startsWith("08")) {
                        failures.add("writer " + writer + " row " + row + ": " + e);
                        return;
                    }
                    reconnected.incrementAndGet();
                    connection.close();
                    connection = DriverManager.getConnection(url);
                }
            }
        } catch (SQLException e) {
            failures.add("writer " + writer + " cannot connect: " + e);
        } finally {
            try {
                if (connection != null) {
                    connection.close();
                }
            } catch (SQLException e) {
                failures.add("writer " + writer + " cannot close: " + e);
            }
        }
    }

    private static void insert(Statement statement, int writer, int row) throws SQLException {
        statement.execute("INSERT INTO shop.t VALUES (" + writer + ", " + row + ")");
    }

    /** Connects, reads and leaves, as clients without a pool do. */
    private void visit(String url) {
        while (!stopped) {
            try (Connection connection = DriverManager.getConnection(url);
                    Statement statement = connection.createStatement()) {
                statement.execute("SELECT 1");
                done.incrementAndGet();
            } catch (SQLException e) {
                failures.add("visitor: " + e);
                return;
            }
        }
    }

    private static int status(int port) throws InterruptedException {
        try {
            return HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/health/live"))
                                    .build(),
                            HttpResponse.BodyHandlers.discarding())
                    .statusCode();
        } catch (IOException e) {
            return 0;
        }
    }

    @Test
    void clientsThatReconnectNoticeNothing() throws Exception {
        assumeTrue(Epoll.isAvailable());
        try (EmbeddedServer server = EmbeddedServer.start(ServerOptions.of(1))) {
            server.execute("CREATE DATABASE shop", "CREATE TABLE shop.t (w INT, n INT, PRIMARY KEY (w, n))");
            int port = FreePort.next();
            int adminPort = FreePort.next();
            Files.writeString(folder.resolve("run.yaml"), """
                    listen: { address: "127.0.0.1:%d", reusePort: true }
                    primary: { address: "127.0.0.1:%d", tls: { mode: disabled } }
                    admin: { address: "127.0.0.1:%d" }
                    limits: { drainTimeout: 20s }
                    """.formatted(port, server.port(), adminPort));
            String url = "jdbc:mariadb://127.0.0.1:" + port + "/shop?sslMode=disable&user=root";
            Path log = folder.resolve("0.log");
            Process present = run(log);
            List<Thread> clients = new ArrayList<>();
            try {
                RunProgram.awaitLine(log, "admin endpoint on", present);
                for (int i = 0; i < WRITERS; i++) {
                    int writer = i;
                    clients.add(new Thread(() -> write(writer, url), "writer-" + i));
                }
                clients.add(new Thread(() -> visit(url), "visitor"));
                clients.forEach(Thread::start);
                await().atMost(SOON).until(() -> done.get() > 100 || !failures.isEmpty());
                for (int i = 1; i <= REPLACEMENTS; i++) {
                    Path next = folder.resolve(i + ".log");
                    Process replacement = run(next, "--replace", String.valueOf(present.pid()));
                    Process replaced = present;
                    present = replacement;
                    assertThat(replaced.waitFor(SOON.toSeconds(), TimeUnit.SECONDS))
                            .isTrue();
                    assertThat(replaced.exitValue()).as(Files.readString(log)).isZero();
                    assertThat(log).content().doesNotContain("still busy");
                    RunProgram.awaitLine(next, "admin endpoint on", present);
                    assertThat(next).content().contains("another process has admin.address", "has got SIGTERM");
                    await().atMost(SOON).until(() -> status(adminPort) == 200);
                    int before = done.get();
                    await().atMost(SOON).until(() -> done.get() > before + 100 || !failures.isEmpty());
                    log = next;
                }
            } finally {
                stopped = true;
                for (Thread client : clients) {
                    client.join(SOON.toMillis());
                }
                present.destroyForcibly();
            }
            System.out.printf(
                    "%d replacements, %d transactions and visits, %d reconnected at a boundary%n",
                    REPLACEMENTS, done.get(), reconnected.get());
            assertThat(failures).isEmpty();
            // Each writer had to, once for every process that ended.
            assertThat(reconnected.get()).isGreaterThanOrEqualTo(WRITERS * REPLACEMENTS);
            assertThat(server.query("SELECT COUNT(*) FROM (SELECT w FROM shop.t GROUP BY w"
                            + " HAVING COUNT(*) <> MAX(n)) gaps"))
                    .isEqualTo("0");
        }
    }

    /** Nothing else gets a SIGTERM. */
    @Test
    void onlyARunningProxyIsReplaced() throws Exception {
        Files.writeString(folder.resolve("run.yaml"), """
                listen: { address: "127.0.0.1:%d", reusePort: true }
                primary: { address: "127.0.0.1:1" }
                admin: { enabled: false }
                """.formatted(FreePort.next()));
        Path log = folder.resolve("refused.log");
        Process refused =
                run(log, "--replace", String.valueOf(ProcessHandle.current().pid()));
        assertThat(refused.waitFor(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(log).content().contains("is no `understudy run`").doesNotContain("listening on");
        assertThat(refused.exitValue()).isEqualTo(1);
    }

    private void file(String name, int port) throws IOException {
        Files.writeString(folder.resolve(name), """
                listen: { address: "127.0.0.1:%d", reusePort: true }
                primary: { address: "127.0.0.1:1" }
                admin: { enabled: false }
                """.formatted(port));
    }

    @Test
    void anotherProxyOfTheHostIsNotReplaced() throws Exception {
        assumeTrue(Epoll.isAvailable());
        int port = FreePort.next();
        file("run.yaml", port);
        Path log = folder.resolve("other.log");
        Process other = run(log);
        try {
            RunProgram.awaitLine(log, "listening on", other);
            int mine = FreePort.next();
            file("run.yaml", mine);
            Path refusal = folder.resolve("not-mine.log");
            Process refused = run(refusal, "--replace", String.valueOf(other.pid()));
            assertThat(refused.waitFor(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(refusal)
                    .content()
                    .contains(
                            "process " + other.pid() + " is another proxy: it listens on [/127.0.0.1:" + port
                                    + "], and not on listen.address 127.0.0.1:" + mine,
                            "No process to replace does; leave out --replace")
                    .doesNotContain("has got SIGTERM");
            assertThat(refused.exitValue()).isEqualTo(1);
            assertThat(other.isAlive()).isTrue();
            assertThat(log).content().doesNotContain("draining");
        } finally {
            other.destroyForcibly();
        }
    }
}
