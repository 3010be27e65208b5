package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.embedded.EmbeddedPair;
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
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A proxy that a package's own launcher started. Its log tells the ports, since the configuration asks for any. */
final class PackagedProxy implements AutoCloseable {
    private static final Pattern LISTENS = Pattern.compile("listening on \\[/127\\.0\\.0\\.1:(\\d+)]");
    private static final Pattern ADMIN = Pattern.compile("admin endpoint on http://127\\.0\\.0\\.1:(\\d+)/");
    private static final Pattern MIRRORED =
            Pattern.compile("understudy_mirror_statements_total\\{[^}]*outcome=\"ok\"[^}]*} ([1-9][0-9.]*)");
    private static final Duration LONG = Duration.ofSeconds(60);

    private final Process process;
    private final Path log;

    private PackagedProxy(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /** Returns a configuration for these servers; both passwords are the variable SECRET. */
    static String config(EmbeddedPair pair) {
        return """
                listen: { address: "127.0.0.1:0" }
                primary:
                  address: 127.0.0.1:%d
                  monitor: { user: understudy, password: "${env:SECRET}" }
                standbys:
                  - { name: s1, address: "127.0.0.1:%d", user: understudy_mirror, password: "${env:SECRET}" }
                admin: { address: "127.0.0.1:0" }
                plugins: { mirror: { rules: [ { name: all, sample: 100%% } ] } }
                """.formatted(pair.primary().port(), pair.standby().port());
    }

    /** @param log gets all that the program prints */
    static PackagedProxy start(ProcessBuilder command, Path log) throws IOException {
        command.environment().put("SECRET", MirrorProxy.PASSWORD);
        return new PackagedProxy(
                command.redirectErrorStream(true).redirectOutput(log.toFile()).start(), log);
    }

    /** Queries through the proxy until its metrics say that a standby has run one of the queries. */
    void awaitMirroredQuery() throws IOException {
        await().atMost(LONG).until(() -> ADMIN.matcher(Files.readString(log)).find() || !process.isAlive());
        int port = Integer.parseInt(find(LISTENS));
        await().atMost(LONG).ignoreExceptionsInstanceOf(SQLException.class).untilAsserted(() -> {
            read(port);
            assertThat(metrics()).as(Files.readString(log)).containsPattern(MIRRORED);
        });
    }

    String metrics() throws IOException, InterruptedException {
        URI uri = URI.create("http://127.0.0.1:" + find(ADMIN) + "/metrics");
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }

    /** Sends SIGTERM and checks that the proxy drains and ends by itself. */
    void stop() throws IOException, InterruptedException {
        process.destroy();
        assertThat(process.waitFor(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(Files.readString(log)).isZero();
    }

    private String find(Pattern pattern) throws IOException {
        Matcher found = pattern.matcher(Files.readString(log));
        assertThat(found.find()).as(Files.readString(log)).isTrue();
        return found.group(1);
    }

    private static void read(int port) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:mariadb://127.0.0.1:" + port
                        + "/shop?sslMode=disable&user=app&password=" + MirrorProxy.PASSWORD);
                Statement statement = connection.createStatement()) {
            statement.executeQuery("SELECT note FROM orders WHERE id = 7");
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
