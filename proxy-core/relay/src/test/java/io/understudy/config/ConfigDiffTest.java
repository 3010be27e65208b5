package io.understudy.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ConfigDiffTest {

    private static final String BASE = """
            primary: { address: "p:1", monitor: { user: u, password: one } }
            standbys: [{ name: s, address: "s:1", user: u }]
            listen: { tls: { mode: required, certificate: a.pem, key: a.key } }
            admin: { token: "${env:TOKEN}" }
            plugins: { sample: { concurrency: 3 } }
            """;

    private static ConfigDiff diff(String from, String to) throws ConfigException {
        assertThat(BASE).contains(from);
        return ConfigDiff.between(ConfigTexts.text(BASE), ConfigTexts.text(BASE.replace(from, to)));
    }

    static Stream<Arguments> changes() {
        String listen = "listen: { ";
        return Stream.of(
                arguments(
                        "primary:",
                        "transport: nio\nprimary:",
                        "transport changed from auto to nio: takes effect after a restart"),
                arguments(
                        listen,
                        listen + "address: [\"h:1\", \"h:2\"], ",
                        "listen.address changed from [127.0.0.1:3307] to [h:1, h:2]: takes effect after a restart"),
                arguments(
                        listen,
                        listen + "maxConnections: 5, ",
                        "listen.maxConnections changed from 10000 to 5: takes effect now"),
                arguments(
                        "mode: required",
                        "mode: optional",
                        "listen.tls.mode changed from required to optional: takes effect after a restart"),
                arguments(
                        listen,
                        listen + "compression: zlib, ",
                        "listen.compression changed from [zlib, zstd] to [zlib]: takes effect after a restart"),
                arguments("p:1", "p:2", "primary.address changed from p:1 to p:2: takes effect now"),
                arguments("one", "two", "primary.monitor.password changed: takes effect now"),
                arguments(
                        ", monitor: { user: u, password: one }",
                        "",
                        "primary.monitor changed from a section to nothing: takes effect after a restart"),
                arguments(
                        "p:1\"",
                        "p:1\", tls: { mode: verify-ca }",
                        "primary.tls.mode changed from preferred to verify-ca: takes effect after a restart"),
                arguments("s:1", "s:2", "standbys[0].address changed from s:1 to s:2: takes effect after a restart"),
                arguments(
                        "}]",
                        "}, { name: t, address: \"t:1\", user: u }]",
                        "standbys changed from 1 entry to 2 entries: takes effect after a restart"),
                arguments("${env:TOKEN}", "another-token-of-fair-length", "admin.token changed: takes effect now"),
                arguments(
                        "admin: { ",
                        "admin: { address: \"h:1\", ",
                        "admin.address changed from 127.0.0.1:9307 to h:1: takes effect after a restart"),
                arguments(
                        "primary:",
                        "limits: { drainTimeout: 1m }\nprimary:",
                        "limits.drainTimeout changed from 30s to 1m: takes effect now"),
                arguments(
                        "concurrency: 3",
                        "concurrency: 4",
                        "plugins.sample.concurrency changed from 3 to 4: takes effect now"),
                arguments(
                        "concurrency: 3", "enabled: false", "plugins.sample changed from on to off: takes effect now"),
                arguments(
                        "plugins: { ",
                        "plugins: { other-sample: , ",
                        "plugins.other-sample changed from off to on: takes effect now"));
    }

    @ParameterizedTest
    @MethodSource("changes")
    void reportsChangesAndTheirEffect(String from, String to, String expected) throws ConfigException {
        ConfigDiff diff = diff(from, to);
        assertThat(diff.changes()).singleElement().hasToString(expected);
        assertThat(diff.live()).hasSize(expected.endsWith("now") ? 1 : 0);
        assertThat(diff.afterRestart()).hasSize(expected.endsWith("now") ? 0 : 1);
    }

    @Test
    void certificatesChangeLive() throws ConfigException {
        ConfigDiff diff = diff("certificate: a.pem, key: a.key", "certificate: b.pem, key: b.key");
        assertThat(diff.live().stream().map(ConfigDiff.Change::path))
                .containsExactly("listen.tls.certificate", "listen.tls.key");
        assertThat(diff.afterRestart()).isEmpty();
    }

    @Test
    void authoritiesChangeLive() throws ConfigException {
        ConfigDiff clients = diff("mode: required", "mode: required, clientCa: ca.pem, requireClientCertificate: true");
        assertThat(clients.live().stream().map(ConfigDiff.Change::path))
                .containsExactly("listen.tls.clientCa", "listen.tls.requireClientCertificate");
        ConfigDiff server = diff("p:1\"", "p:1\", tls: { ca: ca.pem }");
        assertThat(server.live().stream().map(ConfigDiff.Change::path)).containsExactly("primary.tls.ca");
    }

    /** An authority is for the mode beside it, a password for the server beside it. */
    @Test
    void whatBelongsTogetherWaitsTogether() throws ConfigException {
        ConfigDiff tls = diff("p:1\"", "p:1\", tls: { mode: verify-ca, ca: ca.pem }");
        assertThat(tls.live()).isEmpty();
        ConfigDiff account = diff("s:1\", user: u", "s:2\", user: v");
        assertThat(account.afterRestart().stream().map(ConfigDiff.Change::path))
                .containsExactly("standbys[0].address", "standbys[0].user");
        // Also where the file had the new server before, and gets its account now.
        LoadedConfig started = ConfigTexts.text(BASE);
        LoadedConfig moved = ConfigTexts.text(BASE.replace("s:1", "s:2"));
        LoadedConfig both = ConfigTexts.text(BASE.replace("s:1\", user: u", "s:2\", user: v"));
        assertThat(ConfigDiff.between(moved, both, started).live()).isEmpty();
        assertThat(ConfigDiff.between(moved, both, moved).live()).hasSize(1);
    }

    /** The proxy logs in with it at once. */
    @Test
    void aNewPasswordBesideANewStandbyIsSaid() throws ConfigException {
        String standby = "{ name: other, address: \"o:1\", user: u }, ";
        LoadedConfig started = ConfigTexts.text(BASE);
        LoadedConfig more = ConfigTexts.text(BASE.replace("standbys: [", "standbys: [" + standby));
        LoadedConfig both = ConfigTexts.text(
                BASE.replace("standbys: [", "standbys: [" + standby).replace("s:1\", user: u", "s:1\", user: v"));
        for (ConfigDiff diff :
                List.of(ConfigDiff.between(started, both, started), ConfigDiff.between(more, both, started))) {
            assertThat(diff.live()).extracting(ConfigDiff.Change::path).containsExactly("standbys[1].user");
        }
        assertThat(ConfigDiff.between(started, both, started).afterRestart())
                .extracting(ConfigDiff.Change::path)
                .containsExactly("standbys");
        // Another address beside it: both wait.
        LoadedConfig moved = ConfigTexts.text(
                BASE.replace("standbys: [", "standbys: [" + standby).replace("s:1\", user: u", "s:2\", user: v"));
        assertThat(ConfigDiff.between(started, moved, started).live()).isEmpty();
    }

    /** Neither does what waited for it. */
    @Test
    void whatIsUndoneWaitsForNoRestart() throws ConfigException {
        LoadedConfig started = ConfigTexts.text(BASE);
        LoadedConfig moved = ConfigTexts.text(BASE.replace("s:1", "s:2"));
        assertThat(ConfigDiff.between(moved, started, started).afterRestart()).isEmpty();
        assertThat(ConfigDiff.between(moved, started, started).changes())
                .as("the process had it all the time")
                .extracting(ConfigDiff.Change::sentence)
                .containsExactly("standbys[0].address is s:1 again, as it was all the time: it waits for no restart any"
                        + " more");
        LoadedConfig both = ConfigTexts.text(BASE.replace("s:1\", user: u", "s:2\", user: v"));
        LoadedConfig back = ConfigTexts.text(BASE.replace("s:1\", user: u", "s:1\", user: v"));
        assertThat(ConfigDiff.between(both, back, started).live().stream().map(ConfigDiff.Change::sentence))
                .containsExactly(
                        "standbys[0].address is s:1 again, as it was all the time: it waits for no restart any more",
                        "standbys[0].user changed from u to v: takes effect now");
    }

    /** Values are compared by their origin, not by their content. */
    @Test
    void aSubstitutedValueIsNotShown() throws ConfigException {
        assertThat(diff("p:1", "p:${env:NUMBER}").changes())
                .extracting(ConfigDiff.Change::sentence)
                .containsExactly("primary.address changed from p:1 to ***: takes effect now");
        assertThat(diff(
                                "listen: { ",
                                "listen: { maxConnections: \"${env:NUMBER}\", trustedNetworks: [],"
                                        + " address: [\"h:${env:NUMBER}\", \"h:1\"], ")
                        .toString())
                .contains("listen.maxConnections", "listen.address")
                .doesNotContain("42");
        assertThat(diff("concurrency: 3", "concurrency: \"${env:NUMBER}\"").toString())
                .doesNotContain("42");
        assertThat(diff("}]", "}, { name: t, address: \"t:1\", user: u, password: \"${env:WORD}\" }]")
                        .changes())
                .extracting(ConfigDiff.Change::sentence)
                .containsExactly("standbys changed from 1 entry to 2 entries: takes effect after a restart");
    }

    @Test
    void commentsOrderAndSpellingAreNoChange() throws ConfigException {
        ConfigDiff diff = ConfigDiff.between(
                ConfigTexts.text(BASE),
                ConfigTexts.text("# moved\ntransport: AUTO\nlimits: { drainTimeout: 30000ms }\n" + BASE));
        assertThat(diff.changes()).isEmpty();
    }
}
