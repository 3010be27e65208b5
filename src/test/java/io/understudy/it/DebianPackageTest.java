package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.PairOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The .deb that this build made, unpacked into a clean root: its program checks, runs, mirrors a query and stops; its
 * unit passes systemd's own checks. Skipped where the build made none ({@code -Dquick}) or the tools are absent.
 */
@Timeout(180)
@Tag("long")
class DebianPackageTest {
    private static final Path TARGET = Path.of("../../proxy-cli/app/target");

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

    /** What postinst prints, as root types it. */
    @Test
    void commandsReadTheInstalledPasswords() throws Exception {
        Path environment = root.resolve("etc/understudy/understudy.env");
        String installed = Files.readString(environment);
        String config = root.resolve("etc/understudy/understudy.yaml").toString();
        try {
            assertThat(run(program(), "check", "-c", config).output()).contains("UNDERSTUDY_PASSWORD is not set");
            Files.writeString(environment, installed.replace("PASSWORD=", "PASSWORD=a$b"));
            Ended ended = run(program(), "check", "-c", config);
            assertThat(ended.code()).as(ended.output()).isZero();
        } finally {
            Files.writeString(environment, installed);
        }
    }

    @Test
    void configurationAndSecretsAreNotReadableByOthers() throws Exception {
        for (String file : List.of("understudy.yaml", "understudy.env")) {
            assertThat(Files.getPosixFilePermissions(root.resolve("etc/understudy/" + file)))
                    .doesNotContain(java.nio.file.attribute.PosixFilePermission.OTHERS_READ);
        }
    }

    @Test
    void linksOfTheDocumentsResolve() throws Exception {
        Path home = root.resolve("usr/share/understudy");
        Pattern link = Pattern.compile("\\]\\(([^)#:\\s]+)");
        int links = 0;
        try (Stream<Path> files = Files.walk(home)) {
            for (Path page :
                    files.filter(file -> file.toString().endsWith(".md")).toList()) {
                Matcher found = link.matcher(
                        DocsTest.BLOCK.matcher(Files.readString(page)).replaceAll(""));
                while (found.find()) {
                    assertThat(page.resolveSibling(found.group(1)))
                            .as("in " + home.relativize(page))
                            .exists();
                    links++;
                }
            }
        }
        assertThat(links).isGreaterThan(100);
        assertThat(home.resolve("docs/plugin/target")).doesNotExist();
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
            Path config = Files.writeString(root.resolve("run.yaml"), PackagedProxy.config(pair));
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
            ProcessBuilder command = new ProcessBuilder(program(), "run", "-c", config.toString());
            command.environment().put("NOTIFY_SOCKET", socket.toString());
            try (PackagedProxy proxy = PackagedProxy.start(command, root.resolve("run.log"))) {
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> Files.readString(notified).contains("READY=1"));
                proxy.awaitMirroredQuery();
                assertThat(proxy.metrics())
                        .containsPattern("understudy_build_info\\{commit=\"[^\"$]+\",version=\"[0-9]");
                proxy.stop();
                await().until(() -> Files.readString(notified).contains("STOPPING=1"));
            } finally {
                manager.destroyForcibly();
            }
        }
    }
}
