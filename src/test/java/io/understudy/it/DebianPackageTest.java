package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.PairOptions;
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
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The .deb that this build made, unpacked into a clean root: its program checks, runs, mirrors a query and stops; its
 * unit passes systemd's own checks. Skipped where the build made none ({@code -Dquick}) or the tools are absent.
 */
@Timeout(180)
class DebianPackageTest {
    private static final Path TARGET = Path.of("../../proxy-cli/target");
    private static final Pattern LISTENS = Pattern.compile("listening on \\[/127\\.0\\.0\\.1:(\\d+)]");
    private static final Pattern ADMIN = Pattern.compile("admin endpoint on http://127\\.0\\.0\\.1:(\\d+)/");
    private static final Pattern MIRRORED =
            Pattern.compile("understudy_mirror_statements_total\\{[^}]*outcome=\"ok\"[^}]*} ([1-9][0-9.]*)");

    @TempDir
    static Path root;

    @BeforeAll
    static void unpack() throws Exception {
        assumeTrue(onPath("dpkg-deb"), "dpkg-deb is not installed");
        assumeTrue(Files.isDirectory(TARGET), "this build made no package");
        try (Stream<Path> files = Files.list(TARGET)) {
            Path deb = files.filter(file -> file.toString().endsWith("_all.deb"))
                    .findFirst()
                    .orElse(null);
            assumeTrue(deb != null, "this build made no package");
            assertThat(run("dpkg-deb", "-x", String.valueOf(deb), root.toString())
                            .code())
                    .isZero();
        }
    }

    record Ended(int code, String output) {}

    private static Ended run(String... command) throws IOException, InterruptedException {
        return run(Map.of(), command);
    }

    private static Ended run(Map<String, String> environment, String... command)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), output);
    }

    private static boolean onPath(String tool) throws IOException, InterruptedException {
        return run("sh", "-c", "command -v " + tool).code() == 0;
    }

    /** The program; its link in /usr/bin leads to the real root. */
    private static String program() {
        return root.resolve("usr/share/understudy/bin/understudy").toString();
    }

    @Test
    void versionNamesTheBuild() throws Exception {
        Ended ended = run(program(), "--version");
        assertThat(ended.code()).as(ended.output()).isZero();
        assertThat(ended.output()).doesNotContain("unpackaged").doesNotContain("$");
    }

    @Test
    void theInstalledConfigurationPassesTheCheck() throws Exception {
        Ended ended = run(
                Map.of("UNDERSTUDY_PASSWORD", "a", "UNDERSTUDY_MIRROR_PASSWORD", "b"),
                program(),
                "check",
                "-c",
                root.resolve("etc/understudy/understudy.yaml").toString());
        assertThat(ended.code()).as(ended.output()).isZero();
    }

    @Test
    void configurationAndSecretsAreNotReadableByOthers() throws Exception {
        for (String file : List.of("understudy.yaml", "understudy.env")) {
            assertThat(Files.getPosixFilePermissions(root.resolve("etc/understudy/" + file)))
                    .doesNotContain(java.nio.file.attribute.PosixFilePermission.OTHERS_READ);
        }
    }

    @Test
    void everyCommandIsInTheManualAndTheCompletion() throws Exception {
        String manual = Files.readString(root.resolve("usr/share/man/man1/understudy.1"));
        String completion = Files.readString(root.resolve("usr/share/bash-completion/completions/understudy"));
        List<String> commands = run(program(), "--help")
                .output()
                .lines()
                .filter(line -> line.matches("  [a-z][a-z-]+ .*"))
                .map(line -> line.strip().split(" ")[0])
                .toList();
        assertThat(commands).contains("run", "check");
        for (String command : commands) {
            assertThat(manual.replace("\\-", "-")).contains(".B " + command);
            assertThat(completion).contains(command);
        }
    }

    @Test
    void theUnitPassesSystemdsChecks() throws Exception {
        assumeTrue(onPath("systemd-analyze"), "systemd-analyze is not installed");
        Path unit = root.resolve("usr/lib/systemd/system/understudy.service");
        // The paths in the unit are those of an installed package: `verify` looks for them in this root.
        Path verified = root.resolve("understudy.service");
        Files.writeString(
                verified, Files.readString(unit).replace("ExecStart=/usr/bin/understudy", "ExecStart=" + program()));
        Ended verify = run("systemd-analyze", "verify", "--man=no", verified.toString());
        assertThat(verify.output().lines().filter(line -> line.contains("understudy.service")))
                .isEmpty();
        assertThat(verify.code()).as(verify.output()).isZero();
        Ended security = run("systemd-analyze", "security", "--offline=true", "--threshold=30", unit.toString());
        assertThat(security.code()).as(security.output()).isZero();
    }

    /** An instance of it listens while the service restarts. */
    @Test
    void theUnitIsATemplateToo() throws Exception {
        Path units = root.resolve("usr/lib/systemd/system");
        assertThat(units.resolve("understudy@.service")).hasSameTextualContentAs(units.resolve("understudy.service"));
    }

    @Test
    void runsMirrorsReportsToSystemdAndStops() throws Exception {
        assumeTrue(onPath("python3"), "python3, which plays systemd's socket, is not installed");
        try (EmbeddedPair pair = EmbeddedPair.start(PairOptions.defaults().withSemiSync(false))) {
            MirroredPair.prepare(pair);
            Path config = Files.writeString(root.resolve("run.yaml"), """
                    listen: { address: "127.0.0.1:0" }
                    primary:
                      address: 127.0.0.1:%d
                      monitor: { user: understudy, password: "${env:SECRET}" }
                    standbys:
                      - { name: s1, address: "127.0.0.1:%d", user: understudy_mirror, password: "${env:SECRET}" }
                    admin: { address: "127.0.0.1:0" }
                    plugins: { mirror: { rules: [ { name: all, sample: 100%% } ] } }
                    """.formatted(
                            pair.primary().port(), pair.standby().port()));
            Path notified = root.resolve("notified.log");
            Path socket = root.resolve("notify.sock");
            Process manager = new ProcessBuilder("python3", "-uc", """
                    import socket, sys
                    s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
                    s.bind(sys.argv[1])
                    while True: print(s.recv(4096).decode(), end='')
                    """, socket.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(notified.toFile())
                    .start();
            await().until(() -> Files.exists(socket));
            Path log = root.resolve("run.log");
            ProcessBuilder builder = new ProcessBuilder(program(), "run", "-c", config.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile());
            builder.environment().put("SECRET", MirrorProxy.PASSWORD);
            builder.environment().put("NOTIFY_SOCKET", socket.toString());
            Process proxy = builder.start();
            try {
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> Files.readString(notified).contains("READY=1"));
                int port = Integer.parseInt(find(LISTENS, log));
                URI metrics = URI.create("http://127.0.0.1:" + find(ADMIN, log) + "/metrics");
                await().atMost(Duration.ofSeconds(60))
                        .ignoreExceptionsInstanceOf(SQLException.class)
                        .untilAsserted(() -> {
                            read(port);
                            assertThat(get(metrics)).as(Files.readString(log)).containsPattern(MIRRORED);
                        });
                assertThat(get(metrics)).containsPattern("understudy_build_info\\{commit=\"[^\"$]+\",version=\"[0-9]");
                proxy.destroy();
                assertThat(proxy.waitFor(60, TimeUnit.SECONDS)).isTrue();
                assertThat(proxy.exitValue()).as(Files.readString(log)).isZero();
                await().until(() -> Files.readString(notified).contains("STOPPING=1"));
            } finally {
                proxy.destroyForcibly();
                manager.destroyForcibly();
            }
        }
    }

    private static String find(Pattern pattern, Path log) throws IOException {
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

    private static String get(URI uri) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }
}
