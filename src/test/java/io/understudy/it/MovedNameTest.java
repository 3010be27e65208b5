package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.understudy.embedded.EmbeddedServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A host name that moves is followed by all connections. */
@Tag("long")
class MovedNameTest extends FollowingProxy {
    private static final String RESOLV_CONF = "io.understudy.resolvConf";

    @TempDir
    private Path folder;

    @Tag("quiet")
    @Test
    void aNameThatMovesIsFollowedByAllConnections() throws Exception {
        int ttl = 2;
        try (ScriptedNameServer names = new ScriptedNameServer();
                Forwarder one = new Forwarder(2, 0, old.address());
                Forwarder two = new Forwarder(3, one.port(), promoted.address())) {
            System.setProperty(RESOLV_CONF, names.resolvConf(folder).toString());
            names.move(2, ttl);
            String primary = "address: \"db.example:" + two.port() + "\"";
            try (ProxyUnderTest proxy = ProxyUnderTest.start(config(primary, "plugins: { black-box: }"));
                    Connection idle = connect(proxy)) {
                await().until(() -> proxy.server().notReady().isEmpty());
                await().until(() -> Boolean.TRUE.equals(standby(proxy, 0).get("primary")));
                promote();
                names.move(3, ttl);
                Duration took = untilWritten(proxy, promoted, "moved");
                report("first write after a name with TTL 2 s has moved", took);
                assertThat(took).isLessThan(Duration.ofSeconds(ttl + 20));
                await().until(() -> Boolean.TRUE.equals(standby(proxy, 1).get("primary")));
                assertThat(standby(proxy, 0)).containsEntry("primary", false);
                assertThatThrownBy(() -> write(idle, "idle")).isInstanceOf(SQLException.class);
                assertThat(proxy.count("understudy.primary.changes", "dns")).isEqualTo(1);
                await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
                    LostView lost = lost(proxy);
                    assertThat(lost.text("survivor", "name")).isEqualTo("primary");
                });
            }
        } finally {
            System.clearProperty(RESOLV_CONF);
        }
    }

    /** The former server still runs. */
    @Test
    void aStandbysNameThatMovesIsFollowedByAllConnections() throws Exception {
        int ttl = 1;
        try (ScriptedNameServer names = new ScriptedNameServer();
                Forwarder one = new Forwarder(2, 0, promoted.address());
                Forwarder two = new Forwarder(3, one.port(), old.address())) {
            System.setProperty(RESOLV_CONF, names.resolvConf(folder).toString());
            names.move(2, ttl);
            String config = """
                    listen: { address: "127.0.0.1:0" }
                    primary: { %s, tls: { mode: disabled }, monitor: { user: monitor, password: %s } }
                    standbys:
                      - { name: one, address: "db.example:%d", tls: { mode: disabled }, user: monitor, password: %s }
                    admin: { enabled: false }
                    plugins: { mirror: { rules: [{ name: all, sample: 100%% }] } }
                    """.formatted(address(old), PASSWORD, two.port(), PASSWORD);
            try (ProxyUnderTest proxy = ProxyUnderTest.start(config);
                    Connection client = connect(proxy);
                    Statement reads = client.createStatement()) {
                await().atMost(Duration.ofSeconds(20)).until(() -> {
                    reads.executeQuery("SELECT COUNT(*) FROM t").close();
                    return connections(promoted) > 1; // of the probe, and of the mirror
                });
                names.move(3, ttl);
                await().atMost(Duration.ofSeconds(10))
                        .until(() -> Boolean.TRUE.equals(standby(proxy, 0).get("primary")));
                await().until(() -> connections(promoted) == 0);
            }
        } finally {
            System.clearProperty(RESOLV_CONF);
        }
    }

    private static int connections(EmbeddedServer server) {
        return Integer.parseInt(
                server.query("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER='monitor'"));
    }
}
