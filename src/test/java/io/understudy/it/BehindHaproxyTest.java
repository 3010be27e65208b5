package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.ServerOptions;
import io.understudy.testkit.FreePort;
import java.io.IOException;
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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two proxies behind a real HAProxy with the documented backend, one of which stops: no client notices. */
@Timeout(180)
@Tag("long")
@Tag("quiet")
class BehindHaproxyTest {
    private static final Path HAPROXY = Path.of("/usr/sbin/haproxy");
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int CLIENTS = 4;
    private static final Pattern BACKEND = Pattern.compile("```text\n(backend mysql\n.*?)```", Pattern.DOTALL);
    private static final Pattern SERVER =
            Pattern.compile("server understudy-(\\d) \\S+ check port \\d+ inter 2s(?: backup)?");
    /** As docs/health-checks.md advises. */
    private static final Pattern DELAY = Pattern.compile("`limits\\.drainDelay: (\\d+s)`");

    @TempDir
    private Path folder;

    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final AtomicInteger served = new AtomicInteger();
    private volatile boolean stopped;

    /** A client without a pool. */
    private void visit(String url) {
        while (!stopped) {
            try (Connection connection = DriverManager.getConnection(url);
                    Statement statement = connection.createStatement()) {
                statement.execute("SELECT 1");
                served.incrementAndGet();
            } catch (SQLException e) {
                failures.add(String.valueOf(e.getMessage()));
            }
        }
    }

    private Process proxy(int number, int port, int admin, int primary, String delay) throws IOException {
        Path file = Files.writeString(folder.resolve(number + ".yaml"), """
                listen: { address: "127.0.0.1:%d" }
                primary: { address: "127.0.0.1:%d", tls: { mode: disabled } }
                admin: { address: "127.0.0.1:%d" }
                limits: { drainDelay: %s }
                """.formatted(port, primary, admin, delay));
        Path log = folder.resolve(number + ".log");
        Process process = RunProgram.start(file, log);
        RunProgram.awaitLine(log, "listening on", process);
        return process;
    }

    private Process haproxy(int front, String docs, int[] ports, int[] admins) throws IOException {
        Matcher backend = BACKEND.matcher(docs);
        assertThat(backend.find()).isTrue();
        String servers = SERVER.matcher(backend.group(1)).replaceAll(found -> {
            int i = Integer.parseInt(found.group(1)) - 1;
            return found.group()
                    .replaceFirst("\\S+:\\d+ check port \\d+", "127.0.0.1:" + ports[i] + " check port " + admins[i]);
        });
        Path file = Files.writeString(folder.resolve("haproxy.cfg"), """
                defaults
                    timeout connect 5s
                    timeout client 30s
                    timeout server 30s
                frontend clients
                    mode tcp
                    bind 127.0.0.1:%d
                    default_backend mysql
                %s
                """.formatted(front, servers));
        return new ProcessBuilder(HAPROXY.toString(), "-db", "-f", file.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("haproxy.log").toFile())
                .start();
    }

    @Test
    void aProxyThatStopsIsNotNoticed() throws Exception {
        assumeTrue(Files.isExecutable(HAPROXY), "no " + HAPROXY);
        String docs = Files.readString(DocsTest.ROOT.resolve("docs/health-checks.md"));
        Matcher delay = DELAY.matcher(docs);
        assertThat(delay.find()).isTrue();
        String advised = System.getProperty("understudy.it.drainDelay", delay.group(1));
        int[] ports = {FreePort.next(), FreePort.next()};
        int[] admins = {FreePort.next(), FreePort.next()};
        int front = FreePort.next();
        List<Process> processes = new ArrayList<>();
        List<Thread> clients = new ArrayList<>();
        try (EmbeddedServer server = EmbeddedServer.start(ServerOptions.of(1))) {
            try {
                for (int i = 0; i < 2; i++) {
                    processes.add(proxy(i + 1, ports[i], admins[i], server.port(), advised));
                }
                processes.add(haproxy(front, docs, ports, admins));
                String url = "jdbc:mariadb://127.0.0.1:" + front + "/?sslMode=disable&user=root";
                await().atMost(SOON).ignoreExceptions().until(() -> {
                    DriverManager.getConnection(url).close();
                    return true;
                });
                for (int i = 0; i < CLIENTS; i++) {
                    clients.add(new Thread(() -> visit(url), "client-" + i));
                }
                clients.forEach(Thread::start);
                await().atMost(SOON).until(() -> served.get() > 100);
                processes.get(0).destroy(); // SIGTERM
                assertThat(processes.get(0).waitFor(SOON.toSeconds(), TimeUnit.SECONDS))
                        .isTrue();
                int before = served.get();
                await().atMost(SOON).until(() -> served.get() > before + 100);
            } finally {
                stopped = true;
                for (Thread client : clients) {
                    client.join(SOON.toMillis());
                }
                processes.forEach(Process::destroyForcibly);
            }
        }
        System.out.printf("drainDelay %s: %d visits, %d errors%n", advised, served.get(), failures.size());
        assertThat(failures).isEmpty();
    }
}
