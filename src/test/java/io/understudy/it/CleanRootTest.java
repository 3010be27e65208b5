package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.PairOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * The life of the .deb that this build made, in a Debian that has nothing else: installed by apt, run, upgraded,
 * removed, purged. For root, with debootstrap and Debian's mirror: {@code -Dunderstudy.it.cleanRoot=true}, or the
 * folder of such a system in place of {@code true}.
 */
@EnabledIfSystemProperty(named = "understudy.it.cleanRoot", matches = ".+")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(1800)
class CleanRootTest {
    private static final Path TARGET = DocsTest.ROOT.resolve("proxy-cli/app/target");
    private static final String FILE = "/etc/understudy/understudy.yaml";

    @TempDir
    static Path temporary;

    private static CleanRoot root;

    @BeforeAll
    static void debian() throws Exception {
        root = CleanRoot.debian(temporary.resolve("root"), System.getProperty("understudy.it.cleanRoot", ""));
        try (Stream<Path> files = Files.list(TARGET)) {
            Path deb = files.filter(file -> file.toString().endsWith("_all.deb"))
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException("this build made no package"));
            Files.copy(deb, root.at("understudy.deb"));
        }
    }

    private static void succeeds(String... words) throws IOException, InterruptedException {
        CleanRoot.Ended ended = root.run(words);
        assertThat(ended.code())
                .as(String.join(" ", words) + ": " + ended.output())
                .isZero();
    }

    private static void install(String deb) throws IOException, InterruptedException {
        succeeds("apt-get", "install", "-y", "-q", "--no-install-recommends", deb);
    }

    @Test
    @Order(1)
    void aptInstallsItWithWhatItNeeds() throws Exception {
        root.pretendSystemd();
        install("/understudy.deb");
        assertThat(root.systemctlCalls()).as("neither enabled nor started").containsOnly("daemon-reload");
        assertThat(root.run("understudy", "--version").output()).startsWith("understudy ");
        assertThat(root.run("stat", "-c", "%U:%G %a", FILE, "/etc/understudy/understudy.env")
                        .output())
                .isEqualTo("root:understudy 640\nroot:root 600\n");
    }

    @Test
    @Order(2)
    void systemdAcceptsTheUnitAmongTheInstalledOnes() throws Exception {
        for (String unit : List.of("understudy.service", "understudy@next.service")) {
            CleanRoot.Ended verify =
                    CleanRoot.run(List.of("systemd-analyze", "verify", "--man=no", "--root=" + root.folder(), unit));
            assertThat(verify.code()).as(verify.output()).isZero();
        }
        CleanRoot.Ended security = CleanRoot.run(List.of(
                "systemd-analyze",
                "security",
                "--offline=true",
                "--threshold=30",
                "--root=" + root.folder(),
                "understudy.service"));
        assertThat(security.code()).as(security.output()).isZero();
    }

    @Test
    @Order(3)
    void itsUserChecksRunsAndMirrors() throws Exception {
        try (EmbeddedPair pair = EmbeddedPair.start(PairOptions.defaults().withSemiSync(false))) {
            MirroredPair.prepare(pair);
            // Written over, as an editor does: owner and mode stay.
            Files.writeString(root.at(FILE.substring(1)), PackagedProxy.config(pair));
            List<String> check = root.command(
                    "understudy:understudy",
                    "env",
                    "SECRET=" + MirrorProxy.PASSWORD,
                    "understudy",
                    "check",
                    "-c",
                    FILE);
            CleanRoot.Ended checked = CleanRoot.run(check);
            assertThat(checked.code()).as(checked.output()).isZero();

            long begun = System.nanoTime();
            try (PackagedProxy proxy = PackagedProxy.start(
                    new ProcessBuilder(root.command("understudy:understudy", "understudy", "run", "-c", FILE)),
                    temporary.resolve("run.log"))) {
                proxy.awaitMirroredQuery();
                System.out.printf("start to the first mirrored query: %.1f s%n", (System.nanoTime() - begun) / 1e9);
                proxy.stop();
            }
        }
    }

    /** With listen.reusePort an instance of the new version has the port while the service restarts. */
    @Test
    @Order(4)
    void anUpgradeKeepsTheFileAndTakesOver() throws Exception {
        Path file = root.at(FILE.substring(1));
        Files.writeString(file, Files.readString(file).replace("listen: {", "listen: { reusePort: true,"));
        String edited = Files.readString(file);
        succeeds("dpkg-deb", "-R", "/understudy.deb", "/next");
        succeeds("sed", "-i", "s/^Version: .*/Version: 99/", "/next/DEBIAN/control");
        succeeds("dpkg-deb", "-b", "/next", "/next.deb");
        install("/next.deb");
        assertThat(Files.readString(file)).isEqualTo(edited);
        assertThat(root.run("stat", "-c", "%U:%G %a", FILE).output()).isEqualTo("root:understudy 640\n");
        assertThat(root.systemctlCalls())
                .containsSubsequence(
                        "start understudy@next.service",
                        "try-restart understudy.service",
                        "stop understudy@next.service")
                .noneMatch(call -> call.contains("disable"));
    }

    @Test
    @Order(5)
    void removalStopsInstancesToo() throws Exception {
        succeeds("apt-get", "remove", "-y", "-q", "understudy");
        assertThat(root.systemctlCalls())
                .contains("--quiet stop understudy@*.service", "--quiet disable --now understudy.service");
        assertThat(root.at("etc/understudy/understudy.yaml")).exists();
        assertThat(root.at("usr/share/understudy")).doesNotExist();
        assertThat(root.run("sh", "-c", "command -v understudy").code()).isNotZero();
    }

    @Test
    @Order(6)
    void purgeLeavesNothingButTheUser() throws Exception {
        Files.createDirectories(root.at("var/lib/understudy/capture"));
        succeeds("apt-get", "purge", "-y", "-q", "understudy");
        assertThat(root.at("etc/understudy")).doesNotExist();
        assertThat(root.at("var/lib/understudy")).doesNotExist();
        assertThat(root.at("usr/lib/systemd/system/understudy.service")).doesNotExist();
        // Debian's packages leave their users: a number that is given again would own old files.
        assertThat(root.run("getent", "passwd", "understudy").code()).isZero();
    }

    /**
     * The image that {@code -Pimage} made, with a base that has a shell and a Java runtime ({@code -Dimage.base}), run
     * as its own user with its own command.
     */
    @Test
    @Order(7)
    void theImageRuns() throws Exception {
        Path tar = TARGET.resolve("understudy-image.tar");
        assumeTrue(Files.exists(tar), "this build made no image");
        CleanRoot image = new CleanRoot(Files.createDirectories(temporary.resolve("image")));
        CleanRoot.Ended unpacked = CleanRoot.run(
                List.of("sh", "-ec", """
                mkdir "$2/parts" && tar -C "$2/parts" -xf "$1"
                for layer in $(sed 's/.*"Layers":\\[\\([^]]*\\)\\].*/\\1/; s/[",]/ /g' "$2/parts/manifest.json"); do
                    tar -C "$2" -xf "$2/parts/$layer"
                done
                """, "sh", tar.toString(), image.folder().toString()));
        assertThat(unpacked.code()).as(unpacked.output()).isZero();
        assumeTrue(Files.exists(image.at("bin/sh")), "the image's base is empty");
        Map<?, ?> config = ImageConfig.read(image.at("parts"));
        assertThat(config.get("User")).isEqualTo("10001:10001");
        try (EmbeddedPair pair = EmbeddedPair.start(PairOptions.defaults().withSemiSync(false))) {
            MirroredPair.prepare(pair);
            Files.createDirectories(image.at("etc/understudy"));
            Files.writeString(image.at("etc/understudy/understudy.yaml"), PackagedProxy.config(pair));
            try (PackagedProxy proxy = PackagedProxy.start(
                    new ProcessBuilder(image.command("10001:10001", ImageConfig.command(config))),
                    temporary.resolve("image.log"))) {
                proxy.awaitMirroredQuery();
                assertThat(proxy.metrics()).contains("understudy_build_info{");
                proxy.stop();
            }
        }
    }
}
