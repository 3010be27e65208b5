package io.understudy.config;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.base.ByteSize;
import io.understudy.base.Secret;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Checks each documented default: a changed default changes the meaning of every existing file. */
class DefaultsTest {

    private final LoadedConfig loaded;
    private final UnderstudyConfig config;

    DefaultsTest() throws ConfigException {
        loaded = ConfigTexts.text("""
                primary: { address: "10.0.0.1:3306", monitor: { user: u } }
                standbys: { name: s, address: "10.0.0.2:3306", user: m }
                plugins:
                  sample:
                """);
        config = loaded.config();
    }

    @Test
    void transport() {
        assertThat(config.transport()).isEqualTo(Transport.AUTO);
    }

    @Test
    void listen() {
        ListenConfig listen = config.listen();
        assertThat(listen.address()).containsExactly(Address.parse("127.0.0.1:3307"));
        assertThat(listen.tls()).isEqualTo(new ListenTls(ListenTlsMode.DISABLED, null, null, null, false));
        assertThat(listen.compression()).containsExactly(Compression.ZLIB, Compression.ZSTD);
        assertThat(listen.proxyProtocol()).isEqualTo(AcceptProxyProtocol.DISABLED);
        assertThat(listen.trustedNetworks()).isEmpty();
        assertThat(listen.maxConnections()).isEqualTo(10_000);
    }

    @Test
    void primary() throws ConfigException {
        PrimaryConfig primary = config.primary();
        assertThat(primary.tls()).isEqualTo(new ServerTlsConfig(ServerTlsMode.PREFERRED, null, null, null));
        assertThat(primary.compression()).isEmpty();
        assertThat(primary.proxyProtocol()).isEqualTo(SendProxyProtocol.DISABLED);
        assertThat(primary.connectTimeout()).isEqualTo(Duration.ofSeconds(5));
        assertThat(primary.monitor()).isEqualTo(new MonitorConfig("u", Secret.parse("")));
        assertThat(ConfigTexts.text("primary: { address: a:1 }")
                        .config()
                        .primary()
                        .monitor())
                .isNull();
    }

    @Test
    void standbys() throws ConfigException {
        assertThat(config.standbys())
                .containsExactly(new StandbyConfig(
                        "s",
                        Address.parse("10.0.0.2:3306"),
                        ServerTlsConfig.preferred(),
                        Duration.ofSeconds(5),
                        "m",
                        Secret.parse("")));
        assertThat(ConfigTexts.text("primary: { address: a:1 }").config().standbys())
                .isEmpty();
    }

    @Test
    void admin() {
        assertThat(config.admin())
                .isEqualTo(new AdminConfig(true, Address.parse("127.0.0.1:9307"), null, List.of(), null));
    }

    @Test
    void limits() {
        assertThat(config.limits())
                .isEqualTo(new LimitsConfig(
                        Duration.ofSeconds(10),
                        Duration.ZERO,
                        Duration.ofSeconds(30),
                        Duration.ofSeconds(60),
                        ByteSize.parse("64KiB"),
                        null));
    }

    /** The factory methods and the compact constructors must agree on the defaults. */
    @Test
    void anEmptySectionEqualsAMissingOne() throws ConfigException {
        LoadedConfig empty = ConfigTexts.text("""
                primary: { address: "10.0.0.1:3306", tls: {}, compression: , monitor: { user: u } }
                standbys: { name: s, address: "10.0.0.2:3306", user: m, tls: }
                transport: ~
                listen: { tls: {}, address: null }
                admin: {}
                limits: {}
                plugins: { sample: {} }
                """);
        assertThat(ConfigDiff.between(loaded, empty).changes()).isEmpty();
    }

    @Test
    void aPluginWithAnEmptySectionUsesItsDefaults() {
        SamplePlugin sample = (SamplePlugin) requireNonNull(loaded.plugins().get("sample"));
        assertThat(sample.concurrency()).isEqualTo(16);
        assertThat(sample.queue().bytes()).isEqualTo(ByteSize.parse("64MiB"));
        assertThat(loaded.plugins()).containsOnlyKeys("sample");
    }

    @Test
    void aDisabledPluginIsCheckedButNotReturned() throws ConfigException {
        LoadedConfig off =
                ConfigTexts.text("primary: { address: a:1 }\nplugins: { sample: { enabled: false, concurrency: 3 } }");
        assertThat(off.plugins()).isEmpty();
        assertThat(requireNonNull(off.config().plugins().get("sample")).enabled())
                .isFalse();
        assertThat(ConfigTexts.headlines(
                        "primary: { address: a:1 }\nplugins: { sample: { enabled: false, concurrency: x } }"))
                .containsExactly("test.yaml:2:51: plugins.sample.concurrency: expected an integer but found 'x'");
    }
}
