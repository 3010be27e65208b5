package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.understudy.config.ConfigLoader;
import io.understudy.host.PluginTypes;
import io.understudy.remote.AdminClient;
import io.understudy.runtime.RunningProxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a reload says of certificates that it cannot use, or not everywhere: it holds until it is true no more. */
@Timeout(60)
class CertificateReloadTest {
    private static final String TOKEN = "a-token-of-fair-length";

    private String file = "";

    private static AdminClient admin(RunningProxy proxy) {
        return new AdminClient(
                "127.0.0.1:" + Objects.requireNonNull(proxy.adminAddress()).getPort(), TOKEN);
    }

    private static double gauge(RunningProxy proxy, String name) {
        return Objects.requireNonNull(proxy.registry().find(name).gauge()).value();
    }

    /** A certificate without its key, as half way through a renewal. */
    @Test
    void certificatesThatCannotBeUsedAreAFailureUntilTheyCan(@TempDir Path folder) throws Exception {
        X509Bundle one = certificate();
        X509Bundle other = certificate();
        Path pem = Files.writeString(folder.resolve("p.pem"), one.getCertificatePEM());
        Path key = Files.writeString(folder.resolve("p.key"), one.getPrivateKeyPEM());
        PluginTypes plugins = PluginTypes.installed();
        RunningProxy.Reloader reloader = () -> ConfigLoader.load(file, "test.yaml", plugins.records(), name -> name);
        file = """
                listen: { address: "127.0.0.1:0", tls: { mode: optional, certificate: '%s', key: '%s' } }
                primary: { address: "127.0.0.1:1", tls: { mode: disabled } }
                admin: { address: "127.0.0.1:0", token: %s }
                """.formatted(pem, key, TOKEN);
        try (RunningProxy proxy = RunningProxy.start(reloader.load(), plugins, reloader)) {
            AdminClient admin = admin(proxy);
            Files.writeString(pem, other.getCertificatePEM());
            assertThat(String.valueOf(admin.act("reload").get("notApplied"))).contains("stay in use");
            assertThat(gauge(proxy, "understudy.config.last.reload.failed")).isEqualTo(1);

            Files.writeString(key, other.getPrivateKeyPEM());
            admin.act("reload");
            assertThat(gauge(proxy, "understudy.config.last.reload.failed")).isZero();
        }
    }

    /** New sessions have them, the connections of the proxy itself have not. */
    @Test
    void otherAuthoritiesOfThePrimaryWaitForARestart(@TempDir Path folder) throws Exception {
        Path first = Files.writeString(folder.resolve("a.pem"), certificate().getCertificatePEM());
        Path second = Files.writeString(folder.resolve("b.pem"), certificate().getCertificatePEM());
        PluginTypes plugins = PluginTypes.installed();
        RunningProxy.Reloader reloader = () -> ConfigLoader.load(file, "test.yaml", plugins.records(), name -> name);
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

    private static X509Bundle certificate() throws Exception {
        return new CertificateBuilder()
                .ecp256()
                .subject("CN=127.0.0.1")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
    }
}
