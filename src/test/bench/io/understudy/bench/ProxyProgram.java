package io.understudy.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Runs {@code understudy run} in its own JVM with this program's class path, so that its CPU time and metrics include
 * nothing else.
 */
final class ProxyProgram implements AutoCloseable {
    static final String USER = "app";
    static final String PASSWORD = "bench";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Process process;
    private final Path folder;
    private final String configuration;
    private final int port;
    private final int adminPort;
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();

    /**
     * @param standbyPort port of the standby
     * @param mirror the section {@code plugins.mirror}, or an empty text for no plugin
     */
    ProxyProgram(int primaryPort, int standbyPort, String mirror) throws IOException {
        folder = Files.createTempDirectory("understudy-bench-");
        port = freePort();
        adminPort = freePort();
        configuration = """
                listen: { address: "127.0.0.1:%d" }
                primary:
                  address: 127.0.0.1:%d
                  tls: { mode: disabled }
                  monitor: { user: understudy, password: %s }
                standbys:
                  - name: standby
                    address: "127.0.0.1:%d"
                    tls: { mode: disabled }
                    user: understudy_mirror
                    password: %s
                admin: { address: "127.0.0.1:%d" }
                """.formatted(port, primaryPort, PASSWORD, standbyPort, PASSWORD, adminPort);
        Path config = write(mirror);
        process = new ProcessBuilder(List.of(
                        System.getProperty("java.home") + "/bin/java",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "io.understudy.cli.Understudy",
                        "run",
                        "-c",
                        config.toString()))
                .redirectErrorStream(true)
                .redirectOutput(log().toFile())
                .start();
        await("the proxy to listen", this::listens);
    }

    private Path write(String mirror) throws IOException {
        String plugins = mirror.isEmpty() ? "" : "plugins:\n  mirror: " + mirror + "\n";
        return Files.writeString(folder.resolve("bench.yaml"), configuration + plugins);
    }

    /**
     * Activates other rules while sessions continue.
     *
     * @param sample the sample of the first rule after the reload
     */
    void reload(String mirror, String sample) throws IOException, InterruptedException {
        write(mirror);
        new ProcessBuilder("kill", "-HUP", String.valueOf(process.pid()))
                .start()
                .waitFor();
        await("the new rules", () -> get("/api/mirror").contains('"' + sample + '"'));
    }

    /** Creates the accounts of the configuration and of the application. */
    static void createAccounts(io.understudy.embedded.EmbeddedServer primary) {
        for (String account : List.of("understudy", "understudy_mirror", USER)) {
            primary.execute("CREATE OR REPLACE USER " + account + "@'%' IDENTIFIED BY '" + PASSWORD + "'");
        }
        primary.execute(
                "GRANT REPLICA MONITOR, BINLOG MONITOR, PROCESS ON *.* TO understudy@'%'",
                "GRANT SELECT, SHOW VIEW ON shop.* TO understudy_mirror@'%'",
                "GRANT REPLICA MONITOR, BINLOG MONITOR ON *.* TO understudy_mirror@'%'",
                "GRANT ALL ON shop.* TO " + USER + "@'%'");
    }

    private static int freePort() throws IOException {
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return probe.getLocalPort();
        }
    }

    private boolean listens() {
        if (!process.isAlive()) {
            throw new IllegalStateException("the proxy ended with " + process.exitValue() + ":\n" + said());
        }
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    private Path log() {
        return folder.resolve("proxy.log");
    }

    String said() {
        try {
            return Files.readString(log());
        } catch (IOException e) {
            return e.getMessage();
        }
    }

    int port() {
        return port;
    }

    String jdbcUrl(String options) {
        return "jdbc:mariadb://127.0.0.1:" + port + "/shop?sslMode=disable&user=" + USER + "&password=" + PASSWORD
                + options;
    }

    long pid() {
        return process.pid();
    }

    /** Returns the sum of a metric over the lines that contain {@code label}. */
    double metric(String name, String label) {
        double sum = 0;
        for (String line : metrics().split("\n")) {
            if (line.startsWith(name) && line.contains(label)) {
                sum += Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1));
            }
        }
        return sum;
    }

    private String metrics() {
        return get("/metrics");
    }

    private String get(String path) {
        try {
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + adminPort + path))
                    .timeout(Duration.ofSeconds(10))
                    .build();
            return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
        } catch (IOException e) {
            throw new IllegalStateException(
                    "the proxy's " + path + " cannot be read: " + e.getMessage() + "\n" + said(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    double mirrored(String outcome) {
        return metric("understudy_mirror_statements_total", "outcome=\"" + outcome + "\"");
    }

    /** Returns the number of commands completed so far, of all kinds. */
    double commands() {
        return metric("understudy_command_seconds_count", "");
    }

    double dropped() {
        return metric("understudy_mirror_dropped_total", "");
    }

    double waiting() {
        return metric("understudy_mirror_queue_statements", "");
    }

    /** Waits until mirroring has begun: the standby has been probed and a connection to it is open. */
    void awaitMirroring(Runnable oneRead) {
        await("the first mirrored statement", () -> {
            oneRead.run();
            return mirrored("ok") > 0;
        });
    }

    static void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("waited for " + what + " for " + PATIENCE.toSeconds() + " s");
            }
            pause(Duration.ofMillis(50));
        }
    }

    /** Waits for the given time, because a measurement takes time; no condition is awaited. */
    static void pause(Duration time) {
        try {
            TimeUnit.NANOSECONDS.sleep(time.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() throws IOException {
        process.destroy();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Files.deleteIfExists(folder.resolve("bench.yaml"));
        Files.deleteIfExists(log());
        Files.deleteIfExists(folder);
    }
}
