package io.understudy.config;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.base.Secret;
import io.understudy.config.bind.problem.Problem;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests substitution. Substituted values and values in the place of a secret never appear in messages. */
class SecretsTest {

    private static final String OK = "primary: { address: \"p:1\" }\n";

    private static Secret password(String yaml) throws ConfigException {
        MonitorConfig monitor = ConfigTexts.text(
                        "primary: { address: \"p:1\", monitor: { user: u, password: " + yaml + " } }")
                .config()
                .primary()
                .monitor();
        return monitor == null ? Secret.parse("none") : monitor.password();
    }

    @Test
    void substitutesInsideATextToo() throws ConfigException {
        assertThat(password("\"${env:PASSWORD}\"").reveal()).isEqualTo("hunter2-from-outside");
        assertThat(password("\"a${env:NUMBER}b${env:EMPTY}c\"").reveal()).isEqualTo("a42bc");
        assertThat(password("\"$${env:NUMBER} $ $$ {}\"").reveal()).isEqualTo("${env:NUMBER} $ $$ {}");
        assertThat(password("\"${env:EMPTY}\"").reveal()).isEmpty();
    }

    @Test
    void substitutedTextIsNotSubstitutedAgain() throws ConfigException {
        LoadedConfig loaded = ConfigLoader.load(
                "primary: { address: \"p:1\" }\nadmin: { token: \"${env:A}\" }",
                "t",
                Map.of(),
                Map.of("A", "${env:B}", "B", "no")::get);
        assertThat(loaded.config().admin().token()).isEqualTo(Secret.parse("${env:B}"));
    }

    @Test
    void numbersDurationsAndAddressesCanBeSubstituted() throws ConfigException {
        UnderstudyConfig config = ConfigTexts.text("""
                        primary: { address: "p:${env:NUMBER}", connectTimeout: "${env:NUMBER}s" }
                        listen: { maxConnections: "${env:NUMBER}" }
                        """).config();
        assertThat(config.primary().address()).hasToString("p:42");
        assertThat(config.primary().connectTimeout()).hasSeconds(42);
        assertThat(config.listen().maxConnections()).isEqualTo(42);
    }

    @Test
    void allMissingVariablesAreReported() {
        assertThat(ConfigTexts.headlines(OK + """
                        admin: { token: "${env:NOPE}${env:NUMBER}" }
                        transport: "${env}"
                        limits: { drainTimeout: "${env:NUMBER" }
                        """))
                .containsExactly(
                        "test.yaml:2:17: the environment variable NOPE is not set",
                        "test.yaml:3:12: unknown substitution '${env}'; there are ${env:NAME} and ${file:PATH}, and"
                                + " $${ is a"
                                + " literal ${",
                        "test.yaml:4:25: '${' is not closed; write $${ for a literal ${");
    }

    @Test
    void filesAreRelativeToTheConfigurationAndLoseOneNewline(@TempDir Path directory) throws Exception {
        Files.createDirectories(directory.resolve("secrets"));
        Path secret = Files.writeString(directory.resolve("secrets/token"), "a-token-of-fair-length\n\n");
        Path config = Files.writeString(
                directory.resolve("understudy.yaml"), OK + "admin: { token: \"${file:secrets/token}\" }");
        LoadedConfig loaded = ConfigLoader.load(config, Map.of());
        assertThat(loaded.config().admin().token()).isEqualTo(Secret.parse("a-token-of-fair-length\n"));
        assertThat(loaded.files()).containsExactlyInAnyOrder(config, secret);

        Files.delete(secret);
        assertThat(problem(config)).isEqualTo(config + ":2:17: the file " + secret + " does not exist");
        Files.write(secret, new byte[] {(byte) 0xff, (byte) 0xfe});
        assertThat(problem(config)).isEqualTo(config + ":2:17: the file " + secret + " is not UTF-8 text");
        Files.write(secret, new byte[70_000]);
        assertThat(problem(config)).endsWith(" is larger than 64KiB");
    }

    @Test
    void certificatesMustExistAndAreWatched(@TempDir Path directory) throws Exception {
        Path config = Files.writeString(
                directory.resolve("understudy.yaml"),
                OK + "listen:\n  tls: { mode: required, certificate: c.pem, key: k.pem }");
        Path certificate = directory.resolve("c.pem");
        Path key = Files.writeString(directory.resolve("k.pem"), "key");
        assertThat(problem(config))
                .isEqualTo(config + ":3:39: listen.tls.certificate: the file " + certificate + " does not exist");
        Files.writeString(certificate, "certificate");
        assertThat(ConfigLoader.load(config, Map.of()).files()).containsExactlyInAnyOrder(config, certificate, key);
    }

    @Test
    void anUnreadableFileIsReported(@TempDir Path directory) throws Exception {
        Path config = directory.resolve("understudy.yaml");
        assertThat(problem(config)).isEqualTo(config + ": does not exist; give another one with -c");
        Files.write(config, "x: \u00fc".getBytes(StandardCharsets.ISO_8859_1));
        assertThat(problem(config)).isEqualTo(config + ": is not UTF-8 text; give another one with -c");
        Files.write(config, new byte[ConfigLoader.MAX_BYTES + 1]);
        assertThat(problem(config)).isEqualTo(config + ": is larger than 1MiB; give another one with -c");
        assertThat(problem(directory)).startsWith(directory + ": cannot be read");
    }

    /** To open one waits for its writer, which would keep the thread that reloads. */
    @Test
    void aPipeIsRefusedAndNotOpened(@TempDir Path directory) throws Exception {
        Path pipe = directory.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        assertThat(problem(pipe)).startsWith(pipe + ": is a pipe or a device");
        Path config =
                Files.writeString(directory.resolve("understudy.yaml"), OK + "admin: { token: \"${file:pipe}\" }");
        assertThat(problem(config)).startsWith(config + ":2:17: the file " + pipe + " is a pipe or a device");
    }

    private static String problem(Path config) {
        try {
            return "accepted: " + ConfigLoader.load(config, Map.of());
        } catch (ConfigException e) {
            assertThat(e.problems()).hasSize(1);
            return e.problems().get(0).headline();
        }
    }

    /** The manifests and older charts have it, so that it is no secret. */
    @Test
    void thePublishedTokenIsRefused(@TempDir Path directory) throws Exception {
        Path config = Files.writeString(
                directory.resolve("understudy.yaml"), OK + "admin: { token: change-me-to-32-hexadecimal-digits }");
        assertThat(problem(config)).contains("admin.token", "published example", "openssl rand");
    }

    @Test
    void nothingPrintsASecret() throws ConfigException {
        LoadedConfig loaded = ConfigTexts.text("""
                primary: { address: "p:1", monitor: { user: u, password: hunter2 } }
                standbys: { name: s, address: "s:1", user: u, password: "${env:WORD}" }
                admin: { token: "${env:TOKEN}" }
                plugins: { sample: { password: hunter2 } }
                """);
        assertThat(loaded.toString())
                .doesNotContain("hunter2", "swordfish", "a-token-of")
                .contains("password=***");
        assertThat(requireNonNull(loaded.config().plugins().get("sample"))
                        .node()
                        .toString())
                .doesNotContain("hunter2");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // Substituted values in the place of another type.
                "limits: { drainTimeout: \"${env:WORD}\" }",
                "limits: { statementBytes: \"${env:WORD}\" }",
                "transport: \"${env:WORD}\"",
                "listen: { maxConnections: \"${env:WORD}\" }",
                "listen: { address: \"${env:WORD}\" }",
                "listen: { trustedNetworks: \"${env:WORD}\" }",
                "standbys: { name: \"${env:WORD}!\", address: \"s:1\", user: u }",
                "plugins: { sample: { rate: \"${env:WORD}\" } }",
                "plugins: { sample: { strict: \"${env:WORD}\", factor: \"${env:WORD}\" } }",
                // Secrets written into the file, next to mistakes.
                "admin: { tokn: swordfish }",
                "admin: { token: swordfish, x: 1 }",
                "admin: { x: 1, token: swordfish }",
                "admin: { token: [swordfish] }",
                "admin: { token: { a: swordfish } }",
                "admin:\n  token: &swordfish a\n  token: *swordfish",
                "admin:\n  token: swordfish\n  token: swordfish",
                "admin: { token: *swordfish }",
                "admin: { token: !swordfish a }",
                "admin: { token: 'swordfish }",
                "admin: { token: swordfish",
                "admin:\n  token: swordfish: x",
                "admin:\n  token: @swordfish",
                "admin:\n  token: \"a\n    swordfish \\q\"",
                "adm: { pasword: swordfish }",
                "standbys: { name: s, address: x, user: u, password: swordfish }",
                "standbys: [{ nam: s, pssword: swordfish }]",
                "standbys: [{ passwort: swordfish }]",
                "unknown: swordfish",
                "plugins: { unknown: { key: swordfish } }",
                "plugins: { sample: { password: swordfish, concurrency: 0 } }",
            })
    void noProblemPrintsASecret(String text) {
        for (Problem problem : ConfigTexts.problems(OK + text)) {
            assertThat(problem.toString()).doesNotContain("swordfish");
        }
    }

    /** A value that is a substring of the message must not change the message. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "KiB", "expected", "found", "o"})
    void messagesDoNotDependOnASubstitutedValue(String value) {
        String text = OK + "limits: { statementBytes: 1B, handshakeTimeout: \"${env:VALUE}s\" }\n"
                + "admin: { token: \"${env:VALUE}\" }";
        try {
            ConfigLoader.load(text, "t", Map.of(), Map.of("VALUE", value)::get);
            throw new AssertionError("accepted");
        } catch (ConfigException e) {
            assertThat(e.problems().stream().map(Problem::headline))
                    .contains("t:2:27: limits.statementBytes: expected 1KiB to 16MiB but found 1B");
        }
    }

    @Test
    void aReasonShowsNoSubstitutedValue() throws Exception {
        try {
            ConfigLoader.load(
                    OK + "limits: { statementBytes: \"${env:VALUE}\" }", "t", Map.of(), Map.of("VALUE", "17B")::get);
            throw new AssertionError("accepted");
        } catch (ConfigException e) {
            assertThat(e.problems().stream().map(Problem::headline))
                    .containsExactly(
                            "t:2:27: limits.statementBytes: expected 1KiB to 16MiB but found what '${env:VALUE}'"
                                    + " stands for (not shown)");
        }
    }

    @Test
    void theExcerptStillShowsWhereASecretComesFrom() {
        assertThat(ConfigTexts.problems(OK + "admin: { token: \"${env:NOPE}\" }")
                        .get(0)
                        .excerpt())
                .isEqualTo("    admin: { token: \"${env:NOPE}\" }\n                    ^");
        assertThat(ConfigTexts.problems(OK + "admin: { token: swordfish, x: 1 }")
                        .get(0)
                        .excerpt())
                .isEqualTo("    admin: { token: ***\n                    ^");
    }
}
