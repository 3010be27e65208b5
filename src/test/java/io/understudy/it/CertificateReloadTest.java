package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.understudy.config.ConfigLoader;
import io.understudy.host.PluginTypes;
import io.understudy.remote.AdminClient;
import io.understudy.runtime.RunningProxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a reload does with certificates that it cannot use, or not everywhere, and what it says until it can. */
@Timeout(60)
class CertificateReloadTest {
    private static final String TOKEN = "a-token-of-fair-length";

    @TempDir
    private Path folder;

    private final PluginTypes plugins = PluginTypes.installed();
    private String file = "";
    private final RunningProxy.Reloader reloader =
            () -> ConfigLoader.load(file, "test.yaml", plugins.records(), name -> name);

    private static AdminClient admin(RunningProxy proxy) {
        return new AdminClient(
                "127.0.0.1:" + Objects.requireNonNull(proxy.adminAddress()).getPort(), TOKEN);
    }

    private static double gauge(RunningProxy proxy, String name) {
        return Objects.requireNonNull(proxy.registry().find(name).gauge()).value();
    }

    private static double failed(RunningProxy proxy) {
        return gauge(proxy, "understudy.config.last.reload.failed");
    }

    private String keys(int limit, int primary) {
        return """
                listen: { address: "127.0.0.1:0", maxConnections: %d,
                          tls: { mode: optional, certificate: '%s', key: '%s' } }
                primary: { address: "127.0.0.1:%d", tls: { mode: disabled } }
                admin: { address: "127.0.0.1:0", token: %s }
                """.formatted(limit, folder.resolve("p.pem"), folder.resolve("p.key"), primary, TOKEN);
    }

    private static String runs(RunningProxy proxy) {
        return proxy.proxy().registry().limit() + " at "
                + proxy.proxy().primaryView().get("address") + " by "
                + proxy.proxy().configuration().current().config().listen().maxConnections();
    }

    /** A certificate without its key, as half way through a renewal: the other changes of the file wait for it. */
    @Test
    void aCertificateThatCannotBeUsedLeavesAllAsItWas() throws Exception {
        X509Bundle other = certificate();
        store("p", certificate());
        file = keys(10, 1);
        try (RunningProxy proxy = RunningProxy.start(reloader.load(), plugins, reloader)) {
            AdminClient admin = admin(proxy);
            Files.writeString(folder.resolve("p.pem"), other.getCertificatePEM());
            file = keys(20, 2);
            Map<String, Object> response = admin.act("reload");
            assertThat(response.get("applied")).isEqualTo(false);
            assertThat(String.valueOf(response.get("problems"))).contains("p.pem", "p.key");
            assertThat(runs(proxy)).isEqualTo("10 at 127.0.0.1:1 by 10");
            assertThat(failed(proxy)).isEqualTo(1);

            store("p", other);
            assertThat(admin.act("reload").get("applied")).isEqualTo(true);
            assertThat(runs(proxy)).isEqualTo("20 at 127.0.0.1:2 by 20");
            assertThat(failed(proxy)).isZero();
        }
    }

    /** Nobody reloads again: the watcher knows the files of a configuration that was refused for its certificate. */
    @Test
    void aFileThatWasRefusedForItsCertificateIsTriedAgainWhenThatChanges() throws Exception {
        store("p", certificate());
        store("next", certificate());
        Path yaml = Files.writeString(folder.resolve("understudy.yaml"), keys(10, 1));
        RunningProxy.Reloader fromFile = () -> ConfigLoader.load(yaml, plugins.records());
        try (RunningProxy proxy = RunningProxy.start(fromFile.load(), plugins, fromFile)) {
            Files.writeString(folder.resolve("next.key"), certificate().getPrivateKeyPEM());
            Files.writeString(yaml, keys(20, 1).replace("/p.", "/next."));
            await().atMost(Duration.ofSeconds(50)).until(() -> failed(proxy) == 1);
            assertThat(runs(proxy)).startsWith("10 at");
            store("next", certificate());
            await().atMost(Duration.ofSeconds(50)).until(() -> failed(proxy) == 0);
            assertThat(runs(proxy)).startsWith("20 at");
        }
    }

    /** New sessions have them, the connections of the proxy itself have not. */
    @Test
    void otherAuthoritiesOfThePrimaryWaitForARestart() throws Exception {
        Path first = Files.writeString(folder.resolve("a.pem"), certificate().getCertificatePEM());
        Path second = Files.writeString(folder.resolve("b.pem"), certificate().getCertificatePEM());
        String text = """
                listen: { address: "127.0.0.1:0" }
                primary:
                  address: "127.0.0.1:1"
                  tls: { mode: verify-ca, ca: '%s' }
                  monitor: { user: understudy, password: secret }
                admin: { address: "127.0.0.1:0", token: %s }
                """;
        file = text.formatted(first, TOKEN);
        try (RunningProxy proxy = RunningProxy.start(reloader.load(), plugins, reloader)) {
            AdminClient admin = admin(proxy);
            file = text.formatted(second, TOKEN);
            Map<String, Object> response = admin.act("reload");
            assertThat(String.valueOf(response.get("notApplied"))).contains("after a restart");
            assertThat(gauge(proxy, "understudy.config.restart.pending")).isEqualTo(1);
            assertThat(String.valueOf(admin.view("config").get("pending"))).contains("primary.tls.ca");
            file = text.formatted(first, TOKEN);
            admin.act("reload");
            assertThat(gauge(proxy, "understudy.config.restart.pending")).isZero();
        }
    }

    private void store(String name, X509Bundle one) throws Exception {
        Files.writeString(folder.resolve(name + ".pem"), one.getCertificatePEM());
        Files.writeString(folder.resolve(name + ".key"), one.getPrivateKeyPEM());
    }

    private static X509Bundle certificate() throws Exception {
        return new CertificateBuilder()
                .ecp256()
                .subject("CN=127.0.0.1")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
    }
}
